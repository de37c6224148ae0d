import { setImmediate as turn } from 'node:timers/promises';

/** Short enough that nobody waits for it, long enough that the pauses cost nothing. */
const sliceMs = 5;

/**
 * Runs long work without blocking the event loop: after each slice, others have their turn. The work yields often. After
 * each pause it calls `resume`, whose error ends it.
 */
export async function inSlices<T>(work: Iterator<unknown, T>, resume: () => unknown = () => undefined): Promise<T> {
  try {
    for (;;) {
      const end = performance.now() + sliceMs;
      do {
        const at = work.next();
        if (at.done) return at.value;
      } while (performance.now() < end);
      await turn();
      resume();
    }
  } finally {
    work.return?.();
  }
}
