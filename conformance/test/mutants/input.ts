import { setImmediate as turn } from 'node:timers/promises';
import { type MempoolError, MempoolError as Refusal } from 'mempool-core';
import { invalid } from 'mempool-core/backend';
import { fifo } from './fifo.ts';
import type { Mutant } from './mutant.ts';
import { stores } from './stores.ts';
import { allVerbs, outcomeOf, type Verb, writeVerbs } from './through.ts';

/** Bad input refused in another way, or answered. */
function refused(id: string, answer: (error: MempoolError, verb: Verb) => unknown): Mutant {
  return stores.caught(id, allVerbs, 'ERR_MEMPOOL_INVALID', (error, { verb }) => answer(error, verb));
}

function emptyRefused(id: string, verbs: readonly Verb[]): Mutant {
  return stores.every(id, verbs, (at) => {
    const [first, ...more] = at.given as readonly unknown[];
    const isEmpty = Array.isArray(first) && first.length === 0;
    const call = at.call as (...given: unknown[]) => unknown;
    return isEmpty ? Promise.reject(invalid('hashes', 'at least one')) : call(first, ...more);
  });
}

/** M2 and X1. */
export const inputMutants: readonly Mutant[] = [
  refused('bad-input-answered-with-nothing', (_, verb) => outcomeOf(verb)),
  refused('bad-input-without-its-field', ({ code, message }) => Promise.reject(new Refusal(code, message))),
  refused('bad-input-is-a-type-error', ({ message }) => Promise.reject(new TypeError(message))),
  stores.caught('refused-after-writing', allVerbs, 'ERR_MEMPOOL_INVALID', async (error, { store }) => {
    await store.receive([{ hash: 'ee', payload: new Uint8Array(1), payloadType: 0 }]);
    throw error;
  }),
  stores.caught('bad-one-refused-good-ones-received', ['receive'], null, async (error, { store, given: [batch] }) => {
    for (const one of batch) await store.receive([one]).catch(() => undefined);
    throw error;
  }),
  stores.plant('one-bad-call-rejects-the-next', (store) => {
    let refused = false;
    return {
      receive: async (batch, options) => {
        if (refused) throw invalid('transactions', 'good');
        const calling = store.receive(batch, options);
        refused = await calling.then(
          () => false,
          () => true,
        );
        return calling;
      },
    };
  }),
  stores.plant('neighbours-share-a-refusal', (store) => {
    let waiting: Promise<unknown> = Promise.resolve();
    return {
      receive: (batch, options) => {
        const calling = store.receive(batch, options);
        const both = Promise.all([waiting, calling]).then(() => calling);
        waiting = calling.catch((error: unknown) => turn().then(() => Promise.reject(error)));
        waiting.catch(() => undefined);
        return both;
      },
    };
  }),
  stores.instead('five-hundred-in-a-call-at-most', {
    findInflight: ({ given: [hashes] }) => hashes.length > 500 && Promise.reject(invalid('hashes', 'at most 500')),
  }),
  fifo.blocks('long-seen-cut', ({ seen }) => ({ seen: seen.slice(0, 10_000) })),
  fifo.blocks('long-unseen-cut', ({ unseen }) => ({ unseen: unseen.slice(0, 10_000) })),
  emptyRefused('nothing-in-is-refused', writeVerbs),
  emptyRefused('nothing-to-look-up-is-refused', ['findInflight', 'checkStatus']),
  stores.opened('payloads-up-to-any-size', (options) => ({ ...options, maxTxBytes: 100_000_000 })),
  stores.opened('payloads-up-to-64-kibibytes', (options) => ({ maxTxBytes: 65_536, ...options })),
  stores.opened('payloads-one-byte-less', ({ maxTxBytes = 1_048_576, ...options }) => ({
    ...options,
    maxTxBytes: maxTxBytes - 1,
  })),
  stores.opened('options-not-checked', (options) => {
    const isGood = (value: unknown) => typeof value !== 'number' || (Number.isSafeInteger(value) && value > 0);
    return Object.fromEntries(Object.entries(options).filter(([, value]) => isGood(value)));
  }),
  fifo.around('reads-overtake-writes', {
    receive: ({ pool, given }) => turn().then(() => pool.receive(...given)),
  }),
];
