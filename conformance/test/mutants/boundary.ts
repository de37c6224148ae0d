import { setImmediate as turn } from 'node:timers/promises';
import type { LogEntry, MempoolError, StoredTransaction, Submission } from 'mempool-core';
import { invalid } from 'mempool-core/backend';
import type { TestedPool } from '../../src/case/tested-pool.ts';
import { fifo } from './fifo-operators.ts';
import { type Mutant, plainPool } from './mutant.ts';
import { stores } from './store-operators.ts';
import { again, allVerbs, outcomeOf, type Verb } from './through.ts';

type Change = (record: StoredTransaction | LogEntry) => object | false;

function hands(id: string, change: Change): Mutant {
  return fifo.each(id, { peekPending: change, peekInflight: change, findInflight: change, dumpFinalized: change });
}

/** M1. */
export const byteMutants: readonly Mutant[] = [
  stores.given('copies-after-a-turn', { receive: () => turn() }),
  stores.given('lists-read-after-a-turn', { markInflight: () => turn(), confirm: () => turn() }),
  hands('payload-as-text', ({ payload }) => ({ payload: Buffer.from(Buffer.from(payload).toString()) })),
];

function closedSays(id: string, refuse: () => unknown): Mutant {
  return stores.caught(id, allVerbs, 'ERR_MEMPOOL_CLOSED', refuse);
}

/** R1 and R2. */
export const closingMutants: readonly Mutant[] = [
  closedSays('closed-is-a-plain-error', () => Promise.reject(new Error('closed'))),
  stores.plant('capabilities-end-with-the-store', (store) => {
    const capabilities = { ...plainPool };
    return {
      capabilities,
      close: async () => {
        Object.assign(capabilities, { durable: undefined });
        await store.close();
      },
    };
  }),
  stores.around('close-closes-nothing', { close: async () => undefined }),
  stores.plant('close-closes-all-pools', (store) => {
    open.add(store);
    const close = async () => {
      const all = [store, ...open];
      open.clear();
      await Promise.all(all.map((one) => one.close()));
    };
    return { close };
  }),
];

const open = new Set<TestedPool>();

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
  stores.caught('bad-one-refused-good-ones-received', ['receive'], null, async (error, { store, given: [batch] }) => {
    for (const one of batch) await store.receive([one]).catch(() => undefined);
    throw error;
  }),
  stores.instead('five-hundred-in-a-call-at-most', {
    findInflight: ({ given: [hashes] }) => hashes.length > 500 && Promise.reject(invalid('hashes', 'at most 500')),
  }),
  fifo.blocks('long-seen-cut', ({ seen }) => ({ seen: seen.slice(0, 10_000) })),
  fifo.blocks('long-unseen-cut', ({ unseen }) => ({ unseen: unseen.slice(0, 10_000) })),
  emptyRefused('nothing-to-look-up-is-refused', ['findInflight', 'status']),
  stores.opened('payloads-one-byte-less', ({ maxTxBytes = 1_048_576, ...options }) => ({
    ...options,
    maxTxBytes: maxTxBytes - 1,
  })),
  fifo.given('reads-overtake-writes', { receive: () => turn() }),
];

/** A list that is made of the elements one by one. */
function receiving(id: string, change: (one: Submission) => object | false): Mutant {
  return stores.givenEach(id, { receive: (one) => isTransaction(one) && change(one) });
}

function isTransaction(one: Submission | null): one is Submission {
  return typeof one === 'object' && one !== null && one.payload instanceof Uint8Array;
}

/** Looks at an argument before it is read. */
function peeking<V extends 'receive' | 'markInflight' | 'confirm'>(
  id: string,
  verb: V,
  peek: (...given: Parameters<TestedPool[V]>) => unknown,
): Mutant {
  return stores.plant(id, (store) => ({
    [verb]: (...given: Parameters<TestedPool[V]>) => {
      peek(...given);
      return again(store, verb, given);
    },
  }));
}

const isShort = (list: unknown, least = 0): boolean => Array.isArray(list) && list.length >= least && list.length < 5;

/** M1 and M2: what a caller hands in is read once. */
export const onceMutants: readonly Mutant[] = [
  receiving('given-away-taken-for-empty', ({ payload }) => {
    const isGone = payload.length === 0 && (payload.buffer as ArrayBuffer).detached;
    return isGone && { payload: new Uint8Array() };
  }),
  peeking('batch-read-twice', 'receive', (batch) => isShort(batch, 1) && batch[0]),
  peeking('hashes-read-twice', 'markInflight', (hashes) => isShort(hashes) && hashes[0]),
  peeking('options-read-twice', 'receive', (_, options) => options?.operationId),
];
