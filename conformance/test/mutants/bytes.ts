import { setImmediate as turn } from 'node:timers/promises';
import type { LogEntry, StoredTransaction, Transaction } from 'mempool-core';
import { corrupt } from 'mempool-core/backend';
import { fifo } from './fifo.ts';
import type { Mutant } from './mutant.ts';
import { pools, stores } from './stores.ts';

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
    const read = store[verb].bind(store) as (
      query: unknown,
    ) => Promise<Transaction[] | { readonly entries: Transaction[] }>;
    return {
      [verb]: async (query: unknown) => {
        const told = await read(query);
        if (!Array.isArray(told)) return { ...told, entries: told.entries.map(lend) };
        return told.map((found) => found && lend(found));
      },
    };
  });
}

/** Takes a payload of no bytes for one that was lost. */
function missed(found: { readonly hash: string; readonly seq: number; readonly payload: Uint8Array | null }): false {
  if (found.payload?.length === 0) throw corrupt(found);
  return false;
}

/** M1. */
export const byteMutants: readonly Mutant[] = [
  hands('nothing-is-damage', missed),
  pools.told('nothing-is-no-payload', {
    payloads: (bodies) => bodies.map((body) => (body?.payload.length === 0 ? null : body)),
  }),
  pools.each('nothing-is-not-gossiped', { since: missed }),
  lends('peekPending'),
  lends('peekInflight'),
  lends('findInflight'),
  lends('dumpFinalized'),
  stores.each('keeps-the-buffer-handed-in', {
    receive: ({ hash }, { given: [batch], notes }) =>
      void notes.patches.set(hash, { payload: batch.find((one) => one.hash === hash)?.payload }),
    peekPending: ({ hash }, { notes }) => notes.patches.get(hash),
  }),
  stores.around('copies-after-a-turn', { receive: ({ store, given }) => turn().then(() => store.receive(...given)) }),
  stores.around('lists-read-after-a-turn', {
    markInflight: ({ store, given }) => turn().then(() => store.markInflight(...given)),
    confirm: ({ store, given }) => turn().then(() => store.confirm(...given)),
  }),
  stores.givenEach('keeps-the-whole-buffer-of-a-view', {
    receive: (one) => ({
      payload: one?.payload instanceof Uint8Array ? new Uint8Array(one.payload.buffer) : one?.payload,
    }),
  }),
  hands('payload-ends-at-a-zero', ({ payload }) => {
    const end = payload.indexOf(0);
    return end >= 0 && { payload: payload.subarray(0, end) };
  }),
  hands('payload-as-text', ({ payload }) => ({ payload: Buffer.from(Buffer.from(payload).toString()) })),
];
