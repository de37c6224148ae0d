import assert from 'node:assert/strict';
import { isMempoolError, type OpenOptions } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { eachFifo, eachRow, mustEach, needing } from '../../case/must.ts';
import type { TestedPool } from '../../case/tested-pool.ts';
import { eachOnFifoPool, openPool, openTimed } from '../../scenario/on-pool.ts';
import { hashesOf, kindsOf, point, transactions } from '../../scenario/pool.ts';
import type { Submission } from '../../scenario/priority.ts';
import { refuses, rejection } from '../../scenario/verb-call.ts';

/** Calls that a fifo pool refuses: it keeps no such fields, or does not have the feature. */
const beyond: readonly (readonly [string, (store: TestedPool, one: Submission) => Promise<unknown>])[] = [
  ['priority', (store, one) => store.receive([{ ...one, verdict: { priority: 1n } }])],
  ['sender', (store, one) => store.receive([{ ...one, verdict: { sender: 's' } }])],
  ['gas', (store, one) => store.receive([{ ...one, verdict: { gas: 1 } }])],
  ['tags', (store, one) => store.receive([{ ...one, verdict: { provides: ['x'] } }])],
  ['needs', (store, one) => store.receive([{ ...one, verdict: { requires: ['x'] } }])],
  ['expiry', (store, one) => store.receive([{ ...one, verdict: { expiresAtHeight: 4 } }])],
  ['privacy', (store, one) => store.receive([{ ...one, verdict: { propagate: false } }])],
  ['protection', (store, one) => store.receive([{ ...one, verdict: { protected: true } }])],
  ['source', (store, one) => store.receive([{ ...one, from: 'peer' }])],
  ['best', (store) => store.best()],
  ['stale', (store) => store.stale({ height: 1 })],
  ['revise', (store, { hash }) => store.revise([{ hash, version: 1, answer: {} }])],
  ['descendants', (store, { hash }) => store.drop([hash], 'failed', { descendants: true })],
  ['except', (store) => store.since({ except: 'peer' })],
  ['block-tags', (store) => store.confirm({ point: point(1), seen: [], unseen: [], provides: ['x'] })],
  ['other-limit', (store) => store.setLimits({ maxBytes: 1 })],
  ['eviction', (store) => store.setLimits({ maxTxs: 1, eviction: 'none' })],
];

const otherLimits: readonly OpenOptions[] = [
  { maxBytes: 1_000 },
  { maxTxGas: 1 },
  { maxPerSender: 1 },
  { maxParked: 1 },
  { maxProtected: 1 },
  { maxAncestors: 1 },
  { maxDescendants: 1 },
  { maxEvictions: 1 },
  { replacementBump: 1 },
  { ttlMs: 1 },
  { ttlBlocks: 1 },
  { parkedTtlMs: 1 },
  { minPriority: 1n },
  { eviction: 'none' },
];

function unlessUnsupported(error: unknown): null {
  if (!isMempoolError(error, 'ERR_MEMPOOL_UNSUPPORTED')) throw error;
  return null;
}

const ownFifoPools = eachFifo({
  'P18/refuses-limits-at-open: open refuses any limit but maxTxs for a fifo pool': async (context) => {
    for (const options of otherLimits) {
      const error = await rejection(context.openOther(options));
      assert.ok(isMempoolError(error, 'ERR_MEMPOOL_UNSUPPORTED'), Object.keys(options)[0]);
    }
  },
  'P18/full: a transaction that does not fit is full, evicts nothing and changes nothing': async (context) => {
    const pool = await openPool(context, { maxTxs: 2 });
    const [a, b] = await pool.receiveHashes(2);
    assert.ok(a && b);
    await pool.mark(a);
    const late = pool.transaction();
    const before = await pool.snapshot();
    assert.deepEqual(await pool.store.receive([late]), [{ kind: 'full', hash: late.hash }]);
    assert.deepEqual(await pool.snapshot(), before);
    await pool.block(1, { seen: [a] });
    assert.equal((await pool.store.receive([late]))[0]?.kind, 'received');
    assert.deepEqual(await pool.pending(), [b, late.hash]);
  },
});

const oneFifoPool = eachOnFifoPool({
  'P18/refuses: a fifo pool refuses fields and verbs that it does not have as unsupported, and changes nothing': async (
    pool,
    store,
  ) => {
    await pool.receive(1);
    await eachRow(
      beyond,
      ([name]) => name,
      ([, call]) => pool.unchanged(() => refuses(call(store, pool.transaction()), 'ERR_MEMPOOL_UNSUPPORTED')),
    );
  },
  'P18/says-nothing: a verdict without fields counts as no verdict': async (pool, store) => {
    const verdict = { priority: 0n, sender: '', gas: 0, provides: [], requires: [], propagate: true };
    const outcomes = await store.receive([
      { ...pool.transaction(), verdict: {} },
      { ...pool.transaction(), verdict },
    ]);
    assert.deepEqual(kindsOf(outcomes), ['received', 'received']);
  },
});

const ownPoolsArrivalCases = mustEach({
  'P18/limit-kept: maxTxs is kept or refused as unsupported, never accepted and forgotten': async (context) => {
    const store = await context.openOther({ maxTxs: 2 }).catch(unlessUnsupported);
    const later = await openPool(context);
    const limited = await later.store.setLimits({ maxTxs: 2 }).then(() => later.store, unlessUnsupported);
    for (const one of [store, limited]) {
      if (one === null) continue;
      const batch = transactions(context.random, 3);
      const kinds = kindsOf(await one.receive(batch));
      assert.deepEqual(kinds, ['received', 'received', 'full']);
    }
  },
});

const durableLimits = eachFifo({
  'P18/limit-reopened: the limit holds after the pool was opened again': async (context) => {
    const before = await openPool(context, { maxTxs: 1 });
    await before.receive(1);
    await before.store.close();
    const { store } = await openPool(context);
    assert.deepEqual(kindsOf(await store.receive([before.transaction()])), ['full']);
    assert.equal((await store.setLimits({})).maxTxs, 1);
  },
}).map(needing('durable'));

export const fifoCases: readonly ConformanceCase[] = [
  ...ownFifoPools,
  ...oneFifoPool,
  ...ownPoolsArrivalCases,
  ...durableLimits,
];

const fifoClaimOwnFifoPools = eachFifo({
  'P18/sweep-a-thousand: a sweep gives back at most a thousand, those whose claims ended first': async (context) => {
    const pool = await openTimed(context, {}, { nowMs: 5_000 });
    const batches = [0, 1].map(() => Array.from({ length: 501 }, () => pool.transaction(1)));
    for (const batch of batches) await pool.store.receive(batch);
    const hashes = hashesOf(batches.flat());
    await pool.store.take({ maxTxs: 2 }, { owner: 'o', claimMs: 90 });
    await pool.store.take({}, { owner: 'o', claimMs: 50 });
    pool.clock.nowMs += 51;
    const first = await pool.store.sweep();
    assert.deepEqual([first.returned.length, first.more], [1_000, false]);
    await pool.store.take({}, { owner: 'o', claimMs: 10 });
    pool.clock.nowMs += 100;
    const [most, rest] = [await pool.store.sweep(), await pool.store.sweep()];
    assert.deepEqual([most.returned.length, most.more, rest.more], [1_000, true, false]);
    assert.deepEqual([first.returned, rest.returned], [hashes.slice(2), hashes.slice(0, 2)]);
  },
});

export const fifoClaimCases: readonly ConformanceCase[] = [...fifoClaimOwnFifoPools];
