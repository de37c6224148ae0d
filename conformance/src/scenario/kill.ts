import type { OpenOptions } from 'mempool-core';
import type { Call } from '../case/call.ts';
import type { CaseContext } from '../case/case.ts';
import { untilMs } from './moment.ts';

/** The moment of the kill, in calls behind an answer: without it every kill would strike the beginning of a call. */
const killWithinCalls = 3;

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
  const answers: unknown[] = [await child.message()];
  const begin = performance.now();
  while (answers.length < answered) answers.push(await child.message());
  const callMs = answers.length === 1 ? 1 : (performance.now() - begin) / (answers.length - 1);
  await untilMs(performance.now() + (random.below(1_000) / 1_000) * killWithinCalls * callMs);
  await child.kill();
  return [...answers, ...(await child.remaining())];
}
