import { shortest } from './shrink.ts';

/** How a history is played and reported. */
export interface Play<Step> {
  readonly seed: number;
  /** Plays the steps on a new subject. Returns the first step that shows a fault, or `null`. */
  readonly faultOf: (steps: readonly Step[]) => Promise<Fault | null>;
  /** A step as a line of the report. */
  readonly lineOf: (step: Step) => string;
  readonly signal?: AbortSignal | undefined;
  /** The longest time to shorten a failing history, in milliseconds; default 20,000. */
  readonly shortenMs?: number | undefined;
}

export interface Fault {
  /** Index of the step. */
  readonly at: number;
  readonly error: Error;
}

/** A failed history is reported with at most this many steps. */
const maxTold = 200;

/**
 * Plays a history. A failing one is shortened, and reported step by step with its seed.
 *
 * @throws Error with the difference and the steps
 */
export async function playHistory<Step>(steps: readonly Step[], play: Play<Step>): Promise<void> {
  const first = await play.faultOf(steps);
  if (first === null) return;
  const limit = AbortSignal.timeout(play.shortenMs ?? 20_000);
  const found = { kept: steps.slice(0, first.at + 1), error: first.error };
  const fails = async (some: readonly Step[]): Promise<boolean> => {
    const fault = await play.faultOf(some);
    if (fault !== null) Object.assign(found, { kept: some.slice(0, fault.at + 1), error: fault.error });
    return fault !== null;
  };
  await shortest(found.kept, fails, play.signal === undefined ? limit : AbortSignal.any([limit, play.signal]));
  const { kept, error } = found;
  const left = kept.length > maxTold ? [`// ${kept.length - maxTold} steps before these`] : [];
  const story = [...left, ...kept.slice(-maxTold).map(play.lineOf)].join('\n');
  throw new Error(`${error.message}\n\nThe last line of this history is the wrong one (seed ${play.seed}):\n${story}`, {
    cause: error,
  });
}

/** Plays steps one by one until one throws. @throws the error of a step that was aborted */
export async function firstFault<Step>(
  steps: readonly Step[],
  play: (step: Step) => Promise<void>,
  signal: AbortSignal | undefined,
): Promise<Fault | null> {
  for (const [at, step] of steps.entries()) {
    signal?.throwIfAborted();
    try {
      await play(step);
    } catch (error) {
      if (signal?.aborted) throw error;
      return { at, error: error instanceof Error ? error : new Error(String(error)) };
    }
  }
  return null;
}
