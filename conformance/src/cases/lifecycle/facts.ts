import assert from 'node:assert/strict';
import { type AnyStore, isDamaged, type LifeFacts, type OpenOptions } from 'mempool-core';
import type { CaseContext, ConformanceCase } from '../../case/case.ts';
import { eachFifo, flyingStages, mustEach, needing } from '../../case/must.ts';
import {
  block,
  eventsAfter,
  eventsOf,
  finalizeIn,
  flyEach,
  hashesOf,
  logEntries,
  point,
  propagateOne,
  receive,
  receiveOne,
  stagesOf,
  statusOf,
  transaction,
} from '../../scenario/pool.ts';

const startMs = 1_780_000_000_000;
const ttlMs = 1_000;
const dayMs = 86_400_000;

interface Timed {
  readonly store: AnyStore;
  readonly clock: { nowMs: number };
  /** Opens the pool again, with the same clock. */
  readonly reopen: () => Promise<AnyStore>;
}

async function openTimed({ open }: CaseContext, options: OpenOptions = {}): Promise<Timed> {
  const clock = { nowMs: startMs };
  const reopen = () => open({ now: () => clock.nowMs, ...options });
  return { store: await reopen(), clock, reopen };
}

const openShort = (context: CaseContext): Promise<Timed> => openTimed(context, { inflightTtlMs: ttlMs });

type Facts = readonly [receivedAt: number | null, attempts: number];

const factsIn = ({ receivedAt, attempts }: LifeFacts): Facts => [receivedAt, attempts];

async function factsOf(store: AnyStore, hash: string): Promise<Facts> {
  return factsIn(await statusOf(store, hash));
}

async function toldFacts(context: CaseContext, store: AnyStore): Promise<Facts[]> {
  return (await eventsAfter(context, store)).flatMap((event) => (event.kind === 'transaction' ? [factsIn(event)] : []));
}

/** What one sweep drops. */
async function swept(store: AnyStore): Promise<readonly string[]> {
  return (await store.sweep()).expired;
}

const facts = mustEach({
  'O8/everywhere: status, pages, log and events tell when it was received and how often it went out': async (
    context,
  ) => {
    const { store, clock } = await openTimed(context);
    const hash = await receiveOne(context, store);
    clock.nowMs += 300;
    const [waiting] = (await store.peekPending()).transactions;
    await store.markInflight([hash]);
    const [flying] = (await store.peekInflight()).transactions;
    assert.deepEqual(
      [waiting, flying].map((one) => one && factsIn(one)),
      [
        [startMs, 0],
        [startMs, 1],
      ],
    );
    assert.deepEqual(await factsOf(store, hash), [startMs, 1]);
    clock.nowMs += 300;
    await store.drop([hash], 'failed');
    assert.deepEqual(await factsOf(store, hash), [startMs, 1]);
    assert.deepEqual((await logEntries(store)).map(factsIn), [[startMs, 1]]);
    assert.deepEqual(await toldFacts(context, store), [
      [startMs, 0],
      [startMs, 1],
      [startMs, 1],
    ]);
  },
  'E5/clock-at-nought: with a clock at 0 a call has the time 1, and what it received keeps that': async (context) => {
    const { store, clock } = await openTimed(context);
    clock.nowMs = 0;
    const hash = await receiveOne(context, store);
    clock.nowMs = 500;
    await store.markInflight([hash]);
    const events = await eventsAfter(context, store);
    assert.deepEqual(
      events.map(({ at }) => at),
      [1, 500],
    );
    assert.deepEqual(await toldFacts(context, store), [
      [1, 0],
      [1, 1],
    ]);
    assert.deepEqual(await factsOf(store, hash), [1, 1]);
  },
  'O8/found: a look-up in flight tells them too': async (context) => {
    const { store, clock } = await openTimed(context);
    const hash = await receiveOne(context, store);
    clock.nowMs += 300;
    await store.markInflight([hash]);
    const [found] = await store.findInflight([hash]);
    assert.ok(found && 'attempts' in found);
    assert.deepEqual(factsIn(found), [startMs, 1]);
  },
  'O4/ended: the at of an entry is that of the event of its end': async (context) => {
    const { store, clock } = await openTimed(context);
    const [dropped = '', final = ''] = hashesOf(await receive(context, store, 2));
    clock.nowMs += 300;
    await store.drop([dropped], 'failed');
    clock.nowMs += 300;
    await finalizeIn(store, 1, [final]);
    clock.nowMs += 300;
    assert.deepEqual(
      (await logEntries(store)).map(({ at }) => at),
      [startMs + 300, startMs + 600],
    );
  },
  'O8/attempts: each markInflight counts, and nothing else does': async (context) => {
    const { store } = await openTimed(context);
    const hash = await propagateOne(context, store);
    await store.markInflight([hash]);
    await store.release([hash]);
    await store.markInflight([hash]);
    await store.markAcknowledged([hash]);
    await block(store, 1, { unseen: [hash] });
    assert.deepEqual(await factsOf(store, hash), [startMs, 2]);
    const told = [0, 1, 1, 2, 2, 2].map((attempts) => [startMs, attempts]);
    assert.deepEqual(await toldFacts(context, store), told);
  },
  'O8/on-the-chain: blocks and rollbacks leave both as they are': async (context) => {
    const { store, clock } = await openTimed(context);
    const hash = await propagateOne(context, store);
    const steps = [
      () => block(store, 1, { seen: [hash] }),
      () => store.rollback('origin'),
      () => finalizeIn(store, 1, [hash]),
      () => store.rollback('origin'),
    ];
    for (const step of steps) {
      clock.nowMs += 300;
      await step();
      assert.deepEqual(await factsOf(store, hash), [startMs, 1]);
    }
    assert.deepEqual((await logEntries(store)).map(factsIn), [[startMs, 1]]);
    await store.drop([hash], 'failed');
    await block(store, 1, { seen: [hash] });
    assert.deepEqual(await factsOf(store, hash), [startMs, 1]);
  },
  'O8/new-life: a new life is received at its own time, and begins without attempts': async (context) => {
    const { store, clock } = await openTimed(context);
    const one = transaction(context.random);
    await store.receive([one]);
    await store.markInflight([one.hash]);
    await store.drop([one.hash], 'failed');
    clock.nowMs += 300;
    await store.receive([one]);
    assert.deepEqual(await factsOf(store, one.hash), [startMs + 300, 0]);
    await store.markInflight([one.hash]);
    assert.deepEqual(await factsOf(store, one.hash), [startMs + 300, 1]);
    await store.drop([one.hash], 'failed');
    assert.deepEqual((await logEntries(store)).map(factsIn), [
      [startMs, 1],
      [startMs + 300, 1],
    ]);
  },
});

