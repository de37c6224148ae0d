import assert from 'node:assert/strict';
import { type AnyStore, isMempoolError, type OpenOptions } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { eachFifo, eachRanked, mustEach, mustFifo } from '../../case/must.ts';
import { eachOnFifoPool, onFifoPool, openPool, openTimed } from '../../scenario/on-pool.ts';
import { gist, hashesOf, kindsOf, type Pool, placeOf, point, transactions } from '../../scenario/pool.ts';
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

const ownPools = eachRanked({
  'P18/ordering: a pool is fifo unless priority is asked for, and says so': async (context) => {
    const stores = [await context.open(), await context.openOther({ ordering: 'priority' })];
    assert.deepEqual(
      [...stores, await context.openOther({ ordering: 'fifo' })].map(({ ordering }) => ordering),
      ['fifo', 'priority', 'fifo'],
    );
  },
});

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
  'P18/needs-no-room: a duplicate needs no room, nor does one carried by the last blocks': async (context) => {
    const pool = await openPool(context, { maxTxs: 2 });
    const [known, seen, late, more] = Array.from({ length: 4 }, () => pool.transaction());
    assert.ok(known && seen && late && more);
    await pool.store.receive([known]);
    await pool.block(1, { seen: hashesOf([seen, more]) });
    const outcomes = await pool.store.receive([late, seen, known, pool.transaction(), late]);
    assert.deepEqual(
      outcomes.map((outcome) => [outcome.kind, 'stage' in outcome && outcome.stage]),
      [
        ['received', 'Pending'],
        ['received', 'Confirmed'],
        ['duplicate', 'Pending'],
        ['full', false],
        ['duplicate', 'Pending'],
      ],
    );
    assert.deepEqual(await pool.store.receive([more]), [
      { kind: 'received', hash: more.hash, seq: 4, stage: 'Confirmed' },
    ]);
    assert.equal((await pool.store.receive([known]))[0]?.kind, 'duplicate');
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
  'P18/reap-each: each one reaped costs its overhead, each one passed over is counted': async (pool, store) => {
    const batch = [40, 10, 30, 5].map((bytes) => pool.transaction(bytes));
    await store.receive(batch);
    const [a, b] = hashesOf(batch);
    assert.deepEqual(hashesOf(await store.reap({ maxBytes: 80, overheadBytes: 20 })), [a]);
    assert.deepEqual(hashesOf(await store.reap({ maxBytes: 25, skip: 1 })), [b]);
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
  'P18/since: since gives all unconfirmed live transactions by seq': async (pool, store) => {
    const hashes = await pool.receiveHashes(5);
    await pool.mark(...hashes.slice(1, 3));
    await pool.acknowledge(...hashes.slice(2, 3));
    await pool.block(1, { seen: hashes.slice(3, 4) });
    const { items, next } = await store.since({ after: await pool.cursor('gossip', 1) });
    assert.deepEqual(
      items.map(({ hash, seq, gossipSeq }) => [hash, seq, gossipSeq]),
      [1, 2, 4].map((i) => [hashes[i], i + 1, i + 1]),
    );
    assert.equal(placeOf(next), 'g5');
    const page = await store.since({ limit: 2, hashesOnly: true });
    assert.deepEqual([hashesOf(page.items), placeOf(page.next)], [hashes.slice(0, 2), 'g2']);
    assert.ok(page.items.every(({ payload }) => payload === null));
  },
  'P18/payloads: payloads come in the order asked, null for what is not live': async (pool, store) => {
    const [a, b, gone] = await pool.receive(3);
    assert.ok(a && b && gone);
    await pool.drop(gone.hash);
    const answers = await store.payloads(hashesOf([b, gone, a]));
    assert.deepEqual(
      answers.map((answer) => answer && Buffer.from(answer.payload)),
      [Buffer.from(b.payload), null, Buffer.from(a.payload)],
    );
  },
  'P18/payloads-of-each-stage: payloads gives live ones, in flight and Confirmed too': async (pool, store) => {
    const hashes = await pool.receiveHashes(4);
    await pool.mark(...hashes.slice(1, 3));
    await pool.acknowledge(...hashes.slice(2, 3));
    await pool.block(1, { seen: hashes.slice(3) });
    const answers = await store.payloads(hashes);
    assert.deepEqual(
      answers.map((answer) => answer?.hash),
      hashes,
    );
  },
  'P18/nothing-parked: nothing is ever parked': async (pool, store) => {
    await pool.receive(2);
    assert.deepEqual((await store.peekParked()).transactions, []);
    assert.equal(await store.hasPending(), true);
  },
  'P18/flush: flush drops what is Pending and nothing else': async (pool, store) => {
    const hashes = await pool.receiveHashes(3);
    await pool.mark(...hashes.slice(0, 1));
    assert.equal(await store.flush(), 2);
    assert.deepEqual(await pool.stages(...hashes), ['Propagated', 'Dropped', 'Dropped']);
    assert.equal((await store.checkStatus(hashes.slice(1)))[0]?.reason, 'flushed');
  },
  'P18/no-limit: without a limit a fifo pool takes all': async ({ store }) => {
    assert.equal((await store.setLimits({})).maxTxs, Number.POSITIVE_INFINITY);
  },
  'P18/set-limit: setLimits sets maxTxs for later receives, and drops nothing': async (pool, store) => {
    await pool.receive(3);
    assert.equal((await store.setLimits({ maxTxs: 2 })).maxTxs, 2);
    const late = pool.transaction();
    assert.equal((await store.receive([late]))[0]?.kind, 'full');
    assert.deepEqual((await store.sweep()).evicted, []);
    assert.equal((await store.usage()).pending, 3);
    await store.setLimits({ maxTxs: Number.POSITIVE_INFINITY });
    assert.equal((await store.receive([late]))[0]?.kind, 'received');
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
  ...ownPools,
  ...ownFifoPools,
  ...oneFifoPool,
  ...ownPoolsArrivalCases,
];

type Ending = (pool: Pool, one: Submission) => Promise<unknown>;

/** Calls that end the claim on a transaction before its time. */
const endings: readonly (readonly [id: string, title: string, end: Ending])[] = [
  ['acknowledged', 'acknowledging', (pool, { hash }) => pool.acknowledge(hash)],
  ['released', 'releasing', (pool, { hash }) => pool.release(hash)],
  [
    'dropped',
    'dropping',
    async (pool, one) => {
      await pool.drop(one.hash);
      await pool.store.receive([one]);
    },
  ],
  [
    'confirmed',
    'a block with it',
    async (pool, { hash }) => {
      await pool.block(1, { seen: [hash] });
      await pool.store.rollback('origin');
    },
  ],
  ['taken-back', 'a block that takes it back', (pool, { hash }) => pool.block(1, { unseen: [hash] })],
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
  'P18/take: take marks the oldest in flight under a claim, whose end gives them back': async (context) => {
    const pool = await openTimed(context, {}, { nowMs: 5_000 });
    const hashes = await pool.receiveHashes(4);
    const lot = await pool.store.take({ maxTxs: 3 }, { owner: 'o', claimMs: 100, operationId: 'op' });
    assert.deepEqual([lot.claimId, lot.owner, lot.untilMs], ['op', 'o', 5_100]);
    assert.deepEqual(hashesOf(lot.transactions), hashes.slice(0, 3));
    await pool.acknowledge(...hashes.slice(0, 1));
    pool.clock.nowMs = 5_100;
    assert.deepEqual((await pool.store.sweep()).returned, []);
    pool.clock.nowMs = 5_101;
    assert.deepEqual(await pool.store.sweep(), {
      returned: hashes.slice(1, 3),
      woken: [],
      expired: [],
      evicted: [],
      more: false,
    });
    assert.deepEqual(await pool.stages(...hashes), ['Acknowledged', 'Pending', 'Pending', 'Pending']);
  },
  'P18/nothing-taken: a take that found nothing is recorded: its repeat takes nothing': async (context) => {
    const pool = await openPool(context, { now: () => 5_000 });
    const options = { owner: 'o', claimMs: 60_000, operationId: 'op' };
    const first = await pool.store.take({}, options);
    const hashes = await pool.receiveHashes(1);
    assert.deepEqual([await pool.store.take({}, options), await pool.stages(...hashes)], [first, ['Pending']]);
  },
  'P18/by-end: taken transactions go back in the order of the claims’ ends, then by seq': async (context) => {
    const pool = await openTimed(context, {}, { nowMs: 5_000 });
    const hashes = await pool.receiveHashes(6);
    for (const claimMs of [90, 50, 70]) await pool.store.take({ maxTxs: 2 }, { owner: 'o', claimMs });
    pool.clock.nowMs += 91;
    const events = await pool.eventsOf(async () => {
      assert.deepEqual(
        (await pool.store.sweep()).returned,
        [2, 3, 4, 5, 0, 1].map((i) => hashes[i]),
      );
    });
    assert.deepEqual(
      events.map(gist),
      hashes.map((hash) => `Pending ${hash}`),
    );
  },
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
  'P18/sweep-repeated: a repeated sweep returns its first outcome, and does nothing more': async (context) => {
    const pool = await openTimed(context, {}, { nowMs: 5_000 });
    const hashes = await pool.receiveHashes(2);
    await pool.store.take({ maxTxs: 1 }, { owner: 'o', claimMs: 50 });
    pool.clock.nowMs += 51;
    const first = await pool.store.sweep({ operationId: 'sweep' });
    assert.deepEqual(first.returned, hashes.slice(0, 1));
    await pool.store.take({}, { owner: 'o', claimMs: 50 });
    pool.clock.nowMs += 51;
    assert.deepEqual(await pool.store.sweep({ operationId: 'sweep' }), first);
    assert.deepEqual(await pool.stages(...hashes), ['Propagated', 'Propagated']);
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
