import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { type AnyStore, isMempoolError, type OpenOptions, type ReceiveOutcome } from 'mempool-core';
import type { CaseContext, ConformanceCase } from '../../case/case.ts';
import { eachFifo, eachRanked, mustEach, needing } from '../../case/must.ts';
import {
  block,
  eventsAfter,
  eventsOf,
  hashesOf,
  kindsOf,
  receive,
  snapshot,
  stagesOf,
  transaction,
  transactions,
} from '../../scenario/pool.ts';
import { openScene, type Scene, startMs } from '../../scenario/priority.ts';

const never = Number.POSITIVE_INFINITY;
const untilMs = startMs + 5_000;

interface Window {
  readonly store: AnyStore;
  readonly clock: { nowMs: number };
  /** Opens the pool again, with the same clock. */
  readonly again: (options?: OpenOptions) => Promise<AnyStore>;
}

/** A pool that closes at `untilMs`, with a clock that only the case moves. */
async function openWindow({ open }: CaseContext, options: OpenOptions = {}): Promise<Window> {
  const clock = { nowMs: startMs };
  const again = (others: OpenOptions = {}) => open({ now: () => clock.nowMs, ...others });
  return { store: await again({ acceptUntil: untilMs, ...options }), clock, again };
}

async function kindOf(store: AnyStore, { random }: CaseContext): Promise<ReceiveOutcome['kind'] | undefined> {
  return (await store.receive([transaction(random)]))[0]?.kind;
}

