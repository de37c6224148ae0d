import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import type { Mempool } from 'mempool-core';
import { sqlite } from 'mempool-sqlite';
import { TurnCount } from 'mempool-testkit';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';
import { hashOf, numbers, priced } from '../numbered.ts';
import { openNode } from './node.ts';

/** No call here is to run out of time, however busy the machine is. */
const priority = { ordering: 'priority', maxTxs: 100_000, timeoutMs: 60_000 } as const;
const stored = 20_000;
const best = { priority: 10_000n };
/** Far fewer than there are, many more than without slices. */
const fewestTurns = 5;

async function filled(): Promise<string> {
  const path = join(scratchFolder(), 'pool.db');
  await using store = await sqlite.open({ path, ...priority, synchronous: 'normal' });
  for (let n = 0; n < stored; n += 1_000) await store.receive(numbers(1_000, n).map((each) => priced(each)));
  return path;
}

/** What a process finds that was too far behind the others: its mirror has to be filled anew. */
async function leaveBehind(path: string, other: Mempool, n: number): Promise<void> {
  await other.receive([priced(n)]);
  const operator = new SqliteDatabase(path);
  operator.exec('DELETE FROM change');
  operator.close();
}

test('the event loop turns while a process opens a large pool', async () => {
  const path = await filled();
  const turns = new TurnCount();
  await using store = await sqlite.open({ path, ...priority });
  expect(turns.end()).toBeGreaterThan(fewestTurns);
  expect((await store.usage()).pending).toBe(stored);
});

test('M2: calls that come while the mirror is filled see those before them, and an aborted one is not made', async () => {
  const path = await filled();
  await using idle = await sqlite.open({ path, ...priority });
  await using other = await sqlite.open({ path, ...priority });
  const node = await openNode(path);
  await leaveBehind(path, other, stored);
  const turns = new TurnCount();
  const abort = new AbortController();
  const calls = [
    idle.receive([priced(stored + 1, best)]),
    idle.reap({ maxTxs: 1 }),
    idle.putRecord('name', Buffer.from('value')),
    idle.getRecord('name'),
    idle.receive([priced(stored + 3)]),
    idle.status([hashOf(stored + 3)]),
  ] as const;
  const aborted = idle.receive([priced(stored + 2)], { signal: abort.signal });
  const refused = expect(aborted).rejects.toThrow('enough');
  abort.abort(new Error('enough'));
  await refused;
  await other.receive([priced(stored + 4)]);
  const [first, reaped, , record, third, status] = await Promise.all(calls);
  expect(turns.end()).toBeGreaterThan(fewestTurns);
  expect([...first, ...third].map(({ kind }) => kind)).toEqual(['received', 'received']);
  expect(reaped).toMatchObject([{ hash: hashOf(stored + 1) }]);
  expect(record?.value).toEqual(new Uint8Array(Buffer.from('value')));
  expect(status).toMatchObject([{ stage: 'Pending' }]);
  for (const store of [idle, other]) {
    expect(await store.status([hashOf(stored + 2)])).toMatchObject([{ stage: 'Unknown' }]);
    expect((await store.usage()).pending).toBe(stored + 4);
  }
  expect(await node.remembered()).toEqual(await node.stored());
});

test('a process that closes while its mirror is filled ends its calls, and leaves the file to others', async () => {
  const path = await filled();
  const [idle, other] = [await sqlite.open({ path, ...priority }), await sqlite.open({ path, ...priority })];
  await leaveBehind(path, other, stored);
  const written = idle.receive([priced(stored + 1)]);
  await idle.close();
  expect(await written).toMatchObject([{ kind: 'received' }]);
  const late = await sqlite.open({ path, ...priority });
  await leaveBehind(path, late, stored + 2);
  const refused = expect(other.receive([priced(stored + 3)], { signal: AbortSignal.abort() })).rejects.toThrow();
  const abort = new AbortController();
  const aborted = expect(other.receive([priced(stored + 3)], { signal: abort.signal })).rejects.toThrow('enough');
  abort.abort(new Error('enough'));
  await Promise.all([refused, aborted]);
  await other.close();
  expect((await late.usage()).pending).toBe(stored + 3);
  await late.close();
  expect(await sqlite.remove({ path })).toBe(true);
});
