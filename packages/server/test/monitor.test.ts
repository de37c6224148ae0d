import type { DropReason, Mempool, MempoolEvent } from 'mempool-core';
import { Monitor, type MonitoredPool, type MonitorOptions, type Step } from 'mempool-server';
import { Random, seed } from 'mempool-testkit';
import { expect, onTestFinished, test } from 'vitest';
import { allEvents, clockedPool, RandomLife } from './random-pool.ts';
import { recount, recountOf } from './recount.ts';
import {
  around,
  caughtUp,
  gate,
  hashOf,
  hourMs,
  minuteMs,
  opened,
  shown,
  started,
  startMs,
  submit,
} from './watched-pool.ts';

const levels = (steps: readonly Step[]): number[] => steps.map(({ pendingHigh }) => pendingHigh);

async function liveStages(pool: Mempool) {
  const { pending, propagated, acknowledged, confirmed } = await pool.usage();
  return { Pending: pending, Propagated: propagated, Acknowledged: acknowledged, Confirmed: confirmed };
}

for (const ordering of ['fifo', 'priority'] as const)
  test(`a monitor counts the events as a recount does, before and after a restart, in a ${ordering} pool (seed ${seed})`, async () => {
    const clock = { now: startMs };
    const now = () => clock.now;
    const pool = await clockedPool(ordering, clock);
    onTestFinished(() => pool.close());
    const life = new RandomLife(pool, new Random(seed), clock);
    for (let i = 0; i < 200; i++) await life.step();
    const monitor = await started(pool, { now });
    for (let i = 0; i < 300; i++) await life.step();
    await caughtUp(monitor, pool);
    expect(recountOf(monitor)).toEqual(recount(await allEvents(pool)));
    const { summary, charts } = shown(monitor);
    await monitor.close();
    expect(shown(await started(pool, { now }))).toMatchObject({ summary, charts });
  });

test('steps show how much happened when, and how long it took', async () => {
  const { pool, clock, now } = await opened();
  const block = (n: number, seen: string[]) =>
    pool.confirm({ point: { slot: n, hash: hashOf(n) }, seen, unseen: [] }, { finalizeThreshold: 1 });
  await submit(pool, 0, 5);
  clock.now += minuteMs;
  await block(1, [hashOf(0), hashOf(1)]);
  clock.now += 2 * minuteMs;
  await pool.drop([hashOf(2)], { app: 'too dear' });
  await pool.drop([hashOf(3)], 'failed');
  await pool.rollback('origin');
  const monitor = await started(pool, { now });
  const { stepMs, steps } = monitor.stats('2h');
  expect([stepMs, steps.length]).toEqual([minuteMs, 120]);
  const quiet = { received: 0, finalized: 0, applied: 0, undone: 0, rolledBack: 0, dropped: {}, incomplete: false };
  const unknown = { p50Ms: null, p95Ms: null };
  expect(steps.slice(-5)).toEqual([
    { at: startMs - minuteMs, ...quiet, ...unknown, pendingHigh: 0 },
    { at: startMs, ...quiet, ...unknown, received: 5, pendingHigh: 5 },
    // Both took a minute, the upper bound of its place in the histogram.
    { at: startMs + minuteMs, ...quiet, finalized: 2, applied: 1, pendingHigh: 5, p50Ms: 45_000, p95Ms: 58_500 },
    { at: startMs + 2 * minuteMs, ...quiet, ...unknown, pendingHigh: 3 },
    {
      ...{ at: startMs + 3 * minuteMs, ...quiet, ...unknown, undone: 1, rolledBack: 2, pendingHigh: 3 },
      dropped: { failed: 1, 'app:too dear': 1 },
    },
  ]);
  expect(monitor.stats('24h').steps.at(-1)?.received).toBe(5);
  expect(monitor.summary()).toMatchObject({
    finality: { p50Ms: 45_000, p95Ms: 58_500 },
    reasons: { 'app:too dear': 1, failed: 1 },
    perMinute: { received: 0, finalized: 0, dropped: 2 },
  });
});

