import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Mempool } from 'mempool-core';
import { Monitor, type MonitoredPool, type Stats, type Step, type Summary } from 'mempool-server';
import { sqlite } from 'mempool-sqlite';
import { Random, seed } from 'mempool-testkit';
import { scratchFolder } from 'mempool-testkit/vitest';
import { expect, test } from 'vitest';
import { type Fold, fold, freshFold } from '../src/monitor/fold.ts';
import { decodeFold, encodeFold } from '../src/monitor/record.ts';
import { statsOf } from '../src/monitor/stats.ts';
import { RandomLife } from './random-pool.ts';
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

async function storedFold(pool: Mempool): Promise<Fold | null> {
  const record = await pool.getRecord('monitor');
  return record === null ? null : decodeFold(record.value);
}

test('a record of another pool counts for nothing', async () => {
  const { pool: other } = await opened();
  await submit(other, 0, 10);
  await (await started(other)).close();
  const { pool, now } = await opened();
  await submit(pool, 100, 600);
  await pool.putRecord('monitor', (await other.getRecord('monitor'))?.value ?? null);
  expect((await started(pool, { now })).summary()).toMatchObject({ received: 600, since: null });
});

const damages: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  empty: () => new Uint8Array(),
  cut: (bytes) => bytes.subarray(0, bytes.length - 5),
  flipped: (bytes) => bytes.map((byte, i) => (i === 10 ? byte ^ 255 : byte)),
  'too large a text': () => encodeFold({ ...freshFold('x'.repeat(3_000_000)) }),
  'another form': () => encodeFold({ ...freshFold('origin'), seq: -1 }),
};

test.for(Object.entries(damages))(
  'a damaged record is logged, and the monitor begins again: %s',
  async ([, damage]) => {
    const { pool, now } = await opened();
    await submit(pool, 0, 10);
    await (await started(pool, { now })).close();
    await pool.putRecord('monitor', damage((await pool.getRecord('monitor'))?.value ?? new Uint8Array()));
    const logged: string[] = [];
    const monitor = await started(pool, { now, saveEveryMs: 10, log: (level) => logged.push(level) });
    expect(logged).toEqual(['error']);
    expect(monitor.summary()).toMatchObject({ received: 10, stages: { Pending: 10 }, since: null });
    await expect.poll(async () => (await storedFold(pool))?.totals.received).toBe(10);
  },
);

test('records without room lose nothing: it is logged once, and the monitor saves when there is room', async () => {
  const { pool, now } = await opened();
  for (let i = 0; i < 64; i++) await pool.putRecord(`blob ${i}`, new Uint8Array(1024 * 1024 - 10));
  const logged: string[] = [];
  const monitor = await started(pool, { now, saveEveryMs: 10, log: (level) => logged.push(level) });
  await submit(pool, 0, 10);
  await expect.poll(() => logged).toEqual(['warn']);
  await caughtUp(monitor, pool);
  await pool.putRecord('blob 0', null);
  await expect.poll(async () => (await storedFold(pool))?.totals.received).toBe(10);
  expect(logged).toEqual(['warn', 'info']);
});

test('two monitors on one pool show the same, and an earlier state never replaces a later one', async () => {
  const { pool, clock, now } = await opened();
  const life = new RandomLife(pool, new Random(seed), clock);
  const monitors = [await started(pool, { now, saveEveryMs: 10 }), await started(pool, { now, saveEveryMs: 13 })];
  let highest = 0;
  for (let i = 0; i < 200; i++) {
    await life.step();
    // A pool in memory answers without a turn of the event loop, in which the monitors save.
    await setImmediate();
    const { seq } = (await storedFold(pool)) ?? { seq: 0 };
    expect(seq).toBeGreaterThanOrEqual(highest);
    highest = seq;
  }
  for (const each of monitors) await caughtUp(each, pool);
  const [a, b] = monitors.map(shown);
  expect(a).toEqual(b);
  expect(highest).toBeGreaterThan(0);
  const late = await started(pool, { now });
  expect(shown(late)).toEqual(a);
});

test('a monitor that is behind does not replace the record of one that is ahead', async () => {
  const { pool } = await opened();
  await submit(pool, 0, 1);
  const { pass, open } = gate();
  const subscribe: MonitoredPool['subscribe'] = async (...given) => {
    const events = await pool.subscribe(...given);
    return (async function* () {
      for await (const event of events) {
        yield event;
        await pass();
      }
    })();
  };
  const behind = await Monitor.start(around(pool, { subscribe }));
  await submit(pool, 1, 9);
  await (await started(pool)).close();
  const later = await pool.getRecord('monitor');
  expect(behind.summary().received).toBe(1);
  const closed = behind.close();
  open();
  await closed;
  expect(await pool.getRecord('monitor')).toEqual(later);
  expect((await storedFold(pool))?.seq).toBe(10);
});

