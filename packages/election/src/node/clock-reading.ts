import type { ElectionClock } from '../contract/clock.ts';

/** Both clocks, read at one time. All calculations with elapsed time are in this file. */
export interface ClockReading {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

export function readClock(clock: ElectionClock): ClockReading {
  return { monotonicMs: clock.monotonicMs(), wallMs: clock.wallMs() };
}

/** Rule 3: the monotonic clock stops while a machine is suspended; the wall clock may be set back. The larger difference counts. */
export function elapsedMs(since: ClockReading, now: ClockReading): number {
  return Math.max(now.monotonicMs - since.monotonicMs, now.wallMs - since.wallMs);
}

/** Rule 3: how much earlier than the store a leader treats its lease as expired. */
export function marginMs(ttlMs: number): number {
  return Math.max(0.02 * ttlMs, 50) + 2;
}

/** Rule 4: how long to wait on the own clock, to be sure that `durationMs` has passed on another clock. */
export function patienceMs(durationMs: number): number {
  return durationMs * 1.02 + 50;
}