const windows = eachFifo({
  'P27/closed: from acceptUntil on a newcomer is closed, and nothing changes': async (context) => {
    const { store, clock } = await openWindow(context);
    clock.nowMs = untilMs - 1;
    assert.equal(await kindOf(store, context), 'received');
    const before = await snapshot(store);
    const late = transactions(context.random, 2);
    for (const nowMs of [untilMs, untilMs + 1, untilMs + 86_400_000]) {
      clock.nowMs = nowMs;
      const events = await eventsOf(context, store, async () => {
        assert.deepEqual(
          await store.receive(late),
          late.map(({ hash }) => ({ kind: 'closed', hash })),
        );
      });
      assert.deepEqual([events, await snapshot(store)], [[], before]);
    }
  },
  'P27/duplicates: what a closed pool has is a duplicate still, beside newcomers that are closed': async (context) => {
    const { store, clock } = await openWindow(context);
    const [waiting, flying, final] = await receive(context, store, 3);
    assert.ok(waiting && flying && final);
    await store.markInflight([flying.hash]);
    await block(store, 1, { seen: [final.hash] }, { finalizeThreshold: 1 });
    clock.nowMs = untilMs;
    const late = transaction(context.random);
    const outcomes = await store.receive([late, waiting, flying, final, late]);
    assert.deepEqual(
      outcomes.map((outcome) => [outcome.kind, outcome.hash, 'stage' in outcome ? outcome.stage : null]),
      [
        ['closed', late.hash, null],
        ['duplicate', waiting.hash, 'Pending'],
        ['duplicate', flying.hash, 'Propagated'],
        ['duplicate', final.hash, 'Finalized'],
        ['closed', late.hash, null],
      ],
    );
  },
  'P27/new-life: a closed pool begins no new life of what it dropped': async (context) => {
    const { store, clock } = await openWindow(context);
    const [one] = await receive(context, store, 1);
    assert.ok(one);
    await store.drop([one.hash], 'failed');
    clock.nowMs = untilMs;
    assert.deepEqual(await store.receive([one]), [{ kind: 'closed', hash: one.hash }]);
    assert.deepEqual(await stagesOf(store, [one.hash]), ['Dropped']);
  },
  'P27/carried: what a block carried is closed too, if it comes too late': async (context) => {
    const { store, clock } = await openWindow(context);
    const one = transaction(context.random);
    await block(store, 1, { seen: [one.hash] });
    clock.nowMs = untilMs;
    assert.deepEqual(await store.receive([one]), [{ kind: 'closed', hash: one.hash }]);
  },
  'P27/before-full: closed comes before full': async (context) => {
    const { store, clock } = await openWindow(context, { maxTxs: 0 });
    assert.equal(await kindOf(store, context), 'full');
    clock.nowMs = untilMs;
    assert.equal(await kindOf(store, context), 'closed');
  },
  'P27/repeated: a call made in time is answered as before when it is repeated too late': async (context) => {
    const { store, clock } = await openWindow(context);
    const batch = transactions(context.random, 2);
    const first = await store.receive(batch, { operationId: 'in time' });
    clock.nowMs = untilMs;
    assert.deepEqual(await store.receive(batch, { operationId: 'in time' }), first);
    assert.deepEqual(kindsOf(first), ['received', 'received']);
  },
  'P27/recorded: closed is recorded, and answered to a repeat after the pool was opened again': async (context) => {
    const { store, clock } = await openWindow(context);
    const [known] = await receive(context, store, 1);
    assert.ok(known);
    clock.nowMs = untilMs;
    const batch = [known, transaction(context.random)];
    const first = await store.receive(batch, { operationId: 'too late' });
    await store.setLimits({ acceptUntil: never });
    assert.deepEqual(await store.receive(batch, { operationId: 'too late' }), first);
    assert.deepEqual(kindsOf(first), ['duplicate', 'closed']);
    assert.deepEqual(kindsOf(await store.receive(batch)), ['duplicate', 'received']);
  },
  'P27/set: setLimits closes at once, opens again, and keeps what it does not name': async (context) => {
    const { store, clock } = await openWindow(context, { acceptUntil: never, maxTxs: 9 });
    assert.equal((await store.setLimits({})).acceptUntil, never);
    const closed = await store.setLimits({ acceptUntil: clock.nowMs });
    assert.deepEqual([closed.acceptUntil, closed.maxTxs], [clock.nowMs, 9]);
    assert.equal(await kindOf(store, context), 'closed');
    assert.equal((await store.setLimits({ acceptUntil: clock.nowMs + 1 })).acceptUntil, clock.nowMs + 1);
    assert.equal(await kindOf(store, context), 'received');
    clock.nowMs += 1;
    assert.equal((await store.setLimits({ maxTxs: 8 })).acceptUntil, clock.nowMs);
    assert.equal(await kindOf(store, context), 'closed');
  },
  'P27/opened-again: setLimits may take the time away, and a closed pool accepts for ever': async (context) => {
    const { store, clock } = await openWindow(context);
    clock.nowMs = untilMs + 1;
    assert.equal(await kindOf(store, context), 'closed');
    assert.equal((await store.setLimits({ acceptUntil: never })).acceptUntil, never);
    assert.equal(await kindOf(store, context), 'received');
  },
  'P27/set-repeated: setLimits under a known id sets no time': async (context) => {
    const { store } = await openWindow(context);
    const first = await store.setLimits({ acceptUntil: 7 }, { operationId: 'close' });
    assert.equal(first.acceptUntil, 7);
    await store.setLimits({ acceptUntil: untilMs });
    assert.deepEqual(await store.setLimits({ acceptUntil: 7 }, { operationId: 'close' }), first);
    assert.equal(await kindOf(store, context), 'received');
    await assert.rejects(
      store.setLimits({ acceptUntil: 8 }, { operationId: 'close' }),
      (error) => isMempoolError(error, 'ERR_MEMPOOL_INVALID') && error.details.field === 'operationId',
    );
  },
  'P27/work-goes-on: in a closed pool all else works: taking, returning, blocks, rollbacks, sweeps': async (
    context,
  ) => {
    const { store, clock } = await openWindow(context);
    const [a, b, c] = hashesOf(await receive(context, store, 3));
    assert.ok(a && b && c);
    clock.nowMs = untilMs;
    const { transactions: taken } = await store.take({ maxTxs: 2 }, { owner: 'o', claimMs: 1_000 });
    assert.deepEqual(hashesOf(taken), [a, b]);
    assert.deepEqual(await store.markAcknowledged([a]), [a]);
    clock.nowMs += 1_001;
    assert.deepEqual((await store.sweep()).returned, [b]);
    assert.deepEqual(await store.release([a]), [a]);
    await block(store, 1, { seen: [c] });
    await store.rollback('origin');
    assert.deepEqual(hashesOf((await store.peekPending()).transactions), [a, b, c]);
  },
  'P27/own-clock: without the option now a clock of this time closes the pool': async (context) => {
    const store = await context.open({ acceptUntil: 1 });
    assert.equal(await kindOf(store, context), 'closed');
    await store.setLimits({ acceptUntil: 4_000_000_000_000 });
    assert.equal(await kindOf(store, context), 'received');
    await store.setLimits({ acceptUntil: 0 });
    assert.equal(await kindOf(store, context), 'closed');
  },
});

/** Far more than the pool has to be open. */
const patienceMs = 2_000;

/** One after the other until one is closed out. Others have their turn between: a store in memory never waits. */
async function floods(store: AnyStore, context: CaseContext): Promise<void> {
  const end = performance.now() + patienceMs;
  while ((await kindOf(store, context)) === 'received') {
    assert.ok(performance.now() < end, 'it never closed');
    await setImmediate();
  }
}

