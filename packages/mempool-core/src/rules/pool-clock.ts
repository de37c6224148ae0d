import type { DriverOptions } from '../contract/driver.ts';

/** Milliseconds since 1970 as the application gives them, else this machine's: the one place that reads its clock. */
export function poolClock({ now }: Partial<Pick<DriverOptions, 'now'>>): () => number {
  return now ?? (() => Date.now());
}

/** When a call is made: a caller may say that it was earlier than now, not later. */
export function callTimeOf(given: number | null, poolMs: number): number {
  return given === null ? poolMs : Math.min(given, poolMs);
}

/** When a lease ends: a whole number that every store can keep. */
export function claimEnd(nowMs: number, claimMs: number): number {
  return Math.min(Math.floor(nowMs) + claimMs, Number.MAX_SAFE_INTEGER);
}