const durableFacts = mustEach({
  'O8/kept: both outlive the process': async (context) => {
    const { store, clock, reopen } = await openTimed(context);
    const [live = '', final = ''] = hashesOf(await receive(context, store, 2));
    await store.markInflight([live, final]);
    await store.release([live]);
    await finalizeIn(store, 1, [final]);
    clock.nowMs += 300;
    await store.close();
    const again = await reopen();
    await again.markInflight([live]);
    assert.deepEqual(
      [await factsOf(again, live), await factsOf(again, final)],
      [
        [startMs, 2],
        [startMs, 1],
      ],
    );
  },
}).map(needing('durable'));

const taking = eachFifo({
  'O8/taken: a take counts, and the end of its claim leaves what it counted': async (context) => {
    const { store, clock } = await openTimed(context);
    const hash = await receiveOne(context, store);
    await store.take({}, { owner: 'taker', claimMs: 50 });
    assert.deepEqual(await factsOf(store, hash), [startMs, 1]);
    clock.nowMs += 51;
    await store.sweep();
    assert.deepEqual(await factsOf(store, hash), [startMs, 1]);
    await store.take({}, { owner: 'taker', claimMs: 50 });
    assert.deepEqual(await factsOf(store, hash), [startMs, 2]);
  },
  'O8/in-the-claim: a take, with payloads or without, and its repeat tell both of what they give out': async (
    context,
  ) => {
    const { store, clock } = await openTimed(context);
    await receiveOne(context, store);
    clock.nowMs += 300;
    const factsTaken = async (options: { readonly payloads?: true; readonly operationId: string }) => {
      const taken = { owner: 'taker', claimMs: 50, ...options };
      const { transactions } = await (taken.payloads
        ? store.take({}, { ...taken, payloads: true })
        : store.take({}, { ...taken, payloads: false }));
      return transactions.map((one) => !isDamaged(one) && factsIn(one));
    };
    assert.deepEqual(await factsTaken({ operationId: 'first' }), [[startMs, 1]]);
    assert.deepEqual(await factsTaken({ operationId: 'first' }), [[startMs, 1]]);
    clock.nowMs += 51;
    await store.sweep();
    assert.deepEqual(await factsTaken({ operationId: 'second', payloads: true }), [[startMs, 2]]);
    assert.deepEqual(await factsTaken({ operationId: 'second', payloads: true }), [[startMs, 2]]);
  },
});

/** Cases of O8, and of O4 about times. */
export const factCases: readonly ConformanceCase[] = [...facts, ...durableFacts, ...taking];

