import assert from 'node:assert/strict';
import type { OpenOptions } from 'mempool-core';
import { fill, hashes, hashOf, type OpenFifo, swept } from './fifo-scenario.ts';

/** M2: what is damaged is named where its payload is asked for; counted, taken, swept and flushed it is like any other. */
export async function checkDamage(open: OpenFifo, damage: (hash: string) => Promise<unknown>): Promise<void> {
  let now = 1_000;
  const options: OpenOptions = { now: () => now };
  await using store = await open(options);
  await fill(store, 5);
  await store.take({ maxTxs: 2 }, { owner: 'a', claimMs: 50 });
  await damage(hashOf(2));
  await damage(hashOf(4));
  const corrupt = (n: number) => ({ code: 'ERR_MEMPOOL_CORRUPT', details: { hash: hashOf(n), seq: n } });
  const seqs = async (after: number) => (await store.since(after)).items.map(({ seq }) => seq);
  assert.deepEqual(await seqs(0), [1]);
  await assert.rejects(store.since(1), corrupt(2));
  assert.deepEqual(await seqs(2), [3]);
  await assert.rejects(store.since(3), corrupt(4));
  assert.deepEqual(await seqs(4), [5]);
  assert.equal((await store.since(0, { hashesOnly: true })).items.length, 5);
  assert.equal((await store.payloads(hashes(1, 3))).length, 2);
  await assert.rejects(store.payloads(hashes(1, 4)), corrupt(4));
  assert.deepEqual(
    (await store.reap()).map(({ seq }) => seq),
    [3, 4, 5],
  );
  now = 2_000;
  assert.deepEqual(await store.sweep(), swept(...hashes(1, 2)));
  assert.equal(await store.flush(), 5);
}