test('a quiet server shows the same charts after days as a recount, and rates fall to zero', async () => {
  const { pool, clock, now } = await opened();
  await submit(pool, 0, 5);
  const monitor = await started(pool, { now });
  expect(monitor.summary().perMinute.received).toBe(5);
  clock.now += 90_000;
  expect(monitor.summary().perMinute.received).toBe(2.5);
  clock.now += 25 * hourMs;
  await monitor.close();
  const next = await started(pool, { now });
  expect(next.summary()).toMatchObject({ received: 5, since: null, perMinute: { received: 0 } });
  const week = next.stats('7d').steps;
  expect([week.at(-26)?.received, levels(week).slice(-27)]).toEqual([5, [0, ...new Array(26).fill(5)]]);
  expect(levels(next.stats('24h').steps)).toEqual(new Array(144).fill(5));
  clock.now += 30 * 24 * hourMs;
  expect(levels(next.stats('30d').steps)).toEqual(new Array(720).fill(5));
});

test('events that are gone at the first start are named by `since`, and levels are the pool’s own', async () => {
  const { pool, clock, now } = await opened({ maxEvents: 50 });
  await submit(pool, 0, 600);
  clock.now += 10 * minuteMs;
  await submit(pool, 600, 60);
  const kept = (await allEvents(pool)).filter((event) => event.kind !== 'lagged');
  const monitor = await started(pool, { now });
  expect(monitor.summary()).toMatchObject({
    stages: await liveStages(pool),
    since: kept[0]?.at,
    received: kept.length,
  });
  const { steps } = monitor.stats('2h');
  expect(steps.filter(({ incomplete }) => !incomplete)).toEqual(steps.filter(({ at }) => at >= (kept[0]?.at ?? 0)));
  expect(steps.at(-1)?.pendingHigh).toBe(660);
});

test('if the pool kept events for a shorter time than no monitor ran, the charts keep what they had', async () => {
  const { pool, clock, now } = await opened({ maxEvents: 50 });
  await submit(pool, 0, 10);
  await (await started(pool, { now })).close();
  clock.now += 5 * minuteMs;
  await submit(pool, 10, 500);
  clock.now += 5 * minuteMs;
  await submit(pool, 600, 60);
  const kept = (await allEvents(pool)).filter((event) => event.kind !== 'lagged');
  const [a, b] = [await started(pool, { now }), await started(pool, { now })];
  expect(a.summary()).toMatchObject({ stages: await liveStages(pool), since: kept[0]?.at, received: kept.length });
  const { steps } = a.stats('2h');
  expect([steps.at(-11)?.received, steps.at(-1)?.received, steps.at(-1)?.pendingHigh]).toEqual([10, kept.length, 570]);
  expect(steps.slice(-12).map(({ incomplete }) => incomplete)).toEqual([false, ...new Array(10).fill(true), false]);
  expect(shown(b)).toEqual(shown(a));
});

test('a time that falls counts as the latest one, and a clock of a server that is behind moves nothing', async () => {
  const { pool, clock } = await opened();
  await submit(pool, 0, 1);
  clock.now += 5 * minuteMs;
  await submit(pool, 1, 1);
  clock.now -= 4 * minuteMs;
  await submit(pool, 2, 1);
  const monitor = await started(pool, { now: () => 0 });
  expect(monitor.summary().now).toBe(startMs + 5 * minuteMs);
  expect(
    monitor
      .stats('2h')
      .steps.slice(-6)
      .map(({ received }) => received),
  ).toEqual([1, 0, 0, 0, 0, 2]);
});

test('a listener gets each event after the start once', async () => {
  const { pool } = await opened();
  await submit(pool, 0, 10);
  const monitor = await started(pool);
  const heard: MempoolEvent[] = [];
  const stop = monitor.onEvent((event) => heard.push(event));
  await submit(pool, 10, 5);
  await caughtUp(monitor, pool);
  expect(heard.map((event) => event.kind === 'transaction' && event.hash)).toEqual([10, 11, 12, 13, 14].map(hashOf));
  stop();
  await submit(pool, 20, 5);
  await caughtUp(monitor, pool);
  expect(heard).toHaveLength(5);
});

