import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { loadServerConfig } from 'mempool-server';
import { durable, freePort } from 'mempool-testkit';
import { ownCluster, ownServer, scratchFolder } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';
import { jsonLines, run } from './run-in-process.ts';

function configFile(fields: object): string {
  const folder = scratchFolder();
  const config = join(folder, 'pool.json');
  writeFileSync(config, JSON.stringify({ mempool: { path: join(folder, 'pool.sqlite'), ...fields } }));
  return config;
}

interface Finding {
  readonly check: string;
  readonly state: string;
  readonly detail: string;
  readonly remedy: string | null;
}

async function doctor(config: string): Promise<{ readonly code: number; readonly bad: readonly Finding[] }> {
  const { code, out } = await run(['-c', config, '--json', 'doctor']);
  return { code, bad: (jsonLines(out) as Finding[]).filter(({ state }) => state !== 'ok') };
}

test('a command that changes much asks first: no answer, no change', async () => {
  const config = configFile({ backend: 'sqlite' });
  await run(['-c', config, 'submit', '01', '--hash', 'ab']);
  const drop = ['-c', config, 'drop', 'ab'];
  const unasked = await run(drop);
  expect([unasked.code, unasked.err.includes('--yes')]).toEqual([2, true]);
  expect((await run(drop, { terminal: true, input: 'n\n' })).code).toBe(1);
  expect((await run(['-c', config, 'status', 'ab'])).out).toContain('Pending');
  expect((await run(drop, { terminal: true, input: 'y\n' })).code).toBe(0);
  expect((await run(['-c', config, 'status', 'ab'])).out).toContain('Dropped');
});

test('a command that looks leaves the limits that an operator has set, whatever its configuration says', async () => {
  const config = configFile({ backend: 'sqlite', ordering: 'priority', maxTxs: 10 });
  await run(['-c', config, 'submit', '01']);
  expect((await run(['-c', config, 'limits', 'set', 'max_txs=7', 'min_priority=-5', 'ttl_ms=unlimited'])).code).toBe(0);
  await run(['-c', config, 'usage']);
  expect(jsonLines((await run(['-c', config, '--json', 'limits', 'get'])).out)).toMatchObject([
    { maxTxs: 7, minPriority: '-5' },
  ]);
  const wrong = await run(['-c', config, 'limits', 'set', 'max_tx=7']);
  expect([wrong.code, wrong.err.includes('did you mean maxTxs?')]).toEqual([2, true]);
});

test('colours are for a terminal only, and NO_COLOR and --no-color turn them off', async () => {
  const config = configFile({ backend: 'sqlite' });
  await run(['-c', config, 'submit', '01', '--hash', 'ab']);
  const coloured = async (args: readonly string[], around: Parameters<typeof run>[1]): Promise<boolean> =>
    (await run(['-c', config, ...args, 'status', 'ab'], around)).out.includes('\u001b');
  expect(await coloured([], { terminal: true })).toBe(true);
  expect(await coloured([], {})).toBe(false);
  expect(await coloured(['--no-color'], { terminal: true })).toBe(false);
  expect(await coloured([], { terminal: true, env: { NO_COLOR: '1' } })).toBe(false);
});

test('text of an application cannot drive the terminal', async () => {
  const config = configFile({ backend: 'sqlite' });
  await run(['-c', config, 'submit', '01', '--hash', 'ab']);
  await run(['-c', config, 'drop', 'ab', '--yes', '--reason', 'x\u001b[2Jy\u009bz']);
  for (const args of [
    ['status', 'ab'],
    ['ls', 'final'],
    ['--json', 'ls', 'final'],
  ])
    expect((await run(['-c', config, ...args])).out).not.toMatch(/\p{Cc}(?<!\n)/u);
});

test('config init writes a configuration that config check accepts, and config check shows no secret', async () => {
  const folder = scratchFolder();
  const file = join(folder, 'mempool.toml');
  expect((await run(['config', 'init', file])).code).toBe(0);
  expect((await run(['config', 'init', file])).code).toBe(4);
  expect((await run(['-c', file, 'config', 'check'])).out).toContain('valid');
  expect((await run(['token', '--scope', 'ledger:transfer'])).code).toBe(2);
  const bound = await run(['token', '--scope', 'ledger:transfer', '--owner', 'Ann', 'Bob']);
  expect(bound.out).toContain('owners = ["Ann","Bob"]');
  const made = await run(['--json', 'token', '--name', 'wallet', '--scope', 'read', 'submit']);
  const [token] = jsonLines(made.out) as [{ token: string; name: string; hash: string; scopes: string[] }];
  expect(token.hash).toBe(`sha256:${createHash('sha256').update(token.token).digest('hex')}`);
  const { token: _, ...stored } = token;
  const secret = join(folder, 'secret.json');
  const sentinel = { sentinels: ['s:26379'], masterName: 'm', sentinelPassword: 'hush' };
  const mempool = { backend: 'redis', url: 'redis://user:hush@h:1/0', options: { password: 'hush' }, ...sentinel };
  writeFileSync(secret, JSON.stringify({ mempool, server: { host: '0.0.0.0', tokens: [stored] } }));
  expect((await loadServerConfig(secret)).server.tokens).toEqual([stored]);
  for (const args of [
    ['config', 'check'],
    ['--json', 'config', 'check'],
  ]) {
    const shown = await run(['-c', secret, ...args]);
    expect(shown.code).toBe(0);
    expect(shown.out).toContain('wallet');
    expect(shown.out).not.toMatch(/hush|sha256:/);
  }
  expect(JSON.parse((await run(['config', 'schema'])).out)).toMatchObject({ required: ['mempool'] });
});

