import { setImmediate as turn } from 'node:timers/promises';
import type { OpenOptions } from 'mempool-core';
import type { Call } from '../case/call.ts';
import type { CaseContext } from '../case/case.ts';
import type { Random } from '../case/random.ts';

/** The kill comes up to this many calls' time after an answer. Without the delay it would always hit the beginning of a call. */
const killWithinCalls = 3;

export interface Killing {
  readonly calls: readonly Call[];
  readonly options: OpenOptions;
  /** How many answers are waited for before the kill. */
  readonly answered: number;
}

/** Lets a child make the calls and kills it, most likely in the middle of one. Returns the answers it sent. */
export async function playAndKill(
  { fork, random }: CaseContext,
  { calls, options, answered }: Killing,
): Promise<unknown[]> {
  const child = await fork('play', { calls, options });
  const answers: unknown[] = [await child.message()];
  const begin = performance.now();
  while (answers.length < answered) answers.push(await child.message());
  const callMs = answers.length === 1 ? 1 : (performance.now() - begin) / (answers.length - 1);
  await untilMs(performance.now() + (random.below(1_000) / 1_000) * killWithinCalls * callMs);
  await child.kill();
  return [...answers, ...(await child.remaining())];
}

/** Waits until `performance.now()` reaches `end`, more exactly than a timer. */
export async function untilMs(end: number): Promise<void> {
  while (performance.now() < end) await turn();
}

const maxMicrotasks = 40;
const maxTurns = 8;

/** Waits until some moment within a call that takes `callMs`: some microtasks, some turns of the event loop, or part of its time. */
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