test('if the stream fails, the events are read again, and a listener gets none of them again', async () => {
  const { pool } = await opened();
  const { pass, open } = gate();
  let streams = 0;
  const subscribe: MonitoredPool['subscribe'] = async (...given) => {
    streams += 1;
    const events = await pool.subscribe(...given);
    if (streams > 1) return events;
    return (async function* () {
      for await (const event of events) {
        yield event;
        if (event.kind === 'transaction' && event.hash === hashOf(9)) break;
      }
      await pass();
      throw new Error('the stream fails');
    })();
  };
  const monitor = await started(around(pool, { subscribe }));
  const heard: string[] = [];
  monitor.onEvent((event) => heard.push(event.kind === 'transaction' ? event.hash : event.kind));
  await submit(pool, 0, 10);
  await caughtUp(monitor, pool);
  open();
  await expect.poll(() => streams, { timeout: 10_000 }).toBe(2);
  await submit(pool, 10, 5);
  await caughtUp(monitor, pool);
  expect(heard).toEqual(Array.from({ length: 15 }, (_, i) => hashOf(i)));
  expect(monitor.summary().received).toBe(15);
});

test('an empty pool stays empty', async () => {
  const { pool } = await opened();
  await (await started(pool, { saveEveryMs: 10 })).close();
  expect((await pool.listRecords('')).records).toEqual([]);
});

test('the last 200 blocks and 1,000 transitions are shown, newest first, with their confirmed transactions', async () => {
  const { pool, now } = await opened();
  for (let first = 0; first < 1_200; first += 600) await submit(pool, first, 600);
  for (let slot = 1; slot <= 201; slot++) {
    const point = { slot, hash: hashOf(5_000 + slot) };
    await pool.confirm({ point, seen: [hashOf(slot)], unseen: [] }, { finalizeThreshold: Number.POSITIVE_INFINITY });
  }
  await pool.rollback({ slot: 200, hash: hashOf(5_200) });
  const monitor = await started(pool, { now });
  const blocks = monitor.blocks(200);
  expect(blocks).toHaveLength(200);
  expect(blocks.slice(0, 3)).toMatchObject([
    { action: 'undone', point: { slot: 201 }, confirmed: 0 },
    { action: 'applied', point: { slot: 201 }, confirmed: 1 },
    { action: 'applied', point: { slot: 200 }, confirmed: 1 },
  ]);
  expect(monitor.transitions(1_000)).toHaveLength(1_000);
  expect(monitor.transitions(1)).toMatchObject([{ stage: 'Pending', cause: 'rolled-back' }]);
});

test('reasons of the application are few and short, the rest counts as other', async () => {
  const { pool } = await opened();
  await submit(pool, 0, 20);
  const reasons: DropReason[] = Array.from({ length: 18 }, (_, i) => ({ app: `reason ${i}` }));
  for (const [i, reason] of [{ app: 'x'.repeat(65) }, ...reasons].entries()) await pool.drop([hashOf(i)], reason);
  const { other, ...named } = (await started(pool)).summary().reasons;
  expect(other).toBe(3);
  expect(Object.keys(named)).toEqual(reasons.slice(0, 16).map((_, i) => `app:reason ${i}`));
});

const misuse: Readonly<Record<string, (monitor: Monitor, pool: Mempool) => unknown>> = {
  saveEveryMs: (_, pool) => Monitor.start(pool, { saveEveryMs: 9 }),
  saveEvery: (_, pool) => Monitor.start(pool, { saveEvery: 9 } as MonitorOptions),
  range: (monitor) => monitor.stats('toString' as '2h'),
};

test.for(Object.entries(misuse))('a bad argument is named: %s', async ([field, call]) => {
  const { pool } = await opened();
  const monitor = await started(pool);
  const refused = expect.objectContaining({ code: 'ERR_MEMPOOL_INVALID', details: expect.objectContaining({ field }) });
  await expect((async () => call(monitor, pool))()).rejects.toEqual(refused);
});

test('a monitor of a closed pool does not start', async () => {
  const { pool } = await opened();
  await pool.close();
  await expect(Monitor.start(pool)).rejects.toMatchObject({ code: 'ERR_MEMPOOL_CLOSED' });
});
