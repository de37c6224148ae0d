import { setImmediate as turn } from 'node:timers/promises';
import {
  isMempoolError,
  type LogEntry,
  MempoolError,
  type MempoolEvent,
  type MempoolStore,
  type ReadOptions,
  type StoredTransaction,
  type Submission,
  type Transaction,
} from 'mempool-core';
import { invalid } from 'mempool-core/backend';
import { changing } from './events.ts';
import { fifo } from './fifo-operators.ts';
import { type Mutant, plainPool } from './mutant.ts';
import { numberOf } from './page-operators.ts';
import { stores } from './store-operators.ts';
import { again, allVerbs, outcomeOf, type Verb, writeVerbs } from './through.ts';

type Change = (record: StoredTransaction | LogEntry) => object | false;

function hands(id: string, change: Change): Mutant {
  return fifo.each(id, { peekPending: change, peekInflight: change, findInflight: change, dumpFinalized: change });
}

/** A backend whose records are the caller's own buffers, and which asks for them without the caller's options. */
function lends(verb: 'peekPending' | 'peekInflight' | 'findInflight' | 'dumpFinalized'): Mutant {
  return stores.plant(`${verb}-lends-its-bytes`, (store) => {
    const kept = new Map<string, Uint8Array>();
    const lend = <R extends Transaction>(record: R): R => {
      const payload = kept.get(record.hash) ?? record.payload;
      kept.set(record.hash, payload);
      return { ...record, payload };
    };
    const read = store[verb].bind(store) as (query: unknown) => Promise<object>;
    return {
      [verb]: async (query: unknown) => {
        const told = await read(query);
        if (Array.isArray(told)) return told.map((found) => found && lend(found));
        const lists = Object.entries(told).filter(([name]) => name === 'entries' || name === 'transactions');
        return { ...told, ...Object.fromEntries(lists.map(([name, list]) => [name, list.map(lend)])) };
      },
    };
  });
}

/** M1. */
export const byteMutants: readonly Mutant[] = [
  lends('peekPending'),
  lends('peekInflight'),
  lends('findInflight'),
  lends('dumpFinalized'),
  stores.given('copies-after-a-turn', { receive: () => turn() }),
  stores.given('lists-read-after-a-turn', { markInflight: () => turn(), confirm: () => turn() }),
  stores.givenEach('keeps-the-whole-buffer-of-a-view', {
    receive: (one) => ({
      payload: one?.payload instanceof Uint8Array ? new Uint8Array(one.payload.buffer) : one?.payload,
    }),
  }),
  hands('payload-as-text', ({ payload }) => ({ payload: Buffer.from(Buffer.from(payload).toString()) })),
];

function closedSays(id: string, refuse: () => unknown): Mutant {
  return stores.caught(id, allVerbs, 'ERR_MEMPOOL_CLOSED', refuse);
}

const closed = (code: 'ERR_MEMPOOL_UNAVAILABLE' | 'ERR_MEMPOOL_CLOSED') =>
  Promise.reject(new MempoolError(code, 'closed'));

