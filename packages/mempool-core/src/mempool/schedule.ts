/** Calls back once, after so many milliseconds. Returns what cancels it. */
export type Schedule = (callback: () => void, delayMs: number) => () => void;

/** A real timer, which keeps no process alive. */
export const backgroundTimer: Schedule = (callback, delayMs) => {
  const timer = setTimeout(callback, delayMs).unref();
  return () => clearTimeout(timer);
};
