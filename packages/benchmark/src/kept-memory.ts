/** Of glibc: memory once had stays with the process. On virtual machines a page fault may cost ten times what is copied into the page. */
export const keptMemory: NodeJS.ProcessEnv = {
  MALLOC_TRIM_THRESHOLD_: '8000000000',
  MALLOC_TOP_PAD_: '268435456',
  MALLOC_MMAP_THRESHOLD_: '33554432',
  MALLOC_ARENA_MAX: '1',
};

const mebibyte = 2 ** 20;
/** More than payloads take between two collections, and what they leave behind in pieces. */
const touchedMebibytes = 512;

/** Has the memory that payloads will take before anything is timed, so that no row pays for its pages. */
export function touchMemory(): void {
  const held: Buffer[] = [];
  while (held.length < touchedMebibytes) held.push(Buffer.alloc(mebibyte, 1));
  held.length = 0;
  globalThis.gc?.();
}
