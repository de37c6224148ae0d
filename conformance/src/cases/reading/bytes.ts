import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import type { TestedPool } from '../../case/tested-pool.ts';
import { eachOnPool, onPool } from '../../scenario/on-pool.ts';
import { hashesOf, point } from '../../scenario/pool.ts';

interface BytesRead {
  readonly verb: string;
  /** Brings a Pending transaction where the verb reads it. */
  reach(store: TestedPool, hash: string): Promise<unknown>;
  read(store: TestedPool, hash: string): Promise<Uint8Array | undefined>;
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

const onePool = eachOnPool({
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
});

export const byteCases: readonly ConformanceCase[] = [...reads.map(handedOut), ...onePool];
