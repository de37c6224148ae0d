import assert from 'node:assert/strict';
import type { MempoolStore, Transaction } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { mustEach, needing } from '../../case/must.ts';
import type { Random } from '../../case/random.ts';
import { eachOnPool, onPool, openPool } from '../../scenario/on-pool.ts';
import { hashesOf, point, readable, transaction } from '../../scenario/pool.ts';

interface BytesRead {
  readonly verb: string;
  /** Brings a Pending transaction where the verb reads it. */
  reach(store: MempoolStore, hash: string): Promise<unknown>;
  read(store: MempoolStore, hash: string): Promise<Uint8Array | undefined>;
}

const reads: readonly BytesRead[] = [
  {
    verb: 'peekPending',
    reach: async () => undefined,
    read: async (store) => (await store.peekPending()).transactions[0]?.payload,
  },
  {
    verb: 'peekInflight',
    reach: (store, hash) => store.markInflight([hash]),
    read: async (store) => (await store.peekInflight()).transactions[0]?.payload,
  },
  {
    verb: 'findInflight',
    reach: (store, hash) => store.markInflight([hash]),
    read: async (store, hash) => (await store.findInflight([hash]))[0]?.payload,
  },
  {
    verb: 'dumpFinalized',
    reach: (store, hash) => store.drop([hash], 'failed'),
    read: async (store) => (await store.dumpFinalized()).entries[0]?.payload,
  },
];

function handedOut({ verb, reach, read }: BytesRead): ConformanceCase {
  const title = `the bytes that ${verb} hands out belong to the caller`;
  return onPool(`M1/handed-out-${verb}`, title, async (pool, store) => {
    const one = pool.transaction();
    await store.receive([one]);
    await reach(store, one.hash);
    const [first, neighbour] = [await read(store, one.hash), await read(store, one.hash)];
    assert.ok(first && neighbour);
    first.fill(0xee);
    const expected = Buffer.from(one.payload).toString('hex');
    const [held, again] = [neighbour, await read(store, one.hash)].map((bytes) =>
      Buffer.from(bytes ?? []).toString('hex'),
    );
    assert.deepEqual([held, again], [expected, expected]);
  });
}

/** Empty arrays of each kind: with a buffer, without memory, and as a view on a part of another. */
const nothings: readonly Uint8Array[] = [
  new Uint8Array(0),
  new Uint8Array(new ArrayBuffer(0)),
  Buffer.from('bytes').subarray(2, 2),
];

/** Among others, so that a page does not end at it. */
function withNothing(random: Random): Transaction[] {
  const empty = nothings.map((payload) => ({ ...transaction(random), payload }));
  return [transaction(random), ...empty, transaction(random)];
}

const bytesOf = (items: readonly ({ readonly payload?: Uint8Array } | null)[]): string[] =>
  items.map((item) => Buffer.from(item?.payload ?? 'none').toString('hex'));

/** Two rounds, so that a store also checks a record that it wrote twice. */
const emptyPayloads: ConformanceCase['run'] = async (context) => {
  const pool = await openPool(context);
  const batch = withNothing(context.random);
  const [hashes, expected] = [hashesOf(batch), bytesOf(batch)];
  for (const _ of ['first', 'again']) {
    await pool.store.receive(batch);
    assert.deepEqual(bytesOf((await pool.store.peekPending()).transactions), expected);
    await pool.mark(...hashes);
    assert.deepEqual(bytesOf((await pool.store.peekInflight()).transactions), expected);
    assert.deepEqual(bytesOf(await pool.store.findInflight(hashes)), expected);
    await pool.drop(...hashes);
  }
  assert.deepEqual(bytesOf((await pool.store.dumpFinalized()).entries), [...expected, ...expected]);
};

const emptyArrivals: ConformanceCase['run'] = async (context) => {
  const pool = await openPool(context);
  const batch = withNothing(context.random);
  const expected = bytesOf(batch);
  await pool.store.receive(batch);
  assert.deepEqual(bytesOf(await pool.store.payloads(hashesOf(batch))), expected);
  const { items } = await pool.store.since();
  assert.deepEqual(bytesOf(items.map(({ payload }) => payload && { payload })), expected);
  const { transactions: taken } = await pool.store.take({}, { owner: 'peer', claimMs: 1_000 });
  assert.deepEqual(
    taken.map(({ bytes }) => bytes),
    batch.map(({ payload }) => payload.length),
  );
  assert.deepEqual(bytesOf(await pool.store.findInflight(hashesOf(taken))), expected);
};

const ownPools = mustEach({
  'M1/empty: an empty payload is read back as an empty payload by every read': emptyPayloads,
});

const ownPoolsArrivalVerbs = mustEach({
  'M1/empty-taken: a payload of no bytes is gossiped and taken': emptyArrivals,
}).map(needing('arrival-verbs'));

const onePool = eachOnPool({
  'M1/handed-in: changing a payload after the call began does not reach the store': async (pool, store) => {
    const one = pool.transaction(500);
    const payload = Uint8Array.from(one.payload);
    const receiving = store.receive([{ ...one, payload }]);
    payload.fill(0);
    await receiving;
    payload.fill(1);
    const [stored] = (await store.peekPending()).transactions;
    assert.equal(stored && readable(stored).payload, readable(one).payload);
  },
  'M1/reused-buffer: one buffer may carry many payloads in turn, without waiting': async (pool, store) => {
    const batch = pool.transactions(20, 64);
    const buffer = new Uint8Array(64);
    const calls = batch.map((one) => {
      buffer.set(one.payload);
      return store.receive([{ ...one, payload: buffer }]);
    });
    await Promise.all(calls);
    const stored = (await store.peekPending()).transactions.map((entry) => readable(entry).payload);
    assert.deepEqual(
      stored,
      batch.map((one) => readable(one).payload),
    );
  },
  'M1/views: a view on a part of a buffer is that part and nothing else': async (pool, store) => {
    const whole = pool.random.bytes(300);
    const payload = whole.subarray(100, 140);
    await store.receive([{ ...pool.transaction(), payload }]);
    const [stored] = (await store.peekPending()).transactions;
    assert.deepEqual(stored && [...stored.payload], [...payload]);
  },
  'M1/lists-handed-in: changes to a list after the call began do not matter': async (pool, store) => {
    const all = await pool.receiveHashes(4);
    const [marked, seen] = [all.slice(0, 2), all.slice(2, 3)];
    const calls = [store.markInflight(marked), store.confirm({ point: point(1), seen, unseen: [] })];
    marked.length = 0;
    seen.push(...all.slice(3));
    await Promise.all(calls);
    assert.deepEqual(await pool.stages(...all), ['Propagated', 'Propagated', 'Confirmed', 'Pending']);
  },
  'M1/batch-handed-in: changes to a batch after the call began do not matter': async (pool, store) => {
    const batch = pool.transactions(3);
    const hashes = hashesOf(batch);
    const receiving = store.receive(batch);
    batch.length = 0;
    await receiving;
    assert.deepEqual(await pool.pending(), hashes);
  },
  'M1/all-bytes: every byte value comes back, zero and line ends too': async (pool, store) => {
    const payload = Uint8Array.from({ length: 512 }, (_, i) => i % 256);
    await store.receive([{ ...pool.transaction(), payload }]);
    const [stored] = (await store.peekPending()).transactions;
    assert.deepEqual(stored && [...stored.payload], [...payload]);
  },
});

export const byteCases: readonly ConformanceCase[] = [
  ...reads.map(handedOut),
  ...ownPools,
  ...ownPoolsArrivalVerbs,
  ...onePool,
];