const racing = eachFifo({
  'P27/racing: what comes in while the pool closes was received before its time, as its event tells': async (
    context,
  ) => {
    const store = await context.open();
    for (let round = 0; round < 4; round++) {
      const { lastEventSeq } = await store.usage();
      await store.setLimits({ acceptUntil: never });
      await receive(context, store, 1);
      const [first] = await eventsAfter(context, store, lastEventSeq);
      const acceptUntil = (first?.at ?? 0) + 60;
      await store.setLimits({ acceptUntil });
      await Promise.all([floods(store, context), floods(store, context), floods(store, context)]);
      const events = await eventsAfter(context, store, lastEventSeq);
      // Of thousands, the first tells as much, and a comparison of all takes gigabytes.
      assert.deepEqual(events.find(({ at }) => (at ?? 0) >= acceptUntil) ?? null, null);
    }
  },
});

const shared = eachFifo({
  'P27/nodes: the time that one node sets closes the pool for all of them': async (context) => {
    const { store, clock, again } = await openWindow(context);
    const other = await again();
    assert.equal(await kindOf(other, context), 'received');
    clock.nowMs = untilMs;
    assert.deepEqual([await kindOf(other, context), await kindOf(store, context)], ['closed', 'closed']);
    await other.setLimits({ acceptUntil: never });
    assert.equal(await kindOf(store, context), 'received');
    await again({ acceptUntil: untilMs });
    assert.deepEqual([await kindOf(other, context), await kindOf(store, context)], ['closed', 'closed']);
  },
}).map(needing('shared'));

const durable = eachFifo({
  'P27/reopened: the time outlives who opened the pool': async (context) => {
    const { store, clock, again } = await openWindow(context);
    await store.close();
    clock.nowMs = untilMs;
    const reopened = await again();
    assert.equal((await reopened.setLimits({})).acceptUntil, untilMs);
    assert.equal(await kindOf(reopened, context), 'closed');
  },
}).map(needing('durable'));

const restored = eachFifo({
  'P27/restored: a restored pool closes when the other one does': async (context) => {
    const { store, clock } = await openWindow(context);
    await receive(context, store, 1);
    const { ordering } = store;
    const copy = await context.openOther({ ordering, now: () => clock.nowMs });
    const dump = await store.dump();
    assert.deepEqual(await copy.restore(dump), { kind: 'restored' });
    assert.deepEqual((await copy.dump()).content, dump.content);
    assert.equal((await copy.setLimits({})).acceptUntil, untilMs);
    assert.equal(await kindOf(copy, context), 'received');
    clock.nowMs = untilMs;
    assert.equal(await kindOf(copy, context), 'closed');
  },
}).map(needing('restore'));

function unlessUnsupported(error: unknown): null {
  if (!isMempoolError(error, 'ERR_MEMPOOL_UNSUPPORTED')) throw error;
  return null;
}

const anywhere = mustEach({
  'P27/kept: acceptUntil is kept or refused as unsupported, never accepted and forgotten': async (context) => {
    const store = await context.openOther({ acceptUntil: 0 }).catch(unlessUnsupported);
    const later = await context.open();
    const closed = await later.setLimits({ acceptUntil: 0 }).then(() => later, unlessUnsupported);
    for (const one of [store, closed]) if (one !== null) assert.equal(await kindOf(one, context), 'closed');
  },
});

export const deadlineCases: readonly ConformanceCase[] = [
  ...windows,
  ...racing,
  ...shared,
  ...durable,
  ...restored,
  ...anywhere,
];

async function openClosing(context: CaseContext): Promise<Scene> {
  return openScene(context, { acceptUntil: untilMs, maxTxGas: 5 });
}

export const rankedDeadlineCases: readonly ConformanceCase[] = eachRanked({
  'P27/before-others: closed comes before every other refusal': async (context) => {
    const scene = await openClosing(context);
    await scene.fill({ rival: { priority: 9n, provides: ['x'] } });
    scene.clock.nowMs = untilMs;
    await scene.refuses('dear', { gas: 6 }, { kind: 'closed' });
    await scene.refuses('cheap', { priority: 1n, provides: ['x'] }, { kind: 'closed' });
  },
  'P27/peers: a closed pool notes who sent what it has': async (context) => {
    const scene = await openClosing(context);
    await scene.fill({ one: {} });
    scene.clock.nowMs = untilMs;
    assert.equal((await scene.add('one', { from: 'peer' })).kind, 'duplicate');
    assert.deepEqual((await scene.entry('one')).sources, ['peer']);
  },
  'P27/given-time: the time of a call is the earlier one that the caller gives': async (context) => {
    const scene = await openClosing(context);
    assert.equal((await scene.add('early', {}, { now: untilMs + 9_000 })).kind, 'received');
    scene.clock.nowMs = untilMs;
    assert.equal((await scene.add('known', {}, { now: untilMs - 1 })).kind, 'received');
    assert.equal((await scene.add('late', {}, { now: untilMs })).kind, 'closed');
  },
});
