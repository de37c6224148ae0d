import { setImmediate as turn } from 'node:timers/promises';
import type { TestedPool } from '../../src/case/tested-pool.ts';
import type { Mutant } from './mutant.ts';
import { pools, stores } from './store-operators.ts';
import { again, allVerbs, signalOf, withOptions, writeVerbs } from './through.ts';

/** A call with a signal that has not fired as it was made. */
interface Interrupted {
  readonly store: TestedPool;
  readonly verb: string;
  readonly given: readonly unknown[];
  readonly signal: AbortSignal;
  /** Without the signal. */
  readonly call: (...given: readonly unknown[]) => Promise<unknown>;
}
type Run = (at: Interrupted) => Promise<unknown>;

const withoutSignal = (given: readonly unknown[]) => withOptions(given, () => ({ signal: undefined }));

/** A fault where the signal fires, or has fired, that is none without one. */
const signalled =
  (isMeant: (signal: AbortSignal) => boolean, run: Run) =>
  ({ store, verb, given }: { store: TestedPool; verb: string; given: readonly unknown[] }): Promise<unknown> => {
    const signal = signalOf(given);
    if (signal === undefined || !isMeant(signal)) return again(store, verb, given);
    const call = (...all: readonly unknown[]) => again(store, verb, all);
    return run({ store, verb, given: withoutSignal(given), signal, call });
  };
const isToFire = ({ aborted }: AbortSignal): boolean => !aborted;

/** Right where the signal fires at once; a fault where it fires while the call is on its way. */
const late = (run: Run) =>
  signalled(isToFire, async (at) => {
    await null;
    at.signal.throwIfAborted();
    const outcome = await run(at);
    at.signal.throwIfAborted();
    return outcome;
  });

function aborting(id: string, run: Run): Mutant {
  return stores.every(id, writeVerbs, late(run));
}

/** The same in the verbs of pools with limits. */
function abortingLimits(id: string, run: Run): Mutant {
  return pools.every(id, ['take', 'flush', 'sweep', 'setLimits', 'revise'], late(run));
}

const rejectsLate: Run = async ({ call, given }) => {
  const outcome = await call(...given);
  await turn();
  return outcome;
};

/** R3. */
export const abortMutants: readonly Mutant[] = [
  aborting('rejects-late-though-done', rejectsLate),
  abortingLimits('limit-verbs-reject-late-though-done', rejectsLate),
  stores.every('reason-must-be-an-error', allVerbs, ({ store, verb, given }) => {
    const reason: unknown = signalOf(given)?.reason;
    const isGood = reason === undefined || reason instanceof Error;
    return isGood ? again(store, verb, given) : Promise.reject(new Error(String(reason)));
  }),
  stores.told('late-abort-takes-it-back', {
    receive: (told, { store, given: [, { signal } = {}] }) => {
      const hashes = told.map(({ hash }) => hash);
      signal?.addEventListener('abort', () => void store.drop(hashes, { app: 'aborted' }));
    },
  }),
  stores.plant('one-abort-ends-the-calls-of-all', (store) => {
    let current: AbortSignal | undefined;
    return {
      receive: async (batch, options = {}) => {
        current = options.signal ?? current;
        await turn();
        current?.throwIfAborted();
        return store.receive(batch, options);
      },
    };
  }),
];
