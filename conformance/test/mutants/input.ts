import { setImmediate as turn } from 'node:timers/promises';
import { invalid, isMempoolError, MempoolError } from 'mempool-core';
import { answered, handed, type Mutant, opened } from './mutant.ts';
import { allVerbs, around, outcomeOf, readVerbs, writeVerbs } from './through.ts';

/** M2 and X1. */
export const inputMutants: readonly Mutant[] = [
  around(
    'bad-input-answered-with-nothing',
    allVerbs,
    () => (verb, call) =>
      call().catch((error: unknown) => {
        if (isMempoolError(error, 'ERR_MEMPOOL_INVALID')) return outcomeOf(verb);
        throw error;
      }),
  ),
  around(
    'bad-input-without-its-field',
    allVerbs,
    () => (_, call) =>
      call().catch((error: unknown) => {
        throw isMempoolError(error, 'ERR_MEMPOOL_INVALID') ? new MempoolError(error.code, error.message) : error;
      }),
  ),
  around(
    'bad-input-is-a-type-error',
    allVerbs,
    () => (_, call) =>
      call().catch((error: unknown) => {
        throw isMempoolError(error, 'ERR_MEMPOOL_INVALID') ? new TypeError(error.message) : error;
      }),
  ),
  around(
    'refused-after-writing',
    [...writeVerbs, ...readVerbs],
    (store) => (_, call) =>
      call().catch(async (error: unknown) => {
        if (isMempoolError(error, 'ERR_MEMPOOL_INVALID'))
          await store.receive([{ hash: 'ee', payload: new Uint8Array(1), payloadType: 0 }]);
        throw error;
      }),
  ),
  handed('bad-one-refused-good-ones-received', (store) => ({
    receive: (batch, options) =>
      store.receive(batch, options).catch(async (error: unknown) => {
        for (const one of batch) await store.receive([one]).catch(() => undefined);
        throw error;
      }),
  })),
  handed('one-bad-call-rejects-the-next', (store) => {
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
  handed('neighbours-share-a-refusal', (store) => {
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
  handed('five-hundred-in-a-call-at-most', (store) => ({
    findInflight: (hashes, options) =>
      hashes.length > 500 ? Promise.reject(invalid('hashes', 'at most 500')) : store.findInflight(hashes, options),
  })),
  answered('long-seen-cut', (pool) => ({
    confirm: (block, context) => pool.confirm({ ...block, seen: block.seen.slice(0, 10_000) }, context),
  })),
  answered('long-unseen-cut', (pool) => ({
    confirm: (block, context) => pool.confirm({ ...block, unseen: block.unseen.slice(0, 10_000) }, context),
  })),
  around(
    'nothing-in-is-refused',
    writeVerbs,
    () =>
      (_, call, [first]) =>
        Array.isArray(first) && first.length === 0 ? Promise.reject(invalid('hashes', 'at least one')) : call(),
  ),
  around(
    'nothing-to-look-up-is-refused',
    ['findInflight', 'checkStatus'],
    () =>
      (_, call, [first]) =>
        Array.isArray(first) && first.length === 0 ? Promise.reject(invalid('hashes', 'at least one')) : call(),
  ),
  opened('payloads-up-to-any-size', (options) => ({ ...options, maxTxBytes: 100_000_000 })),
  opened('payloads-up-to-64-kibibytes', (options) => ({ maxTxBytes: 65_536, ...options })),
  opened('payloads-one-byte-less', ({ maxTxBytes = 1_048_576, ...options }) => ({
    ...options,
    maxTxBytes: maxTxBytes - 1,
  })),
  opened('options-not-checked', (options) =>
    Object.fromEntries(
      Object.entries(options).filter(
        ([, value]) => typeof value !== 'number' || (Number.isSafeInteger(value) && value > 0),
      ),
    ),
  ),
  answered('reads-overtake-writes', (pool) => ({
    receive: async (transactions, context) => {
      await turn();
      return pool.receive(transactions, context);
    },
  })),
];
