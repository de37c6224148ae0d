import { setTimeout as delay } from 'node:timers/promises';

/** How long a test waits for an event that must come. A loaded machine may be slow. */
export const patienceMs = 15_000;

/** Checks the condition until it holds. For conditions that no event reports. */
export async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`not within ${patienceMs} ms: ${holds}`);
    await delay(5);
  }
}
