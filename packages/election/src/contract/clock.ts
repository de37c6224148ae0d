/** The only source of time of an election. Tests pass their own. */
export interface ElectionClock {
  /** Returns monotonic milliseconds. This clock may stop while the machine is suspended. */
  monotonicMs(): number;
  /** Returns milliseconds since 1970. An operator may set this clock, so only differences of it on this host are used. */
  wallMs(): number;
  /** Calls `callback` once, after `delayMs` milliseconds of `monotonicMs`. Returns a function that cancels the call. */
  schedule(callback: () => void, delayMs: number): () => void;
}

/** `setTimeout` fires at once with a longer delay. Callers that wake too early sleep again. */
const longestTimerMs = 2 ** 31 - 1;

/** The clocks of the process: `performance.now`, `Date.now` and `setTimeout`. */
export const systemClock: ElectionClock = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
  schedule(callback, delayMs) {
    const timer = setTimeout(callback, Math.min(delayMs, longestTimerMs));
    return () => clearTimeout(timer);
  },
};