test('doctor finds nothing in a sound pool, and names what is wrong with its remedy', async () => {
  const config = configFile({ backend: 'sqlite' });
  expect(await doctor(config)).toMatchObject({ code: 1, bad: [{ check: 'store', state: 'fail' }] });
  await run(['-c', config, 'submit', '01', '02', '03']);
  expect(await doctor(config)).toEqual({ code: 0, bad: [] });
  const database = new DatabaseSync(config.replace(/json$/, 'sqlite'));
  const rows = database.prepare('SELECT lower(hex(hash)) AS hash FROM tx ORDER BY seq').all() as { hash: string }[];
  const [intact = '', waiting = '', flying = ''] = rows.map(({ hash }) => hash);
  database.exec('DELETE FROM pending WHERE seq = 3; INSERT INTO inflight (seq, stage, tick) VALUES (3, 1, 0)');
  database.exec('UPDATE step SET pending = 2, propagated = 1');
  database.exec("UPDATE tx SET payload = x'ffff' WHERE seq > 1");
  database.close();
  const { code, bad } = await doctor(config);
  expect([code, bad.map(({ state }) => state)]).toEqual([1, ['fail', 'fail']]);
  expect(bad.map(({ detail }) => detail.includes(waiting) || detail.includes(flying))).toEqual([true, true]);
  expect(bad.find(({ detail }) => detail.includes(waiting))?.remedy).toContain('next write');
  expect(bad.find(({ detail }) => detail.includes(flying))?.remedy).toContain(`mempool doctor --drop ${flying}`);
  await run(['-c', config, 'doctor', '--drop', intact]);
  await run(['-c', config, 'doctor', '--drop', flying]);
  expect((await run(['-c', config, 'status', intact])).out).toContain('Pending');
  expect((await run(['-c', config, 'status', flying])).out).toContain('Dropped');
  writeFileSync(config, JSON.stringify({ mempool: { backend: 'sqlite' } }));
  expect(await doctor(config)).toMatchObject({ code: 1, bad: [{ check: 'configuration' }] });
});

test('doctor tells how a Redis is set up: persistence, eviction policy, rights, reachability', async () => {
  const redis = await ownServer(...durable, '--maxmemory-policy', 'noeviction');
  const risky = await ownServer('--maxmemory-policy', 'allkeys-lru');
  const at = (url: string): string => configFile({ backend: 'redis', url, timeoutMs: 2_000 });
  expect(await doctor(at(redis.url))).toEqual({ code: 0, bad: [] });
  const { code, bad } = await doctor(at(risky.url));
  expect(code).toBe(0);
  expect(bad.map(({ state, detail }) => [state, /noeviction|appendonly/.exec(detail)?.[0]])).toEqual([
    ['warn', 'noeviction'],
    ['warn', 'appendonly'],
  ]);
  const gone = await doctor(at(`redis://127.0.0.1:${await freePort()}`));
  expect(gone).toMatchObject({
    code: 1,
    bad: [{ check: 'store', state: 'fail', remedy: expect.stringContaining('url') }],
  });
});

test('doctor says what to write for a Redis Cluster, and works on it', async () => {
  const cluster = await ownCluster({ masters: 1, replicas: 0, args: [...durable, '--maxmemory-policy', 'noeviction'] });
  const [address] = cluster.addresses as [string];
  const { code, bad } = await doctor(configFile({ backend: 'redis', url: `redis://${address}` }));
  expect(code).toBe(1);
  expect(bad).toMatchObject([{ check: 'store', detail: expect.stringContaining(`cluster = ["${address}"]`) }]);
  expect(await doctor(configFile({ backend: 'redis', cluster: [address] }))).toEqual({ code: 0, bad: [] });
});

test('the README shows every command', async () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const { out } = await run(['--help']);
  const names = Array.from(out.matchAll(/^ {2}([a-z]+) /gm), ([, name]) => name).filter((name) => name !== 'help');
  expect(names.length).toBeGreaterThan(12);
  for (const name of names) expect(readme, name).toContain(`mempool ${name}`);
});
