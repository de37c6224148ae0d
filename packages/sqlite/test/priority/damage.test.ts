import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import type { Logger, MempoolStore, OpenOptions } from 'mempool-core';
import { sqlite, sqliteExclusive } from 'mempool-sqlite';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, onTestFinished, test } from 'vitest';
import { hashOf, numbers, payloadOf, pointOf, priced, transaction } from '../numbered.ts';

const priority = { ordering: 'priority' } as const;

/**
 * A pool of the transactions 0 to 5, which pay 10 to 15: 0 is Dropped, 1 Confirmed, 2 Propagated, the rest is Pending; opened
 * after its file was damaged.
 */
async function openDamaged(sql: string, options: OpenOptions = {}, backend = sqlite): Promise<MempoolStore> {
  const path = join(scratchFolder(), 'pool.db');
  const made = await sqlite.open({ path, ...priority });
  await made.receive(numbers(6).map((n) => priced(n, { priority: BigInt(10 + n), provides: [`t${n}`] })));
  await made.drop([hashOf(0)], 'test');
  await made.markInflight([hashOf(2)]);
  await made.confirm({ point: pointOf(1), seen: [hashOf(1)], unseen: [], provides: ['x'] });
  await made.close();
  const database = new SqliteDatabase(path);
  database.exec(sql);
  database.close();
  const store = await backend.open({ path, ...priority, ...options });
  onTestFinished(() => store.close());
  return store;
}

function heard(): { log: Logger; warnings: unknown[] } {
  const warnings: unknown[] = [];
  return { warnings, log: (_level, _message, fields) => warnings.push(fields) };
}

const order = async (store: MempoolStore) => (await store.reap()).map(({ hash }) => hash);
const damaged = (n: number) => ({ code: 'ERR_MEMPOOL_CORRUPT', details: { hash: hashOf(n), seq: n + 1 } });

for (const [what, sql] of [
  ['cut short', "UPDATE entry SET record = x'80' WHERE seq = 5"],
  ['no CBOR', "UPDATE entry SET record = x'ff' WHERE seq = 5"],
  ['lost', 'DELETE FROM entry WHERE seq = 5'],
] as const) {
  test(`M2: a transaction whose entry is ${what} is parked, with a warning`, async () => {
    const { log, warnings } = heard();
    const store = await openDamaged(sql, { log });
    expect(warnings).toEqual([{ hash: hashOf(4), seq: 5 }]);
    expect(await order(store)).toEqual([5, 3].map(hashOf));
    expect(await store.peekParked()).toMatchObject([{ hash: hashOf(4) }]);
    const tagged = priced(6, { priority: 99n, provides: [`lost:${hashOf(4)}`] });
    expect(await store.receive([tagged])).toMatchObject([{ kind: 'received' }]);
    expect(await store.peekParked()).toMatchObject([{ hash: hashOf(4) }]);
    expect(await store.payloads([hashOf(4)])).toEqual([{ ...transaction(4), payload: payloadOf(4) }]);
  });

  test(`M2: drop removes a transaction whose entry is ${what}, and it can come again`, async () => {
    const store = await openDamaged(sql);
    expect(await store.drop([hashOf(4)], 'damaged')).toEqual([hashOf(4)]);
    expect(await order(store)).toEqual([5, 3].map(hashOf));
    await store.receive([priced(4, { priority: 14n })]);
    expect(await order(store)).toEqual([5, 4, 3].map(hashOf));
  });
}

for (const sql of ["UPDATE tx SET payload = x'00' WHERE seq = 5", "UPDATE tx SET type = 'none' WHERE seq = 5"]) {
  test(`M2: a damaged body ends the page before it, is named when it is asked for, and drop removes it: ${sql}`, async () => {
    const store = await openDamaged(sql);
    expect(await store.peekPending()).toMatchObject([{ hash: hashOf(3) }]);
    await expect(store.peekPending({ after: 4 })).rejects.toMatchObject(damaged(4));
    expect(await store.peekPending({ after: 5 })).toMatchObject([{ hash: hashOf(5) }]);
    await expect(store.payloads([hashOf(3), hashOf(4)])).rejects.toMatchObject(damaged(4));
    expect(await store.drop([hashOf(4)], 'damaged')).toEqual([hashOf(4)]);
    expect(await store.peekPending()).toMatchObject([{ hash: hashOf(3) }, { hash: hashOf(5) }]);
  });
}

for (const [what, sql] of [
  ['an unreadable stage', 'UPDATE inflight SET stage = 9 WHERE seq = 3'],
  ['no place', 'DELETE FROM inflight WHERE seq = 3'],
] as const) {
  test(`M2: a transaction with ${what} is told as damaged, and drop removes it`, async () => {
    const { log, warnings } = heard();
    const store = await openDamaged(sql, { log });
    expect(warnings).toEqual([{ hash: hashOf(2), seq: 3 }]);
    await expect(store.checkStatus([hashOf(2)])).rejects.toMatchObject(damaged(2));
    expect(await store.drop([hashOf(2)], 'damaged')).toEqual([hashOf(2)]);
    expect(await store.checkStatus([hashOf(2)])).toMatchObject([{ stage: 'Dropped', reason: 'damaged' }]);
    expect(await store.usage()).toMatchObject({ pending: 3, propagated: 0, confirmed: 1, logged: 2 });
  });

  test(`M2: the block that carries a transaction with ${what} confirms it`, async () => {
    const store = await openDamaged(sql);
    const block = { point: pointOf(2), seen: [hashOf(2)], unseen: [] };
    expect(await store.confirm(block)).toMatchObject({ kind: 'applied', confirmed: 1 });
    expect(await store.checkStatus([hashOf(2)])).toMatchObject([{ stage: 'Confirmed', confirmedAt: pointOf(2) }]);
  });
}

