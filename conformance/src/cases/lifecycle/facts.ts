import assert from 'node:assert/strict';
import type { AnyStore, LifeFacts } from 'mempool-core';
import type { CaseContext, ConformanceCase } from '../../case/case.ts';
import { eachFifo, flyingStages, mustEach, needing } from '../../case/must.ts';
import { openTimed, startMs, type TimedPool } from '../../scenario/on-pool.ts';
import type { Pool } from '../../scenario/pool.ts';

const ttlMs = 1_000;
const dayMs = 86_400_000;

const openShort = (context: CaseContext): Promise<TimedPool> => openTimed(context, { inflightTtlMs: ttlMs });

type Facts = readonly [receivedAt: number | null, attempts: number];

const factsIn = ({ receivedAt, attempts }: LifeFacts): Facts => [receivedAt, attempts];

async function factsOf(pool: Pool, hash: string): Promise<Facts> {
  return factsIn(await pool.status(hash));
}

async function toldFacts(pool: Pool): Promise<Facts[]> {
  return (await pool.events()).flatMap((event) => (event.kind === 'transaction' ? [factsIn(event)] : []));
}

/** What one sweep drops. */
async function swept(store: AnyStore): Promise<readonly string[]> {
  return (await store.sweep()).expired;
}

const facts = mustEach({
  'O8/everywhere: status, pages, log and events tell when it was received and how often it went out': async (
    context,
  ) => {
    const pool = await openTimed(context);
    const hash = await pool.receiveOne();
    pool.clock.nowMs += 300;
    const [waiting] = (await pool.store.peekPending()).transactions;
    await pool.mark(hash);
    const [flying] = (await pool.store.peekInflight()).transactions;
    assert.deepEqual(
      [waiting, flying].map((one) => one && factsIn(one)),
      [
        [startMs, 0],
        [startMs, 1],
      ],
    );
    assert.deepEqual(await factsOf(pool, hash), [startMs, 1]);
    pool.clock.nowMs += 300;
    await pool.drop(hash);
    assert.deepEqual(await factsOf(pool, hash), [startMs, 1]);
    assert.deepEqual((await pool.logEntries()).map(factsIn), [[startMs, 1]]);
    assert.deepEqual(await toldFacts(pool), [
      [startMs, 0],
      [startMs, 1],
      [startMs, 1],
    ]);
  },
  'E5/clock-at-nought: with a clock at 0 a call has the time 1, and what it received keeps that': async (context) => {
    const pool = await openTimed(context);
    pool.clock.nowMs = 0;
    const hash = await pool.receiveOne();
    pool.clock.nowMs = 500;
    await pool.mark(hash);
    const events = await pool.events();
    assert.deepEqual(
      events.map(({ at }) => at),
      [1, 500],
    );
    assert.deepEqual(await toldFacts(pool), [
      [1, 0],
      [1, 1],
    ]);
    assert.deepEqual(await factsOf(pool, hash), [1, 1]);
  },
  'O8/found: a look-up in flight tells them too': async (context) => {
    const pool = await openTimed(context);
    const hash = await pool.receiveOne();
    pool.clock.nowMs += 300;
    await pool.mark(hash);
    const [found] = await pool.store.findInflight([hash]);
    assert.ok(found && 'attempts' in found);
    assert.deepEqual(factsIn(found), [startMs, 1]);
  },
  'O4/ended: the at of an entry is that of the event of its end': async (context) => {
    const pool = await openTimed(context);
    const [dropped = '', final = ''] = await pool.receiveHashes(2);
    pool.clock.nowMs += 300;
    await pool.drop(dropped);
    pool.clock.nowMs += 300;
    await pool.finalizeIn(1, final);
    pool.clock.nowMs += 300;
    assert.deepEqual(
      (await pool.logEntries()).map(({ at }) => at),
      [startMs + 300, startMs + 600],
    );
  },
  'O8/attempts: each markInflight counts, and nothing else does': async (context) => {
    const pool = await openTimed(context);
    const hash = await pool.propagateOne();
    await pool.mark(hash);
    await pool.release(hash);
    await pool.mark(hash);
    await pool.acknowledge(hash);
    await pool.block(1, { unseen: [hash] });
    assert.deepEqual(await factsOf(pool, hash), [startMs, 2]);
    const told = [0, 1, 1, 2, 2, 2].map((attempts) => [startMs, attempts]);
    assert.deepEqual(await toldFacts(pool), told);
  },
  'O8/on-the-chain: blocks and rollbacks leave both as they are': async (context) => {
    const pool = await openTimed(context);
    const hash = await pool.propagateOne();
    const steps = [
      () => pool.block(1, { seen: [hash] }),
      () => pool.store.rollback('origin'),
      () => pool.finalizeIn(1, hash),
      () => pool.store.rollback('origin'),
    ];
    for (const step of steps) {
      pool.clock.nowMs += 300;
      await step();
      assert.deepEqual(await factsOf(pool, hash), [startMs, 1]);
    }
    assert.deepEqual((await pool.logEntries()).map(factsIn), [[startMs, 1]]);
    await pool.drop(hash);
    await pool.block(1, { seen: [hash] });
    assert.deepEqual(await factsOf(pool, hash), [startMs, 1]);
  },
  'O8/new-life: a new life is received at its own time, and begins without attempts': async (context) => {
    const pool = await openTimed(context);
    const one = pool.transaction();
    await pool.store.receive([one]);
    await pool.mark(one.hash);
    await pool.drop(one.hash);
    pool.clock.nowMs += 300;
    await pool.store.receive([one]);
    assert.deepEqual(await factsOf(pool, one.hash), [startMs + 300, 0]);
    await pool.mark(one.hash);
    assert.deepEqual(await factsOf(pool, one.hash), [startMs + 300, 1]);
    await pool.drop(one.hash);
    assert.deepEqual((await pool.logEntries()).map(factsIn), [
      [startMs, 1],
      [startMs + 300, 1],
    ]);
  },
});

