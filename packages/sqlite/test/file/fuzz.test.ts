import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { isMempoolError, type Mempool, type MempoolError, type Ordering } from 'mempool-core';
import { sqlite } from 'mempool-sqlite';
import { Random, seed } from 'mempool-testkit';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';
import { hashOf, numbers, payloadOf, pointOf, transaction } from '../numbered.ts';

/** For a longer search: MEMPOOL_TEST_FUZZ_ROUNDS, with MEMPOOL_TEST_SEED of a run to repeat it. */
const rounds = Number(process.env.MEMPOOL_TEST_FUZZ_ROUNDS ?? 50);

const orderings: readonly Ordering[] = ['fifo', 'priority'];

/** A closed pool with something in every table, and small, so that a flipped bit seldom falls on nothing. */
async function makePool(path: string, ordering: Ordering): Promise<Buffer> {
  await using store = await sqlite.open({ path, ordering });
  await store.receive(numbers(30).map((n) => transaction(n)));
  await store.markInflight([1, 2, 3].map(hashOf));
  await store.take({ maxTxs: 2 }, { owner: 'one', claimMs: 60_000 });
  await store.drop([4, 5].map(hashOf), 'failed', { operationId: 'known' });
  await store.confirm({ point: pointOf(1), seen: [hashOf(1)], unseen: [] });
  await store.close();
  return readFileSync(path);
}

function damaged(whole: Buffer, random: Random): Buffer {
  const bytes = Buffer.from(whole);
  for (let flips = random.below(6); flips >= 0; flips--) {
    // The first page has the tables' definitions.
    const at = random.below(random.below(3) === 0 ? 4_096 : bytes.length);
    bytes[at] = bytes.readUInt8(at) ^ (1 << random.below(8));
  }
  return random.below(6) === 0 ? bytes.subarray(0, random.below(bytes.length)) : bytes;
}

const calls: readonly ((store: Mempool) => Promise<unknown>)[] = [
  assertPayloads,
  (store) => store.status(numbers(30).map(hashOf)),
  (store) => store.tip({ points: 10 }),
  (store) => store.usage(),
  (store) => store.reap(),
  (store) => store.receive([transaction(100), transaction(6)]),
  (store) => store.drop([4, 5].map(hashOf), 'failed', { operationId: 'known' }),
  (store) => store.confirm({ point: pointOf(2), seen: [2, 9].map(hashOf), unseen: [hashOf(3)] }),
  (store) => store.rollback('origin'),
  (store) => store.drop([hashOf(8)], 'failed'),
  (store) => store.sweep(),
  (store) => store.since(),
  (store) => store.payloads([hashOf(9)]),
  (store) => store.flush(),
];

async function assertPayloads(store: Mempool): Promise<void> {
  const live = [
    ...(await store.peekPending({ limit: 1_000 })).transactions,
    ...(await store.peekInflight({ limit: 1_000 })).transactions,
  ];
  const { entries } = await store.dumpFinalized();
  for (const { hash, payload } of [...live, ...entries]) expect(payload).toEqual(payloadOf(Number.parseInt(hash, 16)));
}

/**
 * The errors that a damaged file may give. A file without its header is no database. SQLite writes to no file whose header
 * names a newer write version (byte 18), and reports it as read-only.
 */
const expected = ['ERR_MEMPOOL_CORRUPT', 'ERR_MEMPOOL_INCOMPATIBLE', 'ERR_MEMPOOL_READ_ONLY'];

/** The record of an operation id has no checksum: if one of its hashes is damaged, the call seems to have other arguments. */
const isOtherCall = (error: MempoolError): boolean =>
  error.code === 'ERR_MEMPOOL_INVALID' && error.details.field === 'operationId';

async function assertTold(call: Promise<unknown>): Promise<void> {
  await call.catch((error) => {
    if (!isMempoolError(error) || !(expected.includes(error.code) || isOtherCall(error))) throw error;
  });
}

test.each(orderings)(
  `bits flipped and bytes cut off anywhere in the file are told as damage, and give no other payload: %s (MEMPOOL_TEST_SEED=${seed})`,
  { timeout: 180_000 + 100 * rounds },
  async (ordering) => {
    const random = new Random(seed);
    const directory = scratchFolder();
    const whole = await makePool(join(directory, 'whole.db'), ordering);
    const path = join(directory, 'pool.db');
    const useAll = async (): Promise<void> => {
      await using store = await sqlite.open({ path, ordering, timeoutMs: 200 });
      for (const call of calls) await assertTold(call(store));
    };
    for (let round = 0; round < rounds; round++) {
      for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
      writeFileSync(path, damaged(whole, random));
      await assertTold(useAll());
    }
  },
);

test.each(orderings)('M2: a table that was dropped is damage: %s', async (ordering) => {
  for (const table of ['pending', 'inflight', 'tx', 'log', 'block', 'sighting', 'operation', 'step', 'pool']) {
    const path = join(scratchFolder(), 'pool.db');
    await makePool(path, ordering);
    const database = new SqliteDatabase(path);
    database.exec(`DROP TABLE ${table}`);
    database.close();
    await expect(sqlite.open({ path, ordering })).rejects.toMatchObject({ code: 'ERR_MEMPOOL_CORRUPT' });
  }
});

test('M2: a payload that SQLite cannot keep is refused, with nothing written', async () => {
  await using store = await sqlite.open({ path: join(scratchFolder(), 'pool.db'), maxTxBytes: 2 ** 30 });
  const large = { ...transaction(2), payload: new Uint8Array(2 ** 29) };
  const refusal = { code: 'ERR_MEMPOOL_INVALID', details: { field: 'payload' } };
  await expect(store.receive([transaction(1), large])).rejects.toMatchObject(refusal);
  expect(await store.usage()).toMatchObject({ pending: 0, lastSeq: 0 });
});
