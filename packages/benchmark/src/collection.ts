import { getHeapStatistics } from 'node:v8';

const leastGrowthBytes = 48 * 2 ** 20;
/** Of what is held: where a collection has much to look at, it comes less often. */
const growthShare = 1 / 16;
/** V8 lets go of shapes that code was compiled for only after so many collections that found none of them. */
const collectionsUntilForgotten = 4;
/** Past this a collection takes too much of a row to force one in each round. */
const dearMs = 400;

let heldBytes = 0;
let lastMs = 0;

/** A full collection, unless one takes too long. */
export function collect(): void {
  if (lastMs < dearMs) collectNow();
}

/** A full collection where one would soon come by itself: outside the time, whose turn it is would be chance. */
export function collectGrowth(): void {
  if (held() - heldBytes > Math.max(leastGrowthBytes, heldBytes * growthShare)) collectNow();
}

/** What another left young, so that nobody pays for it. */
export function collectYoung(): void {
  globalThis.gc?.({ type: 'minor', execution: 'sync' });
}

/** Code compiled for objects that are gone is thrown away, as it is sooner or later in a process that lives long. */
export function forget(): void {
  for (let i = 0; i < collectionsUntilForgotten; i++) collectNow();
}

function collectNow(): void {
  const start = performance.now();
  globalThis.gc?.();
  lastMs = performance.now() - start;
  heldBytes = held();
}

/** Payloads lie outside the heap; what is young in it is collected without a full collection. */
function held(): number {
  return getHeapStatistics().external_memory;
}
