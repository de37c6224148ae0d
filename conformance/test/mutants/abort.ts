import { setImmediate as turn } from 'node:timers/promises';
import type { MempoolStore } from 'mempool-core';
import { handed, type Mutant } from './mutant.ts';
import { rankedStore } from './priority-pool.ts';
import {
  type Around,
  again,
  allVerbs,
  around,
  outcomeOf,
  signalOf,
  through,
  withoutSignal,
  writeVerbs,
} from './through.ts';

type Interrupted = (
  call: (...given: readonly unknown[]) => Promise<unknown>,
  given: readonly unknown[],
  signal: AbortSignal,
  store: MempoolStore,
) => Promise<unknown>;

/** Right where the signal fires at once; a fault where it fires while the call is on its way. */
const late =
  (store: MempoolStore, run: Interrupted): Around =>
  async (verb, call, given) => {
    const signal = signalOf(given);
    if (signal === undefined || signal.aborted) return call();
    await null;
    signal.throwIfAborted();
    const outcome = await run((...all) => again(store, verb, all), withoutSignal(given), signal, store);
    signal.throwIfAborted();
    return outcome;
  };

function aborting(id: string, run: Interrupted): Mutant {
  return around(id, writeVerbs, (store) => late(store, run));
}

/** The same in the verbs of pools with limits. */
function abortingLimits(id: string, run: Interrupted): Mutant {
  const verbs = ['take', 'flush', 'sweep', 'setLimits', 'revise'] as unknown as typeof writeVerbs;
  return rankedStore(id, (store) => through(store, verbs, late(store, run)));
}

const rejectsLate: Interrupted = async (call, given) => {
  const outcome = await call(...given);
  await turn();
  return outcome;
};

const doneLater: Interrupted = async (call, given, signal) => {
  await turn();
  if (!signal.aborted) return call(...given);
  setImmediate(() => void call(...given).catch(() => undefined));
  return undefined;
};

/** R3. */
export const abortMutants: readonly Mutant[] = [
  around(
    'aborted-signal-ignored',
    allVerbs,
    (store) => (verb, call, given) => (signalOf(given)?.aborted ? again(store, verb, withoutSignal(given)) : call()),
  ),
  around(
    'abort-with-a-reason-of-its-own',
    allVerbs,
    () => (_, call, given) =>
      signalOf(given)?.aborted ? Promise.reject(new DOMException('aborted', 'AbortError')) : call(),
  ),
  around('aborted-after-writing', writeVerbs, (store) => async (verb, call, given) => {
    const signal = signalOf(given);
    if (signal === undefined) return call();
    const outcome = await again(store, verb, withoutSignal(given));
    signal.throwIfAborted();
    return outcome;
  }),
  around('aborted-on-its-way-but-done', writeVerbs, (store) => async (verb, call, given) => {
    const signal = signalOf(given);
    if (signal === undefined || signal.aborted) return call();
    const outcome = await again(store, verb, withoutSignal(given));
    signal.throwIfAborted();
    return outcome;
  }),
  around('answered-on-its-way-but-not-done', writeVerbs, () => async (verb, call, given) => {
    const signal = signalOf(given);
    if (signal === undefined || signal.aborted) return call();
    await turn();
    return signal.aborted ? outcomeOf(verb) : call();
  }),
  aborting('rejects-late-though-done', rejectsLate),
  abortingLimits('limit-verbs-reject-late-though-done', rejectsLate),
  aborting('rejected-and-done-later', doneLater),
  abortingLimits('limit-verbs-rejected-and-done-later', doneLater),
  aborting('half-done-when-aborted', async (call, [list, ...more], signal) => {
    if (!Array.isArray(list)) return call(list, ...more);
    const middle = Math.ceil(list.length / 2);
    const first = (await call(list.slice(0, middle), ...more)) as unknown[];
    await turn();
    if (signal.aborted) return first;
    return [...first, ...((await call(list.slice(middle), ...more)) as unknown[])];
  }),
  // Its events and numbers stay used up.
  aborting('aborted-call-taken-back-by-another', async (call, given, signal, store) => {
    const { pending } = await store.usage();
    const outcome = await call(...given);
    await turn();
    if (!signal.aborted) return outcome;
    const waiting = (await store.peekPending({ limit: 1_000 })).map(({ hash }) => hash);
    if (waiting.length > pending) await store.drop(waiting.slice(pending), 'aborted');
    if (waiting.length < pending)
      await store.release((await store.peekInflight({ limit: 1_000 })).map(({ hash }) => hash));
    return outcome;
  }),
  around('reason-must-be-an-error', allVerbs, () => (_, call, given) => {
    const reason: unknown = signalOf(given)?.reason;
    return reason === undefined || reason instanceof Error ? call() : Promise.reject(new Error(String(reason)));
  }),
  handed('late-abort-takes-it-back', (store) => ({
    receive: async (batch, options = {}) => {
      const outcomes = await store.receive(batch, options);
      const { signal } = options;
      signal?.addEventListener(
        'abort',
        () =>
          void store.drop(
            batch.map(({ hash }) => hash),
            'aborted',
          ),
      );
      return outcomes;
    },
  })),
  handed('one-abort-ends-the-calls-of-all', (store) => {
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
