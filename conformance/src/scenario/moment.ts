import { setImmediate as turn } from 'node:timers/promises';
import type { Random } from '../case/random.ts';

/** Waits until `performance.now()` is there, finer than a timer. */
export async function untilMs(end: number): Promise<void> {
  while (performance.now() < end) await turn();
}

const maxMicrotasks = 40;
const maxTurns = 8;

/** A moment within a call that takes `callMs`: some microtasks, some turns of the event loop, or some of its time after it began. */
export async function someMoment(random: Random, callMs: number): Promise<void> {
  switch (random.below(3)) {
    case 0:
      for (let n = random.below(maxMicrotasks); n > 0; n--) await null;
      return;
    case 1:
      for (let n = random.below(maxTurns); n >= 0; n--) await turn();
      return;
    default:
      await untilMs(performance.now() + (random.below(1_000) / 1_000) * callMs);
  }
}
