import { setImmediate as turn } from 'node:timers/promises';
import type { MempoolStore, ReadOptions, Submission } from 'mempool-core';
import { invalid, payloadChecksum } from 'mempool-core/backend';
import type { Mutant } from './mutant.ts';
import { stores } from './stores.ts';
import { again, allVerbs } from './through.ts';

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

/** M1 and M2: what a caller hands in is read once. */
export const onceMutants: readonly Mutant[] = [
  lenient('bad-signal-taken-for-none', 'signal'),
  lenient('no-options-taken-for-none', 'options'),
  lenient('misspelt-options-ignored', 'sigal'),
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
  receiving('empty-taken-for-given-away', ({ payload }) => payload.length === 0 && { payloadType: -1 }),
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
  stores.plant('checksum-before-the-copy', (store) => {
    const sums = new Map<string, number>();
    return {
      receive: async (batch, options) => {
        const own = [...batch];
        const given = own.map((one) => (isTransaction(one) ? payloadChecksum(one.payload) : 0));
        for (const [i, one] of own.entries())
          if (isTransaction(one) && one.payload.buffer instanceof SharedArrayBuffer)
            await otherBytes(one.payload, given[i]);
        const outcomes = await store.receive(own, options);
        for (const [i, { hash }] of own.entries()) sums.set(hash, given[i] ?? 0);
        return outcomes;
      },
      peekPending: async (query) => {
        const page = await store.peekPending(query);
        for (const { hash, payload } of page)
          if (sums.has(hash) && sums.get(hash) !== payloadChecksum(payload)) throw new Error('damaged');
        return page;
      },
    };
  }),
  stores.around('long-lists-copied-first', {
    checkStatus: async ({ store, given: [hashes, options] }) => store.checkStatus([...hashes], options),
  }),
  // An iterator that swallows what the first call tells.
  stores.around('a-number-ahead-is-waited-for', {
    subscribe: async ({ store, given: [{ after = 0, ...options } = {}] }) => {
      const stream = await store.subscribe({ ...options, after: 0 });
      return (async function* () {
        for await (const event of stream) if (event.kind === 'lagged' || event.eventSeq > after) yield event;
      })();
    },
  }),
];

/** Waits until somebody has written them. */
async function otherBytes(payload: Uint8Array, sum: number | undefined): Promise<void> {
  while (payloadChecksum(payload) === sum) await turn();
}
