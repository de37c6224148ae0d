import type { Place } from './context.ts';

/** Milliseconds since an arbitrary moment. */
export type Clock = () => number;

const wallClock: Clock = () => performance.now();

/** Time that this thread was on a processor: other processes can delay it, but not add to it. */
const threadClock: Clock = () => {
  // Asked for the whole process, Linux brings the account of this thread up to date; else it lags by up to 4 ms.
  process.cpuUsage();
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

/** Work in this process waits for nothing, so its cost is the thread's time. Elsewhere the wait is part of it. */
export function clockOf(place: Place): Clock {
  return place === 'heap' ? threadClock : wallClock;
}
