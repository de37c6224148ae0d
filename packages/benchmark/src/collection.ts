import { getHeapStatistics } from 'node:v8';

const mostGrowthBytes = 48 * 2 ** 20;
/** V8 lets go of shapes that code was compiled for only after so many collections that found none of them. */
const collectionsUntilForgotten = 4;
/** A million transactions in the heap: past this none is forced but one at the beginning of a row; they come by themselves. */
const dearMs = 400;

let heldBytes = 0;
let lastMs = 0;

/** A full collection, and how long one takes from now on. */
export function collectAtOnce(): void {
  const start = performance.now();
  globalThis.gc?.();
  lastMs = performance.now() - start;
  heldBytes = held();
}

/** A full collection, unless one takes too long. */
export function collect(): void {
  if (lastMs < dearMs) collectAtOnce();
}

/** A full collection where one would soon come by itself: outside the time, whose turn it is would be chance. */
export function collectGrowth(): void {
  if (held() - heldBytes > mostGrowthBytes) collect();
}

/** What another left young, so that nobody pays for it. */
export function collectYoung(): void {
  globalThis.gc?.({ type: 'minor', execution: 'sync' });
}

/** Code compiled for objects that are gone is thrown away, as it is sooner or later in a process that lives long. */
export function forget(): void {
  for (let i = 0; i < collectionsUntilForgotten; i++) collect();
}

/** Payloads lie outside the heap; what is young in it is collected without a full collection. */
function held(): number {
  return getHeapStatistics().external_memory;
}
