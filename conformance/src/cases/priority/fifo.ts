import assert from 'node:assert/strict';
import { type AnyStore, isMempoolError, type OpenOptions } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { eachFifo, mustEach, mustFifo } from '../../case/must.ts';
import { eachOnFifoPool, onFifoPool, openPool, openTimed } from '../../scenario/on-pool.ts';
import { hashesOf, kindsOf, type Pool, point, transactions } from '../../scenario/pool.ts';
import type { Submission } from '../../scenario/priority.ts';
import { refuses, rejection } from '../../scenario/verb-call.ts';

/** Calls that a fifo pool refuses: it keeps no such fields, or does not have the feature. */
const beyond: readonly (readonly [string, (store: AnyStore, one: Submission) => Promise<unknown>])[] = [
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

function refused([name, call]: (typeof beyond)[number]): ConformanceCase {
  const title = `a fifo pool refuses ${name} as unsupported, and changes nothing`;
  return onFifoPool(`P18/refuses-${name}`, title, async (pool, store) => {
    await pool.receive(1);
    await pool.unchanged(() => refuses(call(store, pool.transaction()), 'ERR_MEMPOOL_UNSUPPORTED'));
  });
}

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
  'P18/takes-room: an Acknowledged one takes room, and a Dropped one received again needs room': async (context) => {
    const pool = await openPool(context, { maxTxs: 2 });
    const [a, b, late] = Array.from({ length: 3 }, () => pool.transaction());
    assert.ok(a && b && late);
    await pool.store.receive([a, b]);
    await pool.mark(a.hash);
    await pool.acknowledge(a.hash);
    assert.deepEqual(await pool.store.receive([late]), [{ kind: 'full', hash: late.hash }]);
    await pool.drop(b.hash);
    assert.equal((await pool.store.receive([late]))[0]?.kind, 'received');
    assert.deepEqual(await pool.store.receive([b]), [{ kind: 'full', hash: b.hash }]);
  },
});

