import { setImmediate as turn } from 'node:timers/promises';
import {
  invalid,
  isMempoolError,
  type MempoolStore,
  payloadChecksum,
  type ReadOptions,
  type Submission,
  type SubscribeOptions,
} from 'mempool-core';
import { handed, type Mutant } from './mutant.ts';
import { allVerbs, around } from './through.ts';

function isBadOption(error: unknown, field: string): boolean {
  return isMempoolError(error, 'ERR_MEMPOOL_INVALID') && error.details.field === field;
}

/** Takes options with a bad field for options without it. */
function lenient(id: string, field: string): Mutant {
  return around(id, allVerbs, (store) => async (verb, call, given) => {
    try {
      return await call();
    } catch (error) {
      if (!isBadOption(error, field)) throw error;
      const mended = given.map((one, i) => (i === given.length - 1 ? undefined : one));
      return (store[verb as 'tip'] as (...all: unknown[]) => Promise<unknown>).apply(store, mended);
    }
  });
}

/** A list that is made of the elements one by one. */
function receiving(id: string, change: (one: Submission) => Submission): Mutant {
  return handed(id, (store) => ({
    receive: (batch, options) => {
      const isList = Array.isArray(batch);
      return store.receive(isList ? batch.map((one) => (isTransaction(one) ? change(one) : one)) : batch, options);
    },
  }));
}

function isTransaction(one: Submission | null): one is Submission {
  return typeof one === 'object' && one !== null && one.payload instanceof Uint8Array;
}

/** Fields read to be checked, and read again to be used. */
function twice(): Mutant {
  return receiving('transactions-read-twice', (one) => {
    const { hash, payload, payloadType } = one;
    return [hash, payload, payloadType].includes('') ? one : { ...one };
  });
}

function lists(id: string, reread: (store: MempoolStore) => Partial<MempoolStore>): Mutant {
  return handed(id, reread);
}

/** An iterator that swallows what the first call tells. */
function ahead(store: MempoolStore, { after, ...options }: SubscribeOptions): Promise<AsyncIterable<never>> {
  return store.subscribe({ ...options, after: 0 }).then((stream) => {
    return (async function* () {
      for await (const event of stream)
        if (event.kind === 'lagged' || event.eventSeq > (after ?? 0)) yield event as never;
    })();
  });
}

/** M1 and M2: what a caller hands in is read once. */
export const onceMutants: readonly Mutant[] = [
  lenient('bad-signal-taken-for-none', 'signal'),
  lenient('no-options-taken-for-none', 'options'),
  lenient('misspelt-options-ignored', 'sigal'),
  around('no-signal-is-a-bad-one', allVerbs, () => (_, call, given) => {
    const bad = given.some((one) => (one as ReadOptions | undefined)?.signal === null);
    return bad ? Promise.reject(invalid('signal', 'an AbortSignal')) : call();
  }),
  handed('one-too-large-refuses-all', (store) => ({
    receive: async (batch, options) => {
      const sizes = Array.isArray(batch) ? batch.map((one) => (isTransaction(one) ? one.payload.length : 0)) : [];
      if (Math.max(...sizes) > 100 && sizes.length > 1) throw invalid('transactions', 'smaller');
      return store.receive(batch, options);
    },
  })),
  handed('too-large-without-its-limit', (store) => ({
    receive: async (batch, options) =>
      (await store.receive(batch, options)).map((one) => (one.kind === 'too-large' ? { ...one, maxTxBytes: 0 } : one)),
  })),
  handed('too-large-forgotten-at-a-repeat', (store) => {
    const known = new Set<string>();
    return {
      receive: async (batch, options) => {
        const outcomes = await store.receive(batch, options);
        const id = options?.operationId;
        if (id === undefined || known.size === known.add(id).size) return outcomes.filter(isNotLarge);
        return outcomes;
      },
    };
  }),
  receiving('given-away-taken-for-empty', (one) => {
    const isGone = one.payload.length === 0 && (one.payload.buffer as ArrayBuffer).detached;
    return isGone ? { ...one, payload: new Uint8Array() } : one;
  }),
  receiving('empty-taken-for-given-away', (one) => (one.payload.length > 0 ? one : { ...one, payloadType: -1 })),
  twice(),
  lists('batch-read-twice', (store) => ({
    receive: (batch, options) => {
      if (Array.isArray(batch) && batch.length > 0 && batch.length < 5) void batch[0];
      return store.receive(batch, options);
    },
  })),
  lists('hashes-read-twice', (store) => ({
    markInflight: (hashes, options) => {
      if (Array.isArray(hashes) && hashes.length < 5) void hashes[0];
      return store.markInflight(hashes, options);
    },
  })),
  lists('points-read-twice', (store) => ({
    confirm: (block, policy, options) => {
      void block?.point?.slot;
      return store.confirm(block, policy, options);
    },
  })),
  lists('options-read-twice', (store) => ({
    receive: (batch, options) => {
      void options?.operationId;
      return store.receive(batch, options);
    },
  })),
  receiving('length-believed', (one) => ({
    ...one,
    payload: Uint8Array.from({ length: Math.min(one.payload.length, 2_000_000) }, (_, i) => one.payload[i] ?? 0),
  })),
  handed('checksum-before-the-copy', (store) => {
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
  handed('long-lists-copied-first', (store) => ({
    checkStatus: async (hashes, options) => store.checkStatus([...hashes], options),
  })),
  handed('a-number-ahead-is-waited-for', (store) => ({ subscribe: (options = {}) => ahead(store, options) })),
];

/** Waits until somebody has written them. */
async function otherBytes(payload: Uint8Array, sum: number | undefined): Promise<void> {
  while (payloadChecksum(payload) === sum) await turn();
}

function isNotLarge({ kind }: { readonly kind: string }): boolean {
  return kind !== 'too-large';
}