test('a monitor that looked before another saved does not replace what the other saved', async () => {
  const { pool } = await opened();
  await submit(pool, 0, 1);
  const { pass, reached, open } = gate();
  const putRecord: MonitoredPool['putRecord'] = async (...given) => {
    await pass();
    return pool.putRecord(...given);
  };
  const slow = await Monitor.start(around(pool, { putRecord }));
  const closed = slow.close();
  await reached;
  await submit(pool, 1, 9);
  await (await started(pool)).close();
  const later = await pool.getRecord('monitor');
  open();
  await closed;
  expect(await pool.getRecord('monitor')).toEqual(later);
  expect((await storedFold(pool))?.seq).toBe(10);
});

test('a start from a record resolves when the last transitions are read again', async () => {
  const { pool } = await opened();
  await submit(pool, 0, 10);
  await (await started(pool)).close();
  const subscribe: MonitoredPool['subscribe'] = async (...given) => {
    const events = await pool.subscribe(...given);
    return (async function* () {
      for await (const event of events) {
        await setImmediate();
        yield event;
      }
    })();
  };
  const monitor = await started(around(pool, { subscribe }));
  expect(monitor.transitions()).toHaveLength(10);
});

test('charts of a day and of 30 days outlive the events, a restart and the process of the pool', async () => {
  const clock = { now: startMs };
  const now = () => clock.now;
  const path = join(scratchFolder(), 'pool.sqlite');
  const open = () => sqlite.open({ path, now, maxEvents: 20 });
  const sessions: unknown[][] = [];
  for (let session = 0; session < 3; session++) {
    const pool = await open();
    const monitor = await Monitor.start(pool, { now });
    const shownNow = () => [monitor.summary(), monitor.stats('24h'), monitor.stats('30d')];
    sessions.push(shownNow());
    for (let hour = 0; hour < 8 * 24; hour += 12) {
      clock.now += 12 * hourMs;
      await submit(pool, session * 1_000 + hour, 1 + (hour % 5));
      await pool.drop(hashOf(session * 1_000 + hour), 'failed');
      await caughtUp(monitor, pool);
    }
    sessions.push(shownNow());
    await monitor.close();
    await pool.close();
  }
  const [, first, second, third, fourth, last] = sessions;
  expect([second, fourth]).toEqual([first, third]);
  const [summary, day, month] = last as [Summary, Stats, Stats];
  const count = (steps: readonly Step[]): number => steps.reduce((sum, { received }) => sum + received, 0);
  expect(summary.since).toBeNull();
  expect(count(month.steps)).toBe(summary.received);
  expect(count(day.steps)).toBeGreaterThan(4);
});

/** 30 days in which every minute has events of every kind, at about `perHour` transactions an hour. */
function busyMonth(perHour: number): Fold {
  const random = new Random(seed);
  const state = freshFold('origin');
  const dropped = (name: string) => ({ app: name.repeat(60) });
  const reasons = ['expired', 'failed', 'invalid', ...Array.from('abcdefghijklmnop', dropped)];
  for (let minute = 0; minute < 30 * 24 * 60; minute++) {
    const at = startMs + minute * minuteMs;
    const common = {
      kind: 'transaction',
      cursor: 'origin',
      eventSeq: minute,
      receivedAt: at - random.below(hourMs),
      at,
    };
    for (const stage of ['Pending', 'Finalized'])
      fold(state, { ...common, stage, previous: { stage: 'Unknown' }, cause: 'received', reason: null } as never);
    const reason = random.pick(reasons);
    fold(state, { ...common, stage: 'Dropped', previous: { stage: 'Unknown' }, cause: 'dropped', reason } as never);
    for (const buckets of Object.values(state.series)) {
      const bucket = buckets.at(-1);
      if (bucket === undefined) continue;
      for (const key of ['received', 'finalized', 'rolledBack', 'applied', 'undone', 'pendingHigh'] as const)
        bucket[key] += Math.floor((random.below(1_000_000) * perHour) / 60 / 1_000_000);
      for (const [name, count] of Object.entries(bucket.dropped))
        bucket.dropped[name] = count + random.below(perHour / 60);
      bucket.pendingLast = bucket.pendingHigh;
    }
  }
  return state;
}

test.for([1_000, 100_000, 10_000_000])(
  'the record has at most 64 kB after a month of %d transactions an hour',
  (perHour) => {
    const state = busyMonth(perHour);
    const bytes = encodeFold(state);
    expect(bytes.length).toBeLessThanOrEqual(64_000);
    expect(bytes.length).toBeGreaterThan(20_000);
    expect(decodeFold(bytes)?.series.hours).toHaveLength(720);
    expect(decodeFold(bytes)).toEqual(state);
  },
);

test('if a record would be larger, the oldest hours are left out', () => {
  const state = busyMonth(Number.MAX_SAFE_INTEGER / 1_000);
  const bytes = encodeFold(state);
  expect(bytes.length).toBeLessThanOrEqual(64_000);
  const { hours = [] } = decodeFold(bytes)?.series ?? {};
  expect(hours).toEqual(state.series.hours.slice(-hours.length));
  expect(statsOf(state, '24h', state.at ?? 0).steps).toHaveLength(144);
});
