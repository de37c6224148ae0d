import assert from 'node:assert/strict';
import { isDamaged, type OpenOptions } from 'mempool-core';
import { cursorAt } from '../src/scenario/pool.ts';
import { fill, hashes, hashOf, type OpenFifo, swept } from './fifo-scenario.ts';

/** M2: what is damaged is named where its payload is asked for, beside the others; counted, taken, swept and flushed it is like any other. */
export async function checkDamage(open: OpenFifo, damage: (hash: string) => Promise<unknown>): Promise<void> {
  let now = 1_000;
  const options: OpenOptions = { now: () => now };
  await using store = await open(options);
  await fill(store, 5);
  await store.take({ maxTxs: 2 }, { owner: 'a', claimMs: 50 });
  await damage(hashOf(2));
  await damage(hashOf(4));
  const { items, damaged, next } = await store.since();
  assert.deepEqual(
    items.map(({ seq }) => seq),
    [1, 3, 5],
  );
  assert.deepEqual(
    damaged,
    [2, 4].map((n) => ({ hash: hashOf(n), seq: n })),
  );
  assert.equal(next, await cursorAt(store, 'gossip', 5));
  assert.equal((await store.since({ hashesOnly: true })).items.length, 5);
  const found = await store.payloads(hashes(1, 4, 3));
  assert.deepEqual(
    found.map((each) => (isDamaged(each) ? 'damaged' : each?.hash)),
    [hashOf(1), 'damaged', hashOf(3)],
  );
  assert.deepEqual(
    (await store.reap()).map(({ seq }) => seq),
    [3, 4, 5],
  );
  now = 2_000;
  assert.deepEqual(await store.sweep(), swept(...hashes(1, 2)));
  assert.equal(await store.flush(), 5);
}