const overdue = eachFifo({
  'L14/time: a sweep drops what went out longer ago than that, no sooner': async (context) => {
    const { store, clock } = await openShort(context);
    const hashes = await flyEach(context, store);
    clock.nowMs += ttlMs;
    assert.deepEqual(await swept(store), []);
    clock.nowMs += 1;
    await receiveOne(context, store);
    await block(store, 1);
    assert.deepEqual(await stagesOf(store, hashes), flyingStages);
    const made = await eventsOf(context, store, async () => assert.deepEqual(await swept(store), hashes));
    const told = made.map((event) => event.kind === 'transaction' && [event.stage, event.reason, event.cause]);
    assert.deepEqual(told, Array(2).fill(['Dropped', 'stale', 'expired']));
    assert.deepEqual(
      (await logEntries(store)).map(({ reason }) => reason),
      ['stale', 'stale'],
    );
  },
  'L14/fraction: a clock with fractions counts in whole milliseconds': async (context) => {
    const { store, clock } = await openShort(context);
    const hash = await propagateOne(context, store);
    clock.nowMs += ttlMs + 0.5;
    assert.deepEqual(await swept(store), []);
    clock.nowMs += 0.5;
    assert.deepEqual(await swept(store), [hash]);
  },
  'L14/others: what is Pending or Confirmed stays': async (context) => {
    const { store, clock } = await openShort(context);
    await receiveOne(context, store);
    const released = await propagateOne(context, store);
    const confirmed = await propagateOne(context, store);
    await store.release([released]);
    await block(store, 1, { seen: [confirmed] });
    clock.nowMs += dayMs;
    assert.deepEqual(await swept(store), []);
    const { pending, confirmed: onChain, oldestInflight } = await store.usage();
    assert.deepEqual([pending, onChain, oldestInflight], [2, 1, null]);
  },
  'L14/last: the time counts from the last going out, whatever was acknowledged since': async (context) => {
    const { store, clock } = await openShort(context);
    const hash = await propagateOne(context, store);
    clock.nowMs += 600;
    await store.release([hash]);
    await store.markInflight([hash]);
    clock.nowMs += 600;
    await store.markAcknowledged([hash]);
    assert.deepEqual(await swept(store), []);
    clock.nowMs += 401;
    assert.deepEqual(await swept(store), [hash]);
  },
  'L14/order: the earliest goes first, then the lowest seq; usage names it': async (context) => {
    const { store, clock } = await openShort(context);
    const [a = '', b = '', c = ''] = hashesOf(await receive(context, store, 3));
    await store.markInflight([c]);
    clock.nowMs += 1;
    await store.markInflight([b, a]);
    assert.deepEqual((await store.usage()).oldestInflight, { hash: c, sentAt: startMs });
    await store.release([c]);
    assert.deepEqual((await store.usage()).oldestInflight, { hash: a, sentAt: startMs + 1 });
    await store.markInflight([c]);
    clock.nowMs += 1;
    await store.release([b]);
    await store.markInflight([b]);
    clock.nowMs += dayMs;
    assert.deepEqual(await swept(store), [a, c, b]);
  },
  'L14/same-time: of those that went out at one time the lowest seq goes first, whatever blocks came between': async (
    context,
  ) => {
    const { store } = await openShort(context);
    const [a = '', b = ''] = hashesOf(await receive(context, store, 2));
    await store.markInflight([b]);
    await block(store, 1);
    await store.markInflight([a]);
    assert.deepEqual((await store.usage()).oldestInflight, { hash: a, sentAt: startMs });
  },
  'L14/never: Infinity drops nothing': async (context) => {
    const { store, clock } = await openTimed(context, { inflightTtlMs: Number.POSITIVE_INFINITY });
    const hash = await propagateOne(context, store);
    clock.nowMs += 10_000 * dayMs;
    assert.deepEqual(await swept(store), []);
    assert.deepEqual((await store.usage()).oldestInflight, { hash, sentAt: startMs });
  },
  'L14/a-day: the default is a day': async (context) => {
    const { store, clock } = await openTimed(context);
    const hash = await propagateOne(context, store);
    clock.nowMs += dayMs;
    assert.deepEqual(await swept(store), []);
    clock.nowMs += 1;
    assert.deepEqual(await swept(store), [hash]);
  },
  'L14/claimed: a claim does not keep it, but the sweep that ends the claim returns it': async (context) => {
    const { store, clock } = await openShort(context);
    const [short = '', long = ''] = hashesOf(await receive(context, store, 2));
    await store.take({ maxTxs: 1 }, { owner: 'taker', claimMs: 10 });
    await store.take({ maxTxs: 1 }, { owner: 'taker', claimMs: 2 * ttlMs });
    clock.nowMs += ttlMs + 1;
    const { returned, expired } = await store.sweep();
    assert.deepEqual([returned, expired], [[short], [long]]);
    assert.deepEqual(await stagesOf(store, [short, long]), ['Pending', 'Dropped']);
  },
  'L14/undone: a rollback to Pending forgets when it went out': async (context) => {
    const { store, clock } = await openShort(context);
    const hash = await propagateOne(context, store);
    await block(store, 1);
    await block(store, 2, { seen: [hash] });
    await store.rollback(point(1));
    clock.nowMs += ttlMs + 1;
    await store.markInflight([hash]);
    assert.deepEqual(await swept(store), []);
    assert.deepEqual((await store.usage()).oldestInflight, { hash, sentAt: clock.nowMs });
  },
});

const durableOverdue = eachFifo({
  'L14/kept: the time goes on over reopening': async (context) => {
    const { store, clock, reopen } = await openShort(context);
    const hashes = await flyEach(context, store);
    await store.close();
    clock.nowMs += ttlMs;
    const again = await reopen();
    assert.deepEqual(await swept(again), []);
    clock.nowMs += 1;
    assert.deepEqual(await swept(again), hashes);
  },
}).map(needing('durable'));

/** Cases of L14. */
export const overdueCases: readonly ConformanceCase[] = [...overdue, ...durableOverdue];
