import { setTimeout as delay } from 'node:timers/promises';

/** How long a test waits for what must come; a loaded machine is slow, not wrong. */
export const patienceMs = 15_000;

/** Looks until it holds. For what tells nobody that it has happened. */
export async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`not within ${patienceMs} ms: ${holds}`);
    await delay(5);
  }
}
