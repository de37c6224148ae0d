import type { Place } from '../backends/place.ts';
import type { BenchContext } from './context.ts';

/** Of glibc: memory once had stays with the process. On virtual machines a page fault may cost ten times what is copied into the page. */
export const keptMemory: NodeJS.ProcessEnv = {
  MALLOC_TRIM_THRESHOLD_: '8000000000',
  MALLOC_TOP_PAD_: '268435456',
  MALLOC_MMAP_THRESHOLD_: '33554432',
  MALLOC_ARENA_MAX: '1',
};

/**
 * Of V8: the pages of its heap stay too, as long as anything on them is alive. And payloads are freed by whoever collects, not beside
 * what goes on: glibc lets one thread in at a time, and a page of a hundred was seen to cost 0.33 or 0.5 µs a transaction by that.
 */
export const keptPages: readonly string[] = [
  '--no-compact',
  '--no-page-promotion',
  '--no-concurrent-array-buffer-sweeping',
];

const mebibyte = 2 ** 20;
/** More than payloads take between two collections, and what they leave behind in pieces. */
const touchedMebibytes = 512;
/** More than objects take between two collections. */
const touchedHeapMebibytes = 96;

/** Has the memory that payloads will take before anything is timed, so that no row pays for its pages. */
export function touchMemory(): void {
  const held: Buffer[] = [];
  while (held.length < touchedMebibytes) held.push(Buffer.alloc(mebibyte, 1));
  held.length = 0;
  globalThis.gc?.();
}

const kibibyteArray = 126;
const sentinels: unknown[] = [];

/**
 * The same behind pools that are kept in this heap, and of what objects will take: what V8 has swept it gives back to the system,
 * but for pages with something alive on them. Not for a single round, which is a quick look.
 */
export function touchHeap(place: Place, { rounds }: Pick<BenchContext, 'rounds'>): void {
  if (place !== 'heap' || rounds === 1) return;
  touchMemory();
  const held = Array.from({ length: touchedHeapMebibytes * 1_024 }, (_, i) => new Array(kibibyteArray).fill(i));
  // Whoever outlives two of these is old.
  for (let i = 0; i < 2; i++) globalThis.gc?.({ type: 'minor', execution: 'sync' });
  // A page has 256 KiB, and what was made one after the other need not lie so.
  for (let i = 0; i < held.length; i += 100) sentinels.push(held[i]);
  held.length = 0;
  globalThis.gc?.();
}
