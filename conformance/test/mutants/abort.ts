import { setImmediate as turn } from 'node:timers/promises';
import { handed, type Mutant } from './mutant.ts';
import { again, allVerbs, around, outcomeOf, signalOf, withoutSignal, writeVerbs } from './through.ts';

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