const durableFacts = mustEach({
  'O8/kept: both outlive the process': async (context) => {
    const pool = await openTimed(context);
    const [live = '', final = ''] = await pool.receiveHashes(2);
    await pool.mark(live, final);
    await pool.release(live);
    await pool.finalizeIn(1, final);
    pool.clock.nowMs += 300;
    await pool.store.close();
    const again = await pool.another();
    await again.mark(live);
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
    const pool = await openTimed(context);
    const hash = await pool.receiveOne();
    await pool.store.take({}, { owner: 'taker', claimMs: 50 });
    assert.deepEqual(await factsOf(pool, hash), [startMs, 1]);
    pool.clock.nowMs += 51;
    await pool.store.sweep();
    assert.deepEqual(await factsOf(pool, hash), [startMs, 1]);
    await pool.store.take({}, { owner: 'taker', claimMs: 50 });
    assert.deepEqual(await factsOf(pool, hash), [startMs, 2]);
  },
  'O8/in-the-claim: a take, with payloads or without, and its repeat tell both of what they give out': async (
    context,
  ) => {
    const pool = await openTimed(context);
    await pool.receiveOne();
    pool.clock.nowMs += 300;
    const factsTaken = async (options: { readonly payloads?: true; readonly operationId: string }) => {
      const taken = { owner: 'taker', claimMs: 50, ...options };
      const { transactions } = await (taken.payloads
        ? pool.store.take({}, { ...taken, payloads: true })
        : pool.store.take({}, { ...taken, payloads: false }));
      return transactions.map(factsIn);
    };
    assert.deepEqual(await factsTaken({ operationId: 'first' }), [[startMs, 1]]);
    assert.deepEqual(await factsTaken({ operationId: 'first' }), [[startMs, 1]]);
    pool.clock.nowMs += 51;
    await pool.store.sweep();
    assert.deepEqual(await factsTaken({ operationId: 'second', payloads: true }), [[startMs, 2]]);
    assert.deepEqual(await factsTaken({ operationId: 'second', payloads: true }), [[startMs, 2]]);
  },
});

/** Cases of O8, and of O4 about times. */
export const factCases: readonly ConformanceCase[] = [...facts, ...durableFacts, ...taking];

