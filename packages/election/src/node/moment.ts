import type { ElectionClock } from '../contract/clock.ts';

/** One reading of both clocks. Everything that depends on how much time has passed is worked out here. */
export interface Moment {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

export function momentOf(clock: ElectionClock): Moment {
  return { monotonicMs: clock.monotonicMs(), wallMs: clock.wallMs() };
}

/** Rule 3: the monotonic clock stands still while a machine is suspended, the wall clock may be set back; the larger counts. */
export function elapsedMs(since: Moment, now: Moment): number {
  return Math.max(now.monotonicMs - since.monotonicMs, now.wallMs - since.wallMs);
}

/** Rule 3: how much sooner than the store a leader takes its lease for expired. */
export function marginMs(ttlMs: number): number {
  return Math.max(0.02 * ttlMs, 50) + 2;
}

/** Rule 4: how long one clock has to run to be sure that so much has passed on another. */
export function patienceMs(durationMs: number): number {
  return durationMs * 1.02 + 50;
}
