import { setTimeout as sleep } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import type { Place } from '../setup/context.ts';

const mebibyte = 2 ** 20;
/** V8 begins a full collection by itself once payloads have grown by 64 MiB. */
const mostGrowthBytes = 48 * mebibyte;
/** With a million transactions in the heap, a collection is forced only at the beginning of a row. */
const longCollectionMs = 1_000;

/** How often, and at what interval, the process is checked until its other threads are idle. */
const mostLooks = 25;
const lookMs = 4;
const idleShare = 0.15;

let heldBytes = 0;
let lastMs = 0;

/** A full collection. */
export function collectAtOnce(): void {
  const start = performance.now();
  globalThis.gc?.();
  lastMs = performance.now() - start;
  heldBytes = held();
}

/** A full collection, outside the measured time, if V8 would soon begin one in a random turn. */
export async function collectGrowth(): Promise<void> {
  if (lastMs >= longCollectionMs || held() - heldBytes <= mostGrowthBytes) return;
  collectAtOnce();
  // Other threads sweep after a collection: they would slow the next turn down.
  for (let looks = 0; looks < mostLooks; looks++) {
    const before = process.cpuUsage();
    await sleep(lookMs);
    const { user, system } = process.cpuUsage(before);
    if (user + system < idleShare * lookMs * 1_000) return;
  }
}

/** Removes the young objects of the turn before, so that no other turn pays for them. */
export function collectYoung(): void {
  globalThis.gc?.({ type: 'minor', execution: 'sync' });
}

/** The heap, and the payloads outside it. */
function held(): number {
  const { external_memory, used_heap_size } = getHeapStatistics();
  return external_memory + used_heap_size;
}

/** Of glibc: the process keeps its memory. On virtual machines a page fault may cost ten times the copy into the page. */
const keptMemory: NodeJS.ProcessEnv = {
  MALLOC_TRIM_THRESHOLD_: '8000000000',
  MALLOC_TOP_PAD_: '268435456',
  MALLOC_MMAP_THRESHOLD_: '33554432',
  MALLOC_ARENA_MAX: '1',
};

/** V8 keeps object shapes (maps) from turn to turn, as in a busy process. Otherwise it discards compiled code in the pauses. */
const keptShapes = ['--retain-maps-for-n-gc=1000000'];

const flags: Readonly<Record<Place, readonly string[]>> = {
  // The pages of the heap stay while anything on them is alive, and the collecting thread frees the payloads itself: glibc lets one
  // thread in at a time, and a page of a hundred cost 0.33 or 0.5 µs a transaction by that.
  heap: ['--no-compact', '--no-page-promotion', '--no-concurrent-array-buffer-sweeping'],
  // V8 begins no full collection by itself: its marking takes the other processor from the server, and a bare pipeline cost 6 or
  // 12 µs a transaction by that.
  file: ['--heap-growing-percent=1000', '--no-memory-reducer'],
  server: ['--heap-growing-percent=1000', '--no-memory-reducer'],
};

/** How a process that measures is started. */
export function startOf(place: Place): { execArgv: string[]; env: NodeJS.ProcessEnv } {
  return { execArgv: [...process.execArgv, ...keptShapes, ...flags[place]], env: { ...process.env, ...keptMemory } };
}

/** More than payloads take between two collections, and what they leave behind in pieces. */
const touchedMebibytes = 512;

/** Takes the memory that payloads will need before anything is timed, so that no row pays for its pages. */
export function touchMemory(): void {
  const held: Buffer[] = [];
  while (held.length < touchedMebibytes) held.push(Buffer.alloc(mebibyte, 1));
  held.length = 0;
  globalThis.gc?.();
}
