import { setTimeout as delay } from 'node:timers/promises';
import type { OpenOptions } from 'mempool-core';
import type { Call } from './call.ts';
import type { CaseContext } from './case.ts';

/** The moment of the kill, in milliseconds behind an answer: without it every kill would strike the beginning of a call. */
const killWithinMs = 25;

export interface Killing {
  readonly calls: readonly Call[];
  readonly options: OpenOptions;
  /** How many answers are waited for before the kill. */
  readonly answered: number;
}

/** Lets a child make the calls and kills it, in the middle of one most likely. Returns the answers it told. */
export async function playAndKill(
  { fork, random }: CaseContext,
  { calls, options, answered }: Killing,
): Promise<unknown[]> {
  const child = await fork('play', { calls, options });
  const answers: unknown[] = [];
  while (answers.length < answered) answers.push(await child.message());
  await delay(random.below(killWithinMs));
  await child.kill();
  return [...answers, ...(await child.remaining())];
}
