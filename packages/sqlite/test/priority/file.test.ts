import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { formatVersion } from 'mempool-core/backend';
import { createElection } from 'mempool-election';
import { sqlite, sqliteElection } from 'mempool-sqlite';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';
import { hashOf, numbers, pointOf, priced } from '../numbered.ts';
import { callOf, smallPool } from '../pool/calls.ts';

const priority = { ordering: 'priority' } as const;

function ask(path: string, sql: string): unknown[] {
  const database = new SqliteDatabase(path, { readonly: true });
  try {
    return database.prepare(sql).pluck().all();
  } finally {
    database.close();
  }
}

/** The format number in the file's header. */
const formatOf = (path: string) => ask(path, 'PRAGMA user_version')[0];

/** The seqs that one of two tables has and the other has not. */
const unmatched = `SELECT seq FROM tx WHERE seq NOT IN (SELECT seq FROM entry)
  UNION ALL SELECT seq FROM entry WHERE seq NOT IN (SELECT seq FROM tx)
  UNION ALL SELECT seq FROM tx WHERE seq NOT IN (SELECT seq FROM pending UNION ALL SELECT seq FROM inflight UNION ALL SELECT tx FROM log)`;

test(`the file has one entry for each transaction that is live or in the log, and none for others`, async () => {
  const path = join(scratchFolder(), 'pool.db');
  const store = await sqlite.open({ ...smallPool('priority'), path, synchronous: 'normal' });
  for (const n of numbers(400)) await callOf(store, n);
  const { lastSeq, pending, logged } = await store.usage();
  await store.close();
  expect(lastSeq).toBeGreaterThan(pending + 2 * logged);
  expect(ask(path, unmatched)).toEqual([]);
});

test(`nothing of a drained priority pool stays in the file but its log`, async () => {
  const path = join(scratchFolder(), 'pool.db');
  const store = await sqlite.open({ path, ...priority, maxFinalized: 5, maxRollback: 1, synchronous: 'normal' });
  await store.receive(numbers(50).map((n) => priced(n, { provides: [`t${n}`], requires: n > 0 ? [`t${n - 1}`] : [] })));
  await store.confirm({ point: pointOf(1), seen: numbers(20).map(hashOf), unseen: [] }, { finalizeThreshold: 1 });
  await store.flush();
  for (const n of numbers(3, 2)) await store.confirm({ point: pointOf(n), seen: [], unseen: [] });
  await store.close();
  expect(ask(path, 'SELECT count(*) FROM tx')).toEqual([5]);
  expect(ask(path, unmatched)).toEqual([]);
  expect(ask(path, 'SELECT tag FROM satisfied')).toEqual([]);
});

test('a priority pool can be made in a file that an election made', async () => {
  const path = join(scratchFolder(), 'pool.db');
  const election = createElection(sqliteElection, { path, nodeId: 'one' });
  await election.start();
  await election.runAsLeader(async () => undefined);
  expect(formatOf(path)).toBe(formatVersion);
  await using store = await sqlite.open({ path, ...priority });
  expect(await store.receive([priced(1)])).toMatchObject([{ kind: 'received' }]);
  expect(formatOf(path)).toBe(1_001);
  await election[Symbol.asyncDispose]();
});

test('a call that says again what is known writes nothing', async () => {
  const path = join(scratchFolder(), 'pool.db');
  await using store = await sqlite.open({ path, ...priority });
  await store.receive([{ ...priced(1), from: 'peer' }]);
  const version = () => ask(path, 'SELECT version FROM priority_pool');
  const before = version();
  await store.receive([{ ...priced(1), from: 'peer' }]);
  await store.sweep();
  await store.rollback('origin');
  expect(version()).toEqual(before);
  await store.receive([{ ...priced(1), from: 'another' }]);
  expect(version()).not.toEqual(before);
});

test('a taker that finds nothing and names no operation leaves nothing behind', async () => {
  for (const ordering of ['fifo', 'priority'] as const) {
    const path = join(scratchFolder(), 'pool.db');
    const store = await sqlite.open({ path, ordering });
    await store.receive([{ hash: hashOf(1), payload: Buffer.of(1), payloadType: 0 }], { operationId: 'mine' });
    const [steps] = ask(path, 'SELECT count(*) FROM step');
    const claim = await store.take({ maxTxs: 0 }, { owner: 'idle', claimMs: 1_000 });
    expect([claim.transactions, ask(path, 'SELECT id FROM operation')]).toEqual([[], ['mine']]);
    expect(ask(path, 'SELECT count(*) FROM step')).toEqual([steps]);
    await store.close();
  }
});
