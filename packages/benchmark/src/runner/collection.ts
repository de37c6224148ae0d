import { setTimeout as sleep } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';

/** V8 begins a full collection by itself once payloads have grown by 64 MiB. */
const mostGrowthBytes = 48 * 2 ** 20;
/** A million transactions in the heap: past this none is forced but one at the beginning of a row; they come by themselves. */
const dearMs = 1_000;

/** How often, and how far apart, the process is looked at until it works on nothing any more. */
const mostLooks = 25;
const lookMs = 4;
const idleShare = 0.15;

let heldBytes = 0;
let lastMs = 0;

/** A full collection, and how long one takes from now on. */
export function collectAtOnce(): void {
  const start = performance.now();
  globalThis.gc?.();
  lastMs = performance.now() - start;
  heldBytes = held();
}

/** A full collection where one would soon come by itself: outside the time, whose turn it is would be chance. */
export async function collectGrowth(): Promise<void> {
  if (lastMs >= dearMs || held() - heldBytes <= mostGrowthBytes) return;
  collectAtOnce();
  await settled();
}

/** Other threads of this process have done what a collection leaves to them: they would slow down what is measured next. */
async function settled(): Promise<void> {
  for (let looks = 0; looks < mostLooks; looks++) {
    const before = process.cpuUsage();
    await sleep(lookMs);
    const { user, system } = process.cpuUsage(before);
    if (user + system < idleShare * lookMs * 1_000) return;
  }
}

/** What another left young, so that nobody pays for it. */
export function collectYoung(): void {
  globalThis.gc?.({ type: 'minor', execution: 'sync' });
}

/** The heap, and the payloads outside it. */
function held(): number {
  const { external_memory, used_heap_size } = getHeapStatistics();
  return external_memory + used_heap_size;
}
