/** All that an election knows of time; injected, so that a test decides what it is. */
export interface ElectionClock {
  /** Milliseconds that only rise; they may stand still while the machine is suspended. */
  monotonicMs(): number;
  /** Milliseconds since 1970; an operator may set them. Only differences on this one clock are used, never another host's. */
  wallMs(): number;
  /** Calls back once, after so many milliseconds of `monotonicMs`. Returns what cancels it. */
  schedule(callback: () => void, delayMs: number): () => void;
}

/** A longer timer would fire at once. Whoever is woken too early looks, and sleeps on. */
const longestTimerMs = 2 ** 31 - 1;

export const systemClock: ElectionClock = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
  schedule(callback, delayMs) {
    const timer = setTimeout(callback, Math.min(delayMs, longestTimerMs));
    return () => clearTimeout(timer);
  },
};