test('M2: a lost row is warned of, and stops neither the other transactions nor a block', async () => {
  const { log, warnings } = heard();
  const store = await openDamaged('DELETE FROM tx WHERE seq IN (3, 5)', { log });
  expect(warnings).toEqual([
    { hash: '', seq: 5 },
    { hash: '', seq: 3 },
  ]);
  expect(await order(store)).toEqual([5, 3].map(hashOf));
  expect(await store.confirm({ point: pointOf(2), seen: [hashOf(3)], unseen: [] })).toMatchObject({ confirmed: 1 });
  expect(await store.receive([priced(7, { priority: 99n })])).toMatchObject([{ kind: 'received', seq: 7 }]);
  expect(await order(store)).toEqual([7, 5].map(hashOf));
});

test('M2: a damaged log entry keeps its number, and the log goes on behind it', async () => {
  const store = await openDamaged("UPDATE log SET stage = 9, hash = x''");
  await store.drop([hashOf(3)], 'test');
  await expect(store.dumpFinalized({ cursor: 1 })).rejects.toMatchObject({ details: { logSeq: 1 } });
  expect(await store.dumpFinalized({ cursor: 2 })).toMatchObject({ entries: [{ logSeq: 2, hash: hashOf(3) }] });
  expect(await store.usage()).toMatchObject({ logged: 2, lastLogSeq: 2 });
});

test('M2: no block is put onto a tip that cannot be read, and the pool goes on without', async () => {
  const store = await openDamaged("UPDATE block SET point = x'00'");
  const next = { point: pointOf(2), parent: pointOf(1).hash, seen: [], unseen: [] };
  for (const call of [store.confirm(next), store.rollback(null), store.tip()])
    await expect(call).rejects.toMatchObject({ code: 'ERR_MEMPOOL_CORRUPT' });
  expect(await store.receive([priced(7)])).toMatchObject([{ kind: 'received' }]);
  expect(await store.usage()).toMatchObject({ pending: 4, confirmed: 1 });
});

for (const sql of ["UPDATE priority_pool SET limits = '{'", 'DELETE FROM priority_pool']) {
  test(`M2: without what the pool is nothing is guessed: ${sql}`, async () => {
    for (const backend of [sqlite, sqliteExclusive])
      await expect(openDamaged(sql, {}, backend)).rejects.toMatchObject({ code: 'ERR_MEMPOOL_CORRUPT' });
  });
}

/** CBOR that is not what a change is: of no form at all, of the right one at first sight, and one that names somebody unknown. */
const damagedChanges: Readonly<Record<string, string>> = {
  'cut short': '00',
  'an entry that is none': '8880f681058080f60000',
  'a write that is none': '888105f6808080f60000',
  'a block that is none': '888083010203808080f60000',
  'a tag that is none': '8880f680810580f60000',
  'a transaction that nobody knows': '88818941aa0903010000f6f6f4f6808080f60000',
};

for (const [what, record] of Object.entries(damagedChanges)) {
  test(`M2: a process that cannot follow what another one did reads the pool again: ${what}`, async () => {
    const path = join(scratchFolder(), 'pool.db');
    await using first = await sqlite.open({ path, ...priority });
    await using second = await sqlite.open({ path, ...priority });
    await first.receive([priced(1)]);
    await second.receive([priced(2)]);
    await second.receive([priced(3)]);
    await second.receive([priced(4)]);
    const database = new SqliteDatabase(path);
    database.exec(`UPDATE change SET record = x'${record}' WHERE version = 3`);
    database.close();
    expect((await first.reap()).length).toBe(4);
    expect(await first.receive([priced(2), priced(3)])).toMatchObject([{ kind: 'duplicate' }, { kind: 'duplicate' }]);
    expect((await second.reap()).length).toBe(4);
  });
}

test('M2: gossip ends before a damaged payload, names it where it would come first, and goes on once it is dropped', async () => {
  const store = await openDamaged("UPDATE tx SET payload = x'00' WHERE seq = 5");
  const page = await store.since(0);
  expect(page.items.map(({ hash }) => hash)).toEqual([2, 3].map(hashOf));
  await expect(store.since(page.next)).rejects.toMatchObject(damaged(4));
  expect(await store.since(page.next, { limit: 1, hashesOnly: true })).toMatchObject({ items: [{ hash: hashOf(4) }] });
  await store.drop([hashOf(4)], 'damaged');
  expect((await store.since(page.next)).items.map(({ hash }) => hash)).toEqual([hashOf(5)]);
});