const overdue = eachFifo({
  'L14/time: a sweep drops what went out longer ago than that, no sooner': async (context) => {
    const pool = await openShort(context);
    const hashes = await pool.flyEach();
    pool.clock.nowMs += ttlMs;
    assert.deepEqual(await swept(pool.store), []);
    pool.clock.nowMs += 1;
    await pool.receiveOne();
    await pool.block(1);
    assert.deepEqual(await pool.stages(...hashes), flyingStages);
    const made = await pool.eventsOf(async () => assert.deepEqual(await swept(pool.store), hashes));
    const told = made.map((event) => event.kind === 'transaction' && [event.stage, event.reason, event.cause]);
    assert.deepEqual(told, Array(2).fill(['Dropped', 'stale', 'expired']));
    assert.deepEqual(
      (await pool.logEntries()).map(({ reason }) => reason),
      ['stale', 'stale'],
    );
  },
  'L14/fraction: a clock with fractions counts in whole milliseconds': async (context) => {
    const pool = await openShort(context);
    const hash = await pool.propagateOne();
    pool.clock.nowMs += ttlMs + 0.5;
    assert.deepEqual(await swept(pool.store), []);
    pool.clock.nowMs += 0.5;
    assert.deepEqual(await swept(pool.store), [hash]);
  },
  'L14/others: what is Pending or Confirmed stays': async (context) => {
    const pool = await openShort(context);
    await pool.receiveOne();
    const released = await pool.propagateOne();
    const confirmed = await pool.propagateOne();
    await pool.release(released);
    await pool.block(1, { seen: [confirmed] });
    pool.clock.nowMs += dayMs;
    assert.deepEqual(await swept(pool.store), []);
    const { pending, confirmed: onChain, oldestInflight } = await pool.store.usage();
    assert.deepEqual([pending, onChain, oldestInflight], [2, 1, null]);
  },
  'L14/last: the time counts from the last going out, whatever was acknowledged since': async (context) => {
    const pool = await openShort(context);
    const hash = await pool.propagateOne();
    pool.clock.nowMs += 600;
    await pool.release(hash);
    await pool.mark(hash);
    pool.clock.nowMs += 600;
    await pool.acknowledge(hash);
    assert.deepEqual(await swept(pool.store), []);
    pool.clock.nowMs += 401;
    assert.deepEqual(await swept(pool.store), [hash]);
  },
  'L14/order: the earliest goes first, then the lowest seq; usage names it': async (context) => {
    const pool = await openShort(context);
    const [a = '', b = '', c = ''] = await pool.receiveHashes(3);
    await pool.mark(c);
    pool.clock.nowMs += 1;
    await pool.mark(b, a);
    assert.deepEqual((await pool.store.usage()).oldestInflight, { hash: c, sentAt: startMs });
    await pool.release(c);
    assert.deepEqual((await pool.store.usage()).oldestInflight, { hash: a, sentAt: startMs + 1 });
    await pool.mark(c);
    pool.clock.nowMs += 1;
    await pool.release(b);
    await pool.mark(b);
    pool.clock.nowMs += dayMs;
    assert.deepEqual(await swept(pool.store), [a, c, b]);
  },
  'L14/same-time: of those that went out at one time the lowest seq goes first, whatever blocks came between': async (
    context,
  ) => {
    const pool = await openShort(context);
    const [a = '', b = ''] = await pool.receiveHashes(2);
    await pool.mark(b);
    await pool.block(1);
    await pool.mark(a);
    assert.deepEqual((await pool.store.usage()).oldestInflight, { hash: a, sentAt: startMs });
  },
  'L14/never: Infinity drops nothing': async (context) => {
    const pool = await openTimed(context, { inflightTtlMs: Number.POSITIVE_INFINITY });
    const hash = await pool.propagateOne();
    pool.clock.nowMs += 10_000 * dayMs;
    assert.deepEqual(await swept(pool.store), []);
    assert.deepEqual((await pool.store.usage()).oldestInflight, { hash, sentAt: startMs });
  },
  'L14/a-day: the default is a day': async (context) => {
    const pool = await openTimed(context);
    const hash = await pool.propagateOne();
    pool.clock.nowMs += dayMs;
    assert.deepEqual(await swept(pool.store), []);
    pool.clock.nowMs += 1;
    assert.deepEqual(await swept(pool.store), [hash]);
  },
  'L14/claimed: a claim does not keep it, but the sweep that ends the claim returns it': async (context) => {
    const pool = await openShort(context);
    const [short = '', long = ''] = await pool.receiveHashes(2);
    await pool.store.take({ maxTxs: 1 }, { owner: 'taker', claimMs: 10 });
    await pool.store.take({ maxTxs: 1 }, { owner: 'taker', claimMs: 2 * ttlMs });
    pool.clock.nowMs += ttlMs + 1;
    const { returned, expired } = await pool.store.sweep();
    assert.deepEqual([returned, expired], [[short], [long]]);
    assert.deepEqual(await pool.stages(short, long), ['Pending', 'Dropped']);
  },
  'L14/undone: a rollback to Pending forgets when it went out': async (context) => {
    const pool = await openShort(context);
    const hash = await pool.propagateOne();
    await pool.block(1);
    await pool.block(2, { seen: [hash] });
    await pool.rollback(1);
    pool.clock.nowMs += ttlMs + 1;
    await pool.mark(hash);
    assert.deepEqual(await swept(pool.store), []);
    assert.deepEqual((await pool.store.usage()).oldestInflight, { hash, sentAt: pool.clock.nowMs });
  },
});

const durableOverdue = eachFifo({
  'L14/kept: the time goes on over reopening': async (context) => {
    const pool = await openShort(context);
    const hashes = await pool.flyEach();
    await pool.store.close();
    pool.clock.nowMs += ttlMs;
    const again = await pool.another({ inflightTtlMs: ttlMs });
    assert.deepEqual(await swept(again.store), []);
    pool.clock.nowMs += 1;
    assert.deepEqual(await swept(again.store), hashes);
  },
}).map(needing('durable'));

/** Cases of L14. */
export const overdueCases: readonly ConformanceCase[] = [...overdue, ...durableOverdue];
