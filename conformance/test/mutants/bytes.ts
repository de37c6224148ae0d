import { setImmediate as turn } from 'node:timers/promises';
import { corrupt, type MempoolStore, type StoredTransaction, type Transaction } from 'mempool-core';
import { answered, handed, type Mutant } from './mutant.ts';
import { rankedStore } from './priority-pool.ts';

function hands(id: string, alter: (record: StoredTransaction) => StoredTransaction): Mutant {
  return answered(id, (pool) => ({
    peekPending: (after, limit) => pool.peekPending(after, limit).map(alter),
    peekInflight: (after, limit) => pool.peekInflight(after, limit).map(alter),
    findInflight: (hashes) => pool.findInflight(hashes).map((found) => found && alter(found)),
    dumpFinalized: (cursor, limit) => {
      const page = pool.dumpFinalized(cursor, limit);
      return {
        ...page,
        entries: page.entries.map((entry) => ({
          ...entry,
          payload: alter({ ...entry, stage: 'Pending', confirmedAt: null }).payload,
        })),
      };
    },
  }));
}

/** A backend whose records are the caller's own buffers. */
function lends(only: string, pick: (store: MempoolStore) => Partial<MempoolStore>): Mutant {
  return handed(`${only}-lends-its-bytes`, pick);
}

function lending(): <R extends Transaction>(record: R) => R {
  const kept = new Map<string, Uint8Array>();
  return (record) => {
    const payload = kept.get(record.hash) ?? record.payload;
    kept.set(record.hash, payload);
    return { ...record, payload };
  };
}

/** Takes a payload of no bytes for one that was lost. */
function missed<T extends { readonly hash: string; readonly seq: number; readonly payload: Uint8Array | null }>(
  found: T,
): T {
  if (found.payload?.length === 0) throw corrupt(found);
  return found;
}

/** M1. */
export const byteMutants: readonly Mutant[] = [
  hands('nothing-is-damage', missed),
  rankedStore('nothing-is-no-payload', (store) => ({
    payloads: async (hashes) =>
      (await store.payloads(hashes)).map((body) => (body?.payload.length === 0 ? null : body)),
  })),
  rankedStore('nothing-is-not-gossiped', (store) => ({
    since: async (...query) => {
      const page = await store.since(...query);
      return { ...page, items: page.items.map(missed) };
    },
  })),
  lends('peekPending', (store) => {
    const lend = lending();
    return { peekPending: async (query) => (await store.peekPending(query)).map(lend) };
  }),
  lends('peekInflight', (store) => {
    const lend = lending();
    return { peekInflight: async (query) => (await store.peekInflight(query)).map(lend) };
  }),
  lends('findInflight', (store) => {
    const lend = lending();
    return { findInflight: async (hashes) => (await store.findInflight(hashes)).map((found) => found && lend(found)) };
  }),
  lends('dumpFinalized', (store) => {
    const lend = lending();
    return {
      dumpFinalized: async (query) => {
        const page = await store.dumpFinalized(query);
        return { ...page, entries: page.entries.map(lend) };
      },
    };
  }),
  handed('keeps-the-buffer-handed-in', (store) => {
    const kept = new Map<string, Uint8Array>();
    return {
      receive: (batch, options) => {
        for (const { hash, payload } of batch) kept.set(hash, payload);
        return store.receive(batch, options);
      },
      peekPending: async (query) =>
        (await store.peekPending(query)).map((record) => ({
          ...record,
          payload: kept.get(record.hash) ?? record.payload,
        })),
    };
  }),
  handed('copies-after-a-turn', (store) => ({
    receive: async (batch, options) => {
      await turn();
      return store.receive(batch, options);
    },
  })),
  handed('lists-read-after-a-turn', (store) => ({
    markInflight: async (hashes, options) => {
      await turn();
      return store.markInflight(hashes, options);
    },
    confirm: async (block, policy, options) => {
      await turn();
      return store.confirm(block, policy, options);
    },
  })),
  handed('keeps-the-whole-buffer-of-a-view', (store) => ({
    receive: (batch, options) =>
      store.receive(
        Array.isArray(batch)
          ? batch.map((one) => ({
              ...one,
              payload: one?.payload instanceof Uint8Array ? new Uint8Array(one.payload.buffer) : one?.payload,
            }))
          : batch,
        options,
      ),
  })),
  hands('payload-ends-at-a-zero', (record) => {
    const end = record.payload.indexOf(0);
    return { ...record, payload: end < 0 ? record.payload : record.payload.subarray(0, end) };
  }),
  hands('payload-as-text', (record) => ({ ...record, payload: Buffer.from(Buffer.from(record.payload).toString()) })),
];
