import type { Place } from '../backends/place.ts';

/** Milliseconds since whenever; only differences mean something. */
export type Clock = () => number;

export const wallClock: Clock = () => performance.now();

/** Time that this thread was on a processor: other processes may take that away, but not add to it. */
const threadClock: Clock = () => {
  // Asked for the whole process, Linux brings the account of this thread up to date; else it lags by up to 4 ms.
  process.cpuUsage();
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

/** What is kept in this process waits for nothing, so its cost is this thread's work. Elsewhere waiting is part of it. */
export function clockOf(place: Place): Clock {
  return place === 'heap' ? threadClock : wallClock;
}
