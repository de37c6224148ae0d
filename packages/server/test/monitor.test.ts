import type { DropReason, Mempool } from 'mempool-core';
import { Monitor, type MonitorOptions } from 'mempool-server';
import { Random, seed } from 'mempool-testkit';
import { expect, onTestFinished, test } from 'vitest';
import { encodeTally } from '../src/monitor/head-codec.ts';
import { type Bucket, freshTally, hourRule, minuteRule, type Series, type SeriesRule } from '../src/monitor/tally.ts';
import { allEvents, clockedPool, RandomLife } from './random-pool.ts';
import { recount } from './recount.ts';

const minuteMs = 60_000;
/** The beginning of an hour. */
const startMs = 500_000 * 3_600_000;
const hashOf = (n: number): string => n.toString(16).padStart(64, '0');
const noSaves = { saveEveryMs: 60_000 };

async function started(pool: Mempool, options?: MonitorOptions): Promise<Monitor> {
  const monitor = await Monitor.start(pool, options);
  onTestFinished(() => monitor.close());
  return monitor;
}

async function opened(further: { readonly maxEvents?: number } = {}) {
  const clock = { now: startMs };
  const pool = await clockedPool('fifo', clock, further);
  onTestFinished(() => pool.close());
  return { pool, clock, now: () => clock.now };
}

async function caughtUp(monitor: Monitor, pool: Mempool): Promise<void> {
  const { cursors } = await pool.usage();
  await expect.poll(() => monitor.cursor).toBe(cursors.events);
}

function submit(pool: Mempool, first: number, count: number): Promise<unknown> {
  const hashes = Array.from({ length: count }, (_, i) => hashOf(first + i));
  return pool.receive(hashes.map((hash) => ({ hash, payload: Buffer.from(hash) })));
}

async function liveStages(pool: Mempool) {
  const { pending, propagated, acknowledged, confirmed } = await pool.usage();
  return { Pending: pending, Propagated: propagated, Acknowledged: acknowledged, Confirmed: confirmed };
}

for (const ordering of ['fifo', 'priority'] as const)
  test(`a running monitor counts what a recount of all events counts, in a ${ordering} pool (seed ${seed})`, async () => {
    const clock = { now: startMs };
    const pool = await clockedPool(ordering, clock);
    onTestFinished(() => pool.close());
    const life = new RandomLife(pool, new Random(seed), clock);
    for (let i = 0; i < 100; i++) await life.step();
    const monitor = await started(pool, { now: () => clock.now });
    expect(monitor.cursor).toBe((await pool.usage()).cursors.events);
    for (let i = 0; i < 400; i++) await life.step();
    await caughtUp(monitor, pool);
    const { transitions: _, ...totals } = recount(await allEvents(pool));
    expect(monitor.summary()).toMatchObject({ ...totals, incompleteSince: null, missed: 0 });
  });

test('columns tell what happened when, and how long it took', async () => {
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
  const monitor = await started(pool, { now, ...noSaves });
  const { at, incomplete, dropped, stepMs, ...columns } = monitor.stats({ range: '2h' });
  expect(stepMs).toBe(minuteMs);
  const ofLast = (column: readonly unknown[]) => column.slice(-4);
  expect(at).toHaveLength(120);
  expect(ofLast(at)).toEqual([0, 1, 2, 3].map((n) => startMs + n * minuteMs));
  expect(incomplete).not.toContain(true);
  expect(Object.entries(dropped).map(([reason, column]) => [reason, ofLast(column)])).toEqual([
    ['failed', [0, 0, 0, 1]],
    ['app:too dear', [0, 0, 0, 1]],
  ]);
  expect(Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, ofLast(column)]))).toMatchObject({
    received: [5, 0, 0, 0],
    finalized: [0, 2, 0, 0],
    blocks: [0, 1, 0, 0],
    blocksUndone: [0, 0, 0, 1],
    pendingHigh: [5, 5, 3, 3],
    // Both took a minute, the upper bound of its place in the histogram.
    finalityP50: [null, 45_000, null, null],
    finalityP95: [null, 58_500, null, null],
  });
  expect(monitor.stats({ range: '24h' }).received.at(-1)).toBe(5);
  expect(monitor.stats({ range: '30d', stepMs: 1 })).toMatchObject({ stepMs: 3_600_000 });
  expect(monitor.summary()).toMatchObject({
    finality: { count: 2, p50Ms: 45_000 },
    reasons: { 'app:too dear': 1, failed: 1 },
  });
  expect(monitor.summary().rates.received).toEqual({ perSecond1m: 0, perSecond5m: 5 / 300 });
});

