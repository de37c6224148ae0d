import type { ElectionClock } from '../contract/clock.ts';

/** The monotonic clock and the wall clock, read at one time. All calculations with elapsed time are in this file. */
export interface ClockReading {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

export function readClock(clock: ElectionClock): ClockReading {
  return { monotonicMs: clock.monotonicMs(), wallMs: clock.wallMs() };
}

/**
 * Returns the elapsed time: the larger difference of the two clocks (rule 3). The monotonic clock may stop while the machine is
 * suspended, and the wall clock may be set back.
 */
export function elapsedMs(since: ClockReading, now: ClockReading): number {
  return Math.max(now.monotonicMs - since.monotonicMs, now.wallMs - since.wallMs);
}

/** Returns how many milliseconds earlier than the store a leader treats its lease as expired (rule 3). */
export function marginMs(ttlMs: number): number {
  return Math.max(0.02 * ttlMs, 50) + 2;
}

/** Returns how long to wait by this clock until `durationMs` has surely passed by another node's clock (rule 4). */
export function patienceMs(durationMs: number): number {
  return durationMs * 1.02 + 50;
}