const oneFifoPool = eachOnFifoPool({
  'P18/says-nothing: a verdict without fields counts as no verdict': async (pool, store) => {
    const verdict = { priority: 0n, sender: '', gas: 0, provides: [], requires: [], propagate: true };
    const outcomes = await store.receive([
      { ...pool.transaction(), verdict: {} },
      { ...pool.transaction(), verdict },
    ]);
    assert.deepEqual(kindsOf(outcomes), ['received', 'received']);
  },
  'P18/reap: reap gives what fits in fifo order, and changes nothing': async (pool, store) => {
    const batch = [40, 10, 30, 5].map((bytes) => pool.transaction(bytes));
    await store.receive(batch);
    const [a, b, c, d] = hashesOf(batch);
    const before = await pool.snapshot();
    assert.deepEqual(hashesOf(await store.reap()), [a, b, c, d]);
    assert.deepEqual(hashesOf(await store.reap({ maxBytes: 50 })), [a, b]);
    assert.deepEqual(hashesOf(await store.reap({ maxBytes: 61, overheadBytes: 5 })), [a, b]);
    assert.deepEqual(hashesOf(await store.reap({ maxBytes: 35, skip: 2 })), [b, d]);
    assert.deepEqual(hashesOf(await store.reap({ maxTxs: 3 })), [a, b, c]);
    assert.deepEqual(await store.reap({ maxTxs: 1, maxGas: 0 }), [
      { hash: a, seq: 1, bytes: 40, gas: 0, priority: 0n },
    ]);
    assert.deepEqual(await pool.snapshot(), before);
  },
  'P18/flush-repeated: a repeated flush returns its first outcome, and does nothing more': async (pool, store) => {
    await pool.receive(2);
    assert.equal(await store.flush({ operationId: 'flush' }), 2);
    const [late] = await pool.receiveHashes(1);
    assert.ok(late);
    assert.equal(await store.flush({ operationId: 'flush' }), 2);
    assert.deepEqual(await pool.stages(late), ['Pending']);
  },
  'P18/other-claim: an id of a take is refused with another budget, owner or time': async (pool, store) => {
    await pool.receive(4);
    const options = { owner: 'o', claimMs: 60_000, operationId: 'op' };
    const first = await store.take({ maxTxs: 2 }, options);
    const before = await pool.snapshot();
    for (const [maxTxs, other] of [
      [1, {}],
      [2, { owner: 'p' }],
      [2, { claimMs: 1 }],
    ] as const) {
      await refuses(store.take({ maxTxs }, { ...options, ...other }), 'ERR_MEMPOOL_INVALID', { field: 'operationId' });
    }
    assert.deepEqual([await store.take({ maxTxs: 2 }, options), await pool.snapshot()], [first, before]);
  },
  'P18/set-limits-repeated: a repeated setLimits returns its first outcome, and sets nothing': async ({ store }) => {
    const first = await store.setLimits({ maxTxs: 1 }, { operationId: 'limits' });
    await store.setLimits({ maxTxs: 5 });
    assert.deepEqual(await store.setLimits({ maxTxs: 1 }, { operationId: 'limits' }), first);
    assert.equal((await store.setLimits({})).maxTxs, 5);
  },
  'P18/nothing-parked: nothing is ever parked': async (pool, store) => {
    await pool.receive(2);
    assert.deepEqual((await store.peekParked()).transactions, []);
    assert.equal(await store.hasPending(), true);
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

export const fifoCases: readonly ConformanceCase[] = [
  ...beyond.map(refused),
  ...ownFifoPools,
  ...oneFifoPool,
  ...ownPoolsArrivalCases,
];

type Ending = (pool: Pool, one: Submission) => Promise<unknown>;

/** Calls that end the claim on a transaction before its time. */
const endings: readonly (readonly [id: string, title: string, end: Ending])[] = [
  [
    'confirmed',
    'a block with it',
    async (pool, { hash }) => {
      await pool.block(1, { seen: [hash] });
      await pool.store.rollback('origin');
    },
  ],
];

/** After that, a transaction marked in flight by its hash is under no claim. */
function ends([id, title, end]: (typeof endings)[number]): ConformanceCase {
  return mustFifo(`P18/lease-ended-when-${id}`, `${title} ends the claim`, async (context) => {
    const pool = await openTimed(context, {}, { nowMs: 5_000 });
    const [one, other] = await pool.receive(2);
    assert.ok(one && other);
    const options = { owner: 'o', claimMs: 50, operationId: 'op' };
    await pool.store.take({}, options);
    await end(pool, one);
    await pool.mark(one.hash);
    const stages = await pool.stages(one.hash);
    assert.deepEqual(hashesOf((await pool.store.take({}, options)).transactions), [other.hash]);
    pool.clock.nowMs += 51;
    assert.deepEqual((await pool.store.sweep()).returned, [other.hash]);
    assert.deepEqual(await pool.stages(one.hash), stages);
  });
}

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

const fifoClaimOneFifoPool = eachOnFifoPool({
  'P18/take-repeated: a repeated take gives what is still claimed, and takes nothing more': async (pool, store) => {
    const hashes = await pool.receiveHashes(4);
    const options = { owner: 'o', claimMs: 60_000, operationId: 'op' };
    const first = await store.take({ maxTxs: 3 }, options);
    assert.deepEqual(await store.take({ maxTxs: 3 }, options), first);
    await pool.release(...hashes.slice(1, 2));
    assert.deepEqual(hashesOf((await store.take({ maxTxs: 3 }, options)).transactions), [hashes[0], hashes[2]]);
    assert.deepEqual(await pool.stages(...hashes.slice(1)), ['Pending', 'Propagated', 'Pending']);
  },
});

export const fifoClaimCases: readonly ConformanceCase[] = [
  ...endings.map(ends),
  ...fifoClaimOwnFifoPools,
  ...fifoClaimOneFifoPool,
];
