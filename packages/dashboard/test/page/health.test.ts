import { setTimeout as sleep } from 'node:timers/promises';
import type { Stats, Step } from 'mempool-server';
import { expect, test } from 'vitest';
import { formatDate } from '../../page/format/times.ts';
import { chartsOf, chartText, gapsOf, reasonsIn, wholeSteps } from '../../page/state/charts.ts';
import { type ConnectionChange, connectionAfter, unconnected } from '../../page/state/connection.ts';
import { type Health, healthOf } from '../../page/state/health.ts';
import { Rereader } from '../../page/state/rereader.ts';
import { Store } from '../../page/state/store.ts';
import { StreamCheck } from '../../page/state/stream-check.ts';

const at = new Date(2026, 0, 1, 12).getTime();

function after(...changes: readonly ConnectionChange[]): Health {
  const connection = changes.reduce(connectionAfter, unconnected);
  return healthOf({ connection, notReady: null, summary: null });
}

test('the header is loud only when something is wrong, and says since when', () => {
  expect(after()).toMatchObject({ level: 'note', word: 'Connecting', faults: [] });
  expect(after({ kind: 'opened', at })).toMatchObject({ level: 'good', word: 'Live', faults: [] });
  const lost = after({ kind: 'opened', at }, { kind: 'lost', at }, { kind: 'lost', at: at + 9_000 });
  expect(lost).toMatchObject({ level: 'bad', word: 'Reconnecting' });
  expect(lost.faults[0]).toContain('12:00:00');
  const failed = { kind: 'failed', detail: 'no answer' } as const;
  const silent = after({ ...failed, at }, { ...failed, at: at + 9_000 });
  expect(silent).toMatchObject({ level: 'bad', word: 'No data' });
  expect(silent.faults[0]).toContain('12:00:00');
  expect(after({ kind: 'opened', at }, { ...failed, at }, { kind: 'answered', at }).level).toBe('good');
});

test('a server that is not ready and numbers that lack events are said', () => {
  const connection = connectionAfter(unconnected, { kind: 'opened', at });
  const stopped = healthOf({ connection, notReady: 'The server stops.', summary: null });
  expect(stopped).toMatchObject({ level: 'bad', word: 'Not ready', faults: ['The server stops.'] });
  const incomplete = healthOf({ connection, notReady: null, summary: { since: at } });
  expect(incomplete).toMatchObject({ level: 'note', word: 'Live', faults: [] });
  expect(incomplete.notes[0]).toContain(formatDate(at));
});

function step(i: number, count: number): Step {
  const counts = { received: count, finalized: 0, rolledBack: 0, applied: 0, undone: 0, pendingHigh: 0 };
  const dropped = count > 0 ? { invalid: count } : {};
  return { at: i * 60_000, ...counts, dropped, p50Ms: null, p95Ms: 0, incomplete: false };
}

/** Steps of which the running one, the last, has few events yet. */
function stats(length: number, busyFrom: number): Stats {
  const steps = Array.from({ length }, (_, i) => step(i, i < busyFrom ? 0 : 3));
  return { stepMs: 60_000, steps: [...steps, step(length, 1)] };
}

test('charts begin with the first event, end before the running step, and have a text', () => {
  const young = wholeSteps(stats(100, 70));
  expect([young.steps.length, young.steps[0]?.at, young.steps.at(-1)?.received]).toEqual([30, 70 * 60_000, 3]);
  expect(wholeSteps(stats(100, 99)).steps).toHaveLength(12);
  const { steps } = wholeSteps(stats(100, 0));
  expect(steps).toEqual(stats(100, 0).steps.slice(0, 100));
  for (const { series } of chartsOf(young)) for (const { values } of series) expect(values).toHaveLength(30);
  expect(reasonsIn(step(0, 3))).toBe('invalid 3');
  const many = { ...step(0, 0), dropped: { invalid: 1, 'app:late': 3, stale: 2 } };
  expect([reasonsIn(many), reasonsIn(many, 2)]).toEqual(['late 3, stale 2, invalid 1', 'late 3, stale 2, …']);
  expect(chartText(chartsOf(young)[0] as never)).toBe(
    'Received and finalized. received: now 3, from 3 to 3. finalized: now 0, from 0 to 0.',
  );
  const incomplete = [true, true, false, true, false].map((each, i) => ({ ...step(i, 0), incomplete: each }));
  expect(gapsOf({ stepMs: 60_000, steps: incomplete })).toEqual([
    [0, 2],
    [3, 4],
  ]);
});

test('a stream that brings nothing of what the summary stands for is dead after a while, and only then', () => {
  const check = new StreamCheck();
  expect([check.isDead('e9', 0), check.isDead('e9', 60_000)]).toEqual([false, false]);
  check.brought('e1');
  expect([check.isDead('e1', 0), check.isDead('e1', 60_000)]).toEqual([false, false]);
  expect([check.isDead('e2', 60_000), check.isDead('e2', 74_999)]).toEqual([false, false]);
  check.brought('e2');
  expect([check.isDead('e3', 80_000), check.isDead('e4', 94_999), check.isDead('e4', 95_000)]).toEqual([
    false,
    false,
    true,
  ]);
  expect(check.isDead('e4', 95_001)).toBe(false);
});

test('changes of one picture reach the listeners together, and none without a change', () => {
  const flushes: (() => void)[] = [];
  const store = new Store({ a: 1, b: 1 }, (flush) => flushes.push(flush));
  let calls = 0;
  const remove = store.subscribe(() => (calls += 1));
  store.set({ a: 1 });
  expect(flushes).toHaveLength(0);
  store.set({ a: 2 });
  store.set({ b: 2 });
  expect(flushes).toHaveLength(1);
  flushes[0]?.();
  expect([calls, store.state]).toEqual([1, { a: 2, b: 2 }]);
  remove();
  store.set({ a: 3 });
  flushes[1]?.();
  expect(calls).toBe(1);
});

test('what changes all the time is read once per interval, one read at a time', async () => {
  const starts: number[] = [];
  let running = 0;
  const reader = new Rereader(
    async () => {
      starts.push(performance.now());
      running += 1;
      expect(running).toBe(1);
      await sleep(1);
      running -= 1;
    },
    { atMostEveryMs: 30, atLeastEveryMs: 10_000 },
  );
  reader.start();
  for (let i = 0; i < 60; i++) {
    reader.changed();
    await sleep(2);
  }
  await expect.poll(() => running).toBe(0);
  reader.stop();
  const gaps = starts.slice(1).map((start, i) => start - (starts[i] ?? 0));
  expect(starts.length).toBeGreaterThan(2);
  for (const gap of gaps) expect(gap).toBeGreaterThan(28);
});