test('the timeline has the last transitions, newest first, also after a start', async () => {
  const { pool } = await opened();
  for (let n = 0; n < 3; n++) await submit(pool, n * 800, 800);
  const first = await started(pool, { saveEveryMs: 10 });
  await expect.poll(() => first.stored().stages.Pending).toBe(2_400);
  await first.close();
  const monitor = await started(pool);
  const seen: string[] = [];
  for (let after: string | undefined; ; ) {
    const page = monitor.timeline({ limit: 300, ...(after === undefined ? {} : { after }) });
    seen.push(...page.items.map(({ hash }) => hash));
    if (page.next === null) break;
    after = page.next;
  }
  expect(seen).toEqual(Array.from({ length: 1_000 }, (_, i) => hashOf(2_399 - i)));
  expect(monitor.timeline({ limit: 1 }).items).toMatchObject([{ from: 'Unknown', to: 'Pending', cause: 'received' }]);
});

test('a start on a trimmed history begins from the pool’s own counts and says what is incomplete', async () => {
  const { pool, clock, now } = await opened({ maxEvents: 50 });
  await submit(pool, 0, 600);
  await pool.markInflight(Array.from({ length: 80 }, (_, i) => hashOf(i)));
  clock.now += 10 * minuteMs;
  await pool.drop([hashOf(100)], 'failed');
  const monitor = await started(pool, { now, ...noSaves });
  const { missed } = monitor.summary();
  expect(missed).toBeGreaterThan(0);
  expect(monitor.summary()).toMatchObject({ stages: await liveStages(pool), incompleteSince: 0, received: 0 });
  expect(monitor.gaps()).toEqual([{ from: 0, to: startMs, missed }]);
  const { at, incomplete } = monitor.stats({ range: '2h' });
  expect(at.filter((_, i) => incomplete[i] === false)).toEqual(at.filter((each) => each > startMs));
});

test('events that were lost while no monitor ran make their time incomplete, and counts are right again', async () => {
  const { pool, clock, now } = await opened({ maxEvents: 50 });
  await submit(pool, 0, 10);
  await (await started(pool, { now })).close();
  clock.now += 5 * minuteMs;
  await submit(pool, 10, 500);
  await pool.markInflight(Array.from({ length: 80 }, (_, i) => hashOf(i)));
  clock.now += 5 * minuteMs;
  await submit(pool, 600, 20);
  const monitor = await started(pool, { now, ...noSaves });
  const { missed } = monitor.summary();
  const { lastEventSeq } = await pool.usage();
  const kept = (await allEvents(pool)).filter(({ kind }) => kind !== 'lagged').length;
  expect(missed).toBe(lastEventSeq - 10 - kept);
  expect(monitor.summary()).toMatchObject({ stages: await liveStages(pool), incompleteSince: startMs, received: 30 });
  expect(monitor.gaps()).toEqual([{ from: startMs, to: startMs + 5 * minuteMs, missed }]);
});

for (const when of ['runs while', 'starts after'] as const)
  test(`a monitor that ${when} a pool is restored from a dump has the pool’s own counts`, async () => {
    const { pool: old } = await opened();
    await submit(old, 0, 10);
    await old.markInflight([hashOf(0)]);
    await (await started(old)).close();
    const { pool, now } = await opened();
    const running = when === 'runs while' ? await started(pool, { now, saveEveryMs: 10 }) : null;
    expect(await pool.store.restore(await old.store.dump())).toEqual({ kind: 'restored' });
    const monitor = running ?? (await started(pool, { now, saveEveryMs: 10 }));
    await submit(pool, 10, 5);
    await caughtUp(monitor, pool);
    expect(monitor.summary()).toMatchObject({ stages: await liveStages(pool), received: 5, incompleteSince: 0 });
    await expect.poll(() => monitor.stored().stages.Pending).toBe(14);
  });

