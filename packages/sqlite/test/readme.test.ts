import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import SqliteDatabase from 'better-sqlite3';
import { sqlite } from 'mempool-sqlite';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';
import { applyAsLeader } from './election/example.ts';
import { bid, openLeases, ttlMs, win } from './election/node.ts';

const read = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8');
const readme = read('../README.md');
const example = new URL('readme-example.ts', import.meta.url);

test('the first code of the README is a program here, and makes its file where it runs', async () => {
  expect(readme).toContain(`\`\`\`ts\n${read(example.href)}\`\`\``);
  const cwd = scratchFolder();
  const args = ['--conditions=mempool-source', fileURLToPath(example)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd });
  expect(stdout).toBe('false\n');
  expect(existsSync(join(cwd, 'mempool.db'))).toBe(true);
});

test('the example of an election is a program that runs', async () => {
  expect(readme).toContain(`\`\`\`ts\n${read('./election/example.ts')}\`\`\``);
  const path = join(scratchFolder(), 'pool.db');
  expect(await applyAsLeader(path, 'node-1')).toBe('applied');
  expect(await applyAsLeader(path, 'node-2')).toBe('duplicate');
});

test('the statements that look into a file show what is there, the leader included', async () => {
  const path = join(scratchFolder(), 'pool.db');
  await using pool = await sqlite.open({ path });
  await pool.receive([{ hash: 'ab', payload: Buffer.from('x'), payloadType: 0 }]);
  const leases = await openLeases(path);
  const { term } = await win(leases, 'node-1');
  const [, block = ''] = /```sql\n(.*?)```/s.exec(readme) ?? [];
  const database = new SqliteDatabase(path, { readonly: true });
  const answers = block
    .trim()
    .split('\n')
    .map((line) => database.prepare(line).all());
  database.close();
  expect(answers.flat()).toContainEqual(expect.objectContaining({ name: 'watcher', node_id: 'node-1', term }));
  expect(answers.flat()).toContainEqual(expect.objectContaining({ election: 'watcher', node_id: 'node-1' }));
});

test('the statement that takes the leadership away ends the lease and keeps the term', async () => {
  const path = join(scratchFolder(), 'pool.db');
  const [a, b] = [await openLeases(path), await openLeases(path)];
  const lease = await win(a, 'a');
  const [, statement = ''] = /`(UPDATE lease [^`]+)`/.exec(readme) ?? [];
  new SqliteDatabase(path).exec(statement).close();
  expect(await b.observe()).toEqual({ lease: null, term: lease.term });
  const renewal = { candidate: bid('a').candidate, ttlMs, heartbeat: 'beat' } as const;
  expect(await a.renew(lease, renewal)).toEqual({ kind: 'lost', lease: null, term: lease.term });
  expect(await b.campaign(bid('b'))).toMatchObject({ kind: 'won', lease: { term: lease.term + 1 } });
});