/** R1 and R2. */
export const closingMutants: readonly Mutant[] = [
  closedSays('closed-is-unavailable', () => closed('ERR_MEMPOOL_UNAVAILABLE')),
  closedSays('closed-is-a-plain-error', () => Promise.reject(new Error('closed'))),
  closedSays('closed-answers-with-nothing', () => []),
  stores.caught('errors-are-retryable', allVerbs, null, (error) => {
    throw Object.assign(new Error(error.message), error, { retryable: true });
  }),
  stores.caught('error-known-by-class-only', allVerbs, null, (error) => {
    throw isMempoolError(error) ? Object.assign(new Error(error.message), { reason: error.code }) : error;
  }),
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
  stores.plant('capabilities-of-another', () => ({ capabilities: { ...plainPool, shared: true } })),
  stores.around('second-close-is-refused', {
    close: async ({ store, notes }) => {
      notes.count += 1;
      await (notes.count > 1 ? closed('ERR_MEMPOOL_CLOSED') : store.close());
    },
  }),
  stores.around('close-closes-nothing', { close: async () => undefined }),
  stores.plant('dispose-closes-nothing', () => ({ [Symbol.asyncDispose]: async () => undefined })),
  stores.given('close-does-not-wait', { receive: () => turn().then(() => turn()) }),
  stores.around('close-lets-new-calls-in', { close: ({ store }) => turn().then(() => store.close()) }),
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

const open = new Set<MempoolStore>();

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
  refused('bad-input-without-its-field', ({ code, message }) => Promise.reject(new MempoolError(code, message))),
  refused('bad-input-is-a-type-error', ({ message }) => Promise.reject(new TypeError(message))),
  stores.caught('refused-after-writing', allVerbs, 'ERR_MEMPOOL_INVALID', async (error, { store }) => {
    await store.receive([{ hash: 'ee', payload: new Uint8Array(1), payloadType: 0 }]);
    throw error;
  }),
  stores.caught('bad-one-refused-good-ones-received', ['receive'], null, async (error, { store, given: [batch] }) => {
    for (const one of batch) await store.receive([one]).catch(() => undefined);
    throw error;
  }),
  stores.around('neighbours-share-a-refusal', {
    receive: ({ store, given, notes: { known } }) => {
      const calling = store.receive(...given);
      const both = Promise.all([known.get('waiting'), calling]).then(() => calling);
      const waiting = calling.catch((error: unknown) => turn().then(() => Promise.reject(error)));
      waiting.catch(() => undefined);
      known.set('waiting', waiting);
      return both;
    },
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
  fifo.given('reads-overtake-writes', { receive: () => turn() }),
];

/** Takes options with a bad field for options without it. */
function lenient(id: string, field: string): Mutant {
  return stores.caught(id, allVerbs, 'ERR_MEMPOOL_INVALID', (error, { store, verb, given }) => {
    if (error.details.field !== field) throw error;
    return again(store, verb, [...given.slice(0, -1), undefined]);
  });
}

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
  peek: (...given: Parameters<MempoolStore[V]>) => unknown,
): Mutant {
  return stores.plant(id, (store) => ({
    [verb]: (...given: Parameters<MempoolStore[V]>) => {
      peek(...given);
      return again(store, verb, given);
    },
  }));
}

const isShort = (list: unknown, least = 0): boolean => Array.isArray(list) && list.length >= least && list.length < 5;

const knownFields: ReadonlySet<string> = new Set([
  ...['hash', 'payload', 'payloadType', 'verdict', 'from', 'priority', 'gas', 'sender', 'provides', 'requires'],
  ...['point', 'parent', 'seen', 'unseen', 'slot'],
]);

/** The same object without unknown fields, also in its inner objects. */
function withKnownFields<T>(given: T): T {
  if (typeof given !== 'object' || given === null || Array.isArray(given) || given instanceof Uint8Array) return given;
  const known = Object.entries(given).filter(([name]) => knownFields.has(name));
  return Object.fromEntries(known.map(([name, value]) => [name, withKnownFields(value)])) as T;
}

/** M1 and M2: what a caller hands in is read once. */
export const onceMutants: readonly Mutant[] = [
  lenient('bad-signal-taken-for-none', 'signal'),
  lenient('no-options-taken-for-none', 'options'),
  lenient('misspelt-options-ignored', 'sigal'),
  stores.around('unknown-fields-ignored', {
    receive: ({ store, given: [batch, ...rest] }) =>
      store.receive(Array.isArray(batch) ? batch.map(withKnownFields) : batch, ...rest),
    confirm: ({ store, given: [block, ...rest] }) => store.confirm(withKnownFields(block), ...rest),
    rollback: ({ store, given: [target, ...rest] }) => store.rollback(withKnownFields(target), ...rest),
  }),
  stores.every('no-signal-is-a-bad-one', allVerbs, ({ store, verb, given }) => {
    const isBad = given.some((one) => (one as ReadOptions | undefined)?.signal === null);
    return isBad ? Promise.reject(invalid('signal', 'an AbortSignal')) : again(store, verb, given);
  }),
  stores.given('one-too-large-refuses-all', {
    receive: (batch) => {
      const sizes = Array.isArray(batch) ? batch.map((one) => (isTransaction(one) ? one.payload.length : 0)) : [];
      if (Math.max(...sizes) > 100 && sizes.length > 1) throw invalid('transactions', 'smaller');
    },
  }),
  stores.each('too-large-without-its-limit', { receive: ({ kind }) => kind === 'too-large' && { maxTxBytes: 0 } }),
  stores.told('too-large-forgotten-at-a-repeat', {
    receive: (told, { given: [, { operationId } = {}], notes: { hashes } }) => {
      const isFirst = operationId !== undefined && !hashes.has(operationId);
      if (isFirst) hashes.add(operationId);
      return isFirst ? told : told.filter(({ kind }) => kind !== 'too-large');
    },
  }),
  receiving('given-away-taken-for-empty', ({ payload }) => {
    const isGone = payload.length === 0 && (payload.buffer as ArrayBuffer).detached;
    return isGone && { payload: new Uint8Array() };
  }),
  // Fields read to be checked, and read again to be used.
  receiving('transactions-read-twice', ({ hash, payload, payloadType }) => {
    const isGood = ![hash, payload, payloadType].includes('');
    return isGood && {};
  }),
  peeking('batch-read-twice', 'receive', (batch) => isShort(batch, 1) && batch[0]),
  peeking('hashes-read-twice', 'markInflight', (hashes) => isShort(hashes) && hashes[0]),
  peeking('points-read-twice', 'confirm', (block) => block?.point?.slot),
  peeking('options-read-twice', 'receive', (_, options) => options?.operationId),
  receiving('length-believed', ({ payload }) => ({
    payload: Uint8Array.from({ length: Math.min(payload.length, 2_000_000) }, (_, i) => payload[i] ?? 0),
  })),
  stores.around('long-lists-copied-first', {
    checkStatus: async ({ store, given: [hashes, options] }) => store.checkStatus([...hashes], options),
  }),
  // An iterator that swallows what the first call tells.
  stores.around('a-number-ahead-is-waited-for', {
    subscribe: async ({ store, given: [{ after: cursor, ...options } = {}] }) => {
      const after = numberOf('events', cursor);
      const isDue = (event: MempoolEvent) => event.kind === 'lagged' || event.eventSeq > after;
      return changing(await store.subscribe({ ...options, after: 'origin' }), (event) => (isDue(event) ? [event] : []));
    },
  }),
];