test('a head of another pool counts for nothing, however far the pool is', async () => {
  const { pool: other } = await opened();
  await submit(other, 0, 10);
  await (await started(other)).close();
  const { pool, now } = await opened({ maxEvents: 50 });
  await submit(pool, 100, 600);
  await pool.putRecord('monitor/head', (await other.getRecord('monitor/head'))?.value ?? null);
  const monitor = await started(pool, { now, ...noSaves });
  const { missed, received, stages } = monitor.summary();
  expect(stages).toMatchObject(await liveStages(pool));
  expect(missed + received).toBe(600);
});

test('a damaged head is told, and the monitor begins anew', async () => {
  const { pool, now } = await opened();
  await submit(pool, 0, 10);
  await (await started(pool, { now })).close();
  await pool.putRecord('monitor/head', Buffer.from('{"format":1,"cursor":"e1'));
  const told: string[] = [];
  const monitor = await started(pool, { now, saveEveryMs: 10, log: (level) => told.push(level) });
  expect(told).toEqual(['error']);
  expect(monitor.summary()).toMatchObject({ received: 10, stages: { Pending: 10 }, incompleteSince: null });
  await expect.poll(() => monitor.stored().stages.Pending).toBe(10);
});

test('the head of another version of the package is left alone', async () => {
  const { pool } = await opened();
  const foreign = Buffer.from('{"format":2}');
  await pool.putRecord('monitor/head', foreign);
  await expect(Monitor.start(pool)).rejects.toMatchObject({ code: 'ERR_MEMPOOL_INCOMPATIBLE' });
  expect((await pool.getRecord('monitor/head'))?.value).toEqual(new Uint8Array(foreign));
});

test('a part that is missing leaves a gap in the charts, not in the totals', async () => {
  const { pool, clock, now } = await opened();
  await submit(pool, 0, 10);
  clock.now += 30 * minuteMs;
  await submit(pool, 10, 1);
  await (await started(pool, { now })).close();
  const { records } = await pool.listRecords('monitor/m/');
  expect(records).toHaveLength(1);
  await pool.putRecord(records[0]?.name ?? '', null);
  const monitor = await started(pool, { now });
  expect(monitor.summary()).toMatchObject({ received: 11, incompleteSince: null });
  expect(monitor.gaps()).toEqual([{ from: startMs, to: startMs + 20 * minuteMs, missed: 0 }]);
});

test('records without room lose nothing: the monitor goes on, says so once, and saves when there is room', async () => {
  const { pool, now } = await opened();
  for (let i = 0; i < 64; i++) await pool.putRecord(`blob ${i}`, new Uint8Array(1024 * 1024 - 10));
  const told: string[] = [];
  const monitor = await started(pool, { now, saveEveryMs: 10, log: (level) => told.push(level) });
  await submit(pool, 0, 10);
  await expect.poll(() => told).toEqual(['warn']);
  await submit(pool, 10, 10);
  await caughtUp(monitor, pool);
  expect(monitor.summary()).toMatchObject({ received: 20, savedAt: null });
  await pool.putRecord('blob 0', null);
  await expect.poll(() => monitor.stored().stages.Pending).toBe(20);
  expect(told).toEqual(['warn', 'info']);
});

test('two monitors on one pool tell the same, and each goes on when the other is gone', async () => {
  const { pool, now } = await opened();
  const a = await started(pool, { now, saveEveryMs: 10 });
  const b = await started(pool, { now, saveEveryMs: 10 });
  for (const [closed, first] of [
    [a, 0],
    [b, 50],
  ] as const) {
    for (let n = 0; n < 5; n++) {
      await submit(pool, first + n * 10, 10);
      await expect
        .poll(() => Math.max(...[a, b].map((each) => each.stored().stages.Pending)))
        .toBe(first + n * 10 + 10);
    }
    if (closed === a) expect({ ...a.summary(), savedAt: 0, now: 0 }).toEqual({ ...b.summary(), savedAt: 0, now: 0 });
    await closed.close();
  }
  expect((await started(pool)).stored().stages.Pending).toBe(100);
});

