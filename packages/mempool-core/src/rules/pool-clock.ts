import type { DriverOptions } from '../contract/driver.ts';

/**
 * Returns the pool's clock, in milliseconds since 1970: the application's `now` if given, else this machine's clock. No
 * other code reads the machine's clock.
 */
export function poolClock({ now }: Partial<Pick<DriverOptions, 'now'>>): () => number {
  return now ?? (() => Date.now());
}

/** Returns the time of a call: the caller's time, or the time of the pool's clock if that is earlier or the caller gave none. */
export function callTimeOf(given: number | null, poolMs: number): number {
  return given === null ? poolMs : Math.min(given, poolMs);
}

/**
 * Returns the time of a call that writes, for its events (E5): the pool's clock in whole milliseconds, but at least
 * `lastAt`, the time of the last call with events (0 before the first).
 */
export function eventTime(nowMs: number, lastAt: number): number {
  return Math.min(Math.max(Math.floor(nowMs), lastAt, 1), maxAt);
}

/** Times have 48 bits in stored records. This is the year 10,889. */
const maxAt = 2 ** 48 - 1;

/** Returns the end of a claim in milliseconds since 1970, as a safe integer that every store can keep. */
export function claimEnd(nowMs: number, claimMs: number): number {
  return Math.min(Math.floor(nowMs) + claimMs, Number.MAX_SAFE_INTEGER);
}
