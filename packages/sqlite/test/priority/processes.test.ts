import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import type { Mempool } from 'mempool-core';
import { sqlite } from 'mempool-sqlite';
import { cursorAt } from 'mempool-testkit';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';
import { hashOf, numbers, pointOf, priced } from '../numbered.ts';
import { report } from '../program.ts';
import { openNode } from './node.ts';

const priority = { ordering: 'priority' } as const;
test('X1: a call whose commit fails has happened to nobody, and is made when it is repeated under its id', async () => {
  const path = join(scratchFolder(), 'pool.db');
  await using first = await sqlite.open({ path, ...priority });
  await using second = await sqlite.open({ path, ...priority });
  const node = await openNode(path);
  await first.receive(numbers(3).map((n) => priced(n, { priority: BigInt(n) })));
  const operator = new SqliteDatabase(path);
  // Looked at by COMMIT alone: whoever writes a change owes a row to another table.
  operator.exec('CREATE TABLE owed (id INTEGER PRIMARY KEY)');
  operator.exec('CREATE TABLE debt (id INTEGER REFERENCES owed DEFERRABLE INITIALLY DEFERRED)');
  operator.exec('CREATE TRIGGER refusal AFTER INSERT ON change BEGIN INSERT INTO debt VALUES (7); END');
  const take = () => first.take({ maxTxs: 2 }, { owner: 'one', claimMs: 1_000, operationId: 'take' });
  const block = { point: pointOf(1), seen: [hashOf(0)], unseen: [], provides: ['a'] };
  for (const call of [take(), first.confirm(block), first.drop([hashOf(1)], 'failed'), first.receive([priced(9)])])
    await expect(call).rejects.toThrow();
  operator.exec('DROP TRIGGER refusal');
  operator.close();
  for (const store of [first, second]) {
    expect((await store.reap()).map(({ hash }) => hash)).toEqual([2, 1, 0].map(hashOf));
    expect(await store.usage()).toMatchObject({ pending: 3, lastSeq: 3, lastEventSeq: 3 });
  }
  expect((await take()).transactions.map(({ hash }) => hash)).toEqual([2, 1].map(hashOf));
  expect(await second.reap()).toMatchObject([{ hash: hashOf(0) }]);
  expect(await node.remembered()).toEqual(await node.stored());
});

/** The calls that the file remembers for other processes. */
function remembered(path: string): { first: number; n: number; bytes: number } {
  const database = new SqliteDatabase(path, { readonly: true });
  try {
    const sql = 'SELECT min(version) AS first, count(*) AS n, sum(length(record)) AS bytes FROM change';
    return database.prepare(sql).get() as ReturnType<typeof remembered>;
  } finally {
    database.close();
  }
}

test('a process that missed more calls than the file remembers reads the pool again, and goes on', async () => {
  const path = join(scratchFolder(), 'pool.db');
  await using idle = await sqlite.open({ path, ...priority, maxTxs: 300 });
  const node = await openNode(path);
  expect((await node.remembered()).entries).toEqual([]);
  await using busy = await sqlite.open({ path, ...priority, synchronous: 'normal' });
  for (const n of numbers(1_200)) await busy.receive([priced(n, { priority: BigInt(n) })]);
  expect(remembered(path).first).toBeGreaterThan(100);
  expect(await idle.receive([priced(1_000)])).toEqual([{ kind: 'duplicate', hash: hashOf(1_000), stage: 'Pending' }]);
  expect((await idle.reap()).map(({ hash }) => hash)).toEqual(numbers(300, 900).map(hashOf).reverse());
  expect(await node.remembered()).toEqual(await node.stored());
});

test('what a call leaves for the other processes is bounded in number and in bytes', async () => {
  const path = join(scratchFolder(), 'pool.db');
  await using store = await sqlite.open({ path, ...priority, synchronous: 'normal', maxTxs: 100 });
  for (const n of numbers(1_100)) await store.receive([priced(n, { priority: BigInt(n) })]);
  expect(remembered(path).n).toBe(1_000);
  const tags = (n: number) => numbers(256).map((tag) => `${n}/${tag}`.padEnd(256, 'x'));
  for (const n of numbers(200, 2_000)) await store.receive([priced(n, { priority: BigInt(n), provides: tags(n) })]);
  const { n, bytes } = remembered(path);
  expect(bytes).toBeLessThanOrEqual(8 * 1024 * 1024);
  expect(n).toBeLessThan(200);
});

/** 0 to 3 are Dropped and in the log, 4 is Pending. */
async function openFilled(path: string): Promise<Mempool> {
  const store = await sqlite.open({ path, ...priority });
  await store.receive(numbers(5).map((n) => priced(n)));
  await store.drop(numbers(4).map(hashOf), 'failed');
  return store;
}

/** A call without an event. */
const addSource = (store: Mempool) => store.receive([{ ...priced(4), from: 'peer' }]);

const stages = async (store: Mempool) => (await store.status(numbers(5).map(hashOf))).map(({ stage }) => stage);

test('a block that carries what the log has no room for any more finds nobody, whoever applies it', async () => {
  const path = join(scratchFolder(), 'pool.db');
  await using first = await openFilled(path);
  await using second = await sqlite.open({ path, ...priority, maxFinalized: 1 });
  await addSource(second);
  await using third = await sqlite.open({ path, ...priority });
  const seen = [hashOf(0), hashOf(3)];
  expect(await third.confirm({ point: pointOf(1), seen, unseen: [] })).toMatchObject({ confirmed: 1 });
  const node = await openNode(path);
  for (const store of [first, second, third])
    expect(await stages(store)).toEqual(['Unknown', 'Unknown', 'Unknown', 'Confirmed', 'Pending']);
  expect(await node.remembered()).toEqual(await node.stored());
});

test('what the log has no room for any more can come again before the file has let go of it', async () => {
  const path = join(scratchFolder(), 'pool.db');
  await (await openFilled(path)).close();
  await using store = await sqlite.open({ path, ...priority, maxFinalized: 1 });
  expect(await store.receive([priced(0)])).toMatchObject([{ kind: 'received', seq: 6 }]);
  expect(await store.dumpFinalized({ cursor: await cursorAt(store, 'log', 1) })).toMatchObject({
    entries: [{ logSeq: 4, hash: hashOf(3) }],
    missed: 3,
  });
  await using again = await sqlite.open({ path, ...priority });
  expect(await stages(again)).toEqual(['Pending', 'Unknown', 'Unknown', 'Dropped', 'Pending']);
});

test('a process that only reads does not keep in memory what the others have forgotten', async () => {
  const [path, blocks] = [join(scratchFolder(), 'pool.db'), 200];
  // The tags of the second half alone are 4 MB.
  expect(await report('./priority/follower.ts', [path, String(blocks)])).toBeLessThan(2_000_000);
});