test('listeners hear of events that came together once', async () => {
  const { pool } = await opened();
  const monitor = await started(pool, noSaves);
  let heard = 0;
  const stop = monitor.onChange(() => {
    heard += 1;
    throw new Error('a listener’s own fault');
  });
  await submit(pool, 0, 400);
  await caughtUp(monitor, pool);
  await expect.poll(() => heard).toBe(1);
  stop();
  await submit(pool, 400, 1);
  await caughtUp(monitor, pool);
  await new Promise(setImmediate);
  expect(heard).toBe(1);
});

test('an empty pool stays empty', async () => {
  const { pool } = await opened();
  await (await started(pool, { saveEveryMs: 10 })).close();
  expect((await pool.listRecords('')).records).toEqual([]);
});

test('reasons of the application are few and short, the rest counts as other', async () => {
  const { pool } = await opened();
  await submit(pool, 0, 20);
  const reasons: DropReason[] = Array.from({ length: 18 }, (_, i) => ({ app: `reason ${i}` }));
  for (const [i, reason] of [{ app: 'x'.repeat(65) }, ...reasons].entries()) await pool.drop([hashOf(i)], reason);
  const monitor = await started(pool, noSaves);
  const { other, ...named } = monitor.summary().reasons;
  expect(other).toBe(3);
  expect(Object.keys(named)).toEqual(reasons.slice(0, 16).map((_, i) => `app:reason ${i}`));
});

test('the head has at most 64 KiB, however large its numbers are', () => {
  const most = Number.MAX_SAFE_INTEGER;
  const bucket = (index: number): Bucket => ({
    ...{ index, received: most, finalized: most, rolledBack: most, applied: most, undone: most },
    ...{ pendingHigh: most, pendingLast: most, dropped: new Array(27).fill(most), finality: new Array(21).fill(most) },
  });
  const series = (rule: SeriesRule): Series => {
    const last = (startMs / rule.widthMs / rule.partLength) * rule.partLength + rule.partLength - 1;
    const kept = rule.keptMs / rule.widthMs;
    return { parts: [], buckets: Array.from({ length: kept }, (_, i) => bucket(last - kept + 1 + i)) };
  };
  const cursor = 'e'.padEnd(160, '9');
  const fresh = freshTally(cursor);
  const { head } = encodeTally({
    ...fresh,
    at: startMs + 3_599_999,
    ...{ seq: most, applied: most, undone: most, finalitySumMs: most, lagged: most, missed: most, moved: most },
    ...{ live: fresh.live.fill(most), transitions: fresh.transitions.fill(most), causes: fresh.causes.fill(most) },
    ...{ finality: fresh.finality.fill(most), dropped: new Array(27).fill(most) },
    appReasons: Array.from({ length: 16 }, () => '\u0001'.repeat(64)),
    gaps: new Array(32).fill({ from: most, to: most, missed: most }),
    slots: new Array(31).fill({ index: most, received: most, finalized: most, dropped: most }),
    trail: new Array(11).fill(cursor),
    minutes: series(minuteRule),
    hours: series(hourRule),
  });
  expect(head.length).toBeLessThanOrEqual(65_536);
  expect(head.length).toBeGreaterThan(30_000);
});

const misuse: Readonly<Record<string, (monitor: Monitor, pool: Mempool) => unknown>> = {
  saveEveryMs: (_, pool) => Monitor.start(pool, { saveEveryMs: 9 }),
  prefix: (_, pool) => Monitor.start(pool, { prefix: 'x'.repeat(101) }),
  saveEvery: (_, pool) => Monitor.start(pool, { saveEvery: 9 } as MonitorOptions),
  range: (monitor) => monitor.stats({ range: 'toString' as '2h' }),
  stepMs: (monitor) => monitor.stats({ range: '2h', stepMs: 7_200_001 }),
  limit: (monitor) => monitor.timeline({ limit: 0 }),
  after: (monitor) => monitor.timeline({ after: '5' }),
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
