import type { AnyStore, ReapedTransaction } from 'mempool-core';
import type { Mutant } from './mutant.ts';
import { arrivals, pools } from './store-operators.ts';

type Reaped = Awaited<ReturnType<typeof reapWith>>;

function reapWith(store: AnyStore, budget: Parameters<AnyStore['reap']>[0] = {}, view = false) {
  return store.reap(budget, { payloads: true, view });
}

/** A fault in a reap with payloads. A plain one is as it should be. */
function reaping(
  id: string,
  fault: (reaped: Reaped, store: AnyStore, isView: boolean) => unknown,
  layer: typeof pools = pools,
): Mutant {
  return layer.around(id, {
    reap: async ({ store, given: [budget, options] }) => {
      const { payloads, view } = (options ?? {}) as { readonly payloads?: boolean; readonly view?: boolean };
      if (payloads !== true) return store.reap(budget, options);
      const reaped = await reapWith(store, budget, view);
      return (await fault(reaped, store, view === true)) ?? reaped;
    },
  });
}

function each(reaped: Reaped, change: (one: ReapedTransaction, i: number) => Partial<ReapedTransaction>): Reaped {
  return reaped.map((one, i) => ({ ...one, ...change(one, i) }));
}

/** P32. */
export const payloadMutants: readonly Mutant[] = [
  reaping('reaps-without-payload-types', (reaped) => each(reaped, () => ({ payloadType: 0 }))),
  reaping('reaps-empty-payloads', (reaped) => each(reaped, () => ({ payload: new Uint8Array() }))),
  reaping('reaps-payloads-of-one-thousand', (reaped) => reaped.slice(0, 1_000)),
  reaping('reaps-payloads-by-hash', (reaped) => reaped.toSorted((a, b) => (a.hash < b.hash ? -1 : 1))),
  // Not by priority: a history would wait there for events that never come.
  reaping(
    'reaped-with-payloads-is-marked',
    async (reaped, store) => {
      await store.markInflight(reaped.slice(0, 1_000).map(({ hash }) => hash));
    },
    arrivals,
  ),
  reaping('reaps-views-of-one-buffer', (reaped, _, isView) => {
    const shared = new Uint8Array(64);
    return isView
      ? each(reaped, ({ payload }) => ({ payload: shared.subarray(0, shared.set(payload) ?? payload.length) }))
      : reaped;
  }),
  ownBytes(),
  viewsEnd(),
];

/** Reaps the bytes that it keeps, also where no view was asked for. */
function ownBytes(): Mutant {
  return pools.around('reaps-its-own-bytes', {
    reap: async ({ store, given: [budget, options], notes }) => {
      if (options?.payloads === undefined) return store.reap(budget, options);
      const reaped = await reapWith(store, budget);
      return each(reaped, (one) => {
        const known = notes.patches.get(one.hash) ?? { payload: one.payload };
        notes.patches.set(one.hash, known);
        return known;
      });
    },
  });
}

/** Views are emptied when their transaction is dropped. */
function viewsEnd(): Mutant {
  return pools.around('views-end-with-their-transaction', {
    payloads: async ({ store, given: [hashes, options], notes }) => {
      const found = await store.payloads(hashes, options);
      for (const one of options?.view ? found : []) if (one !== null) notes.patches.set(one.hash, one.payload);
      return found;
    },
    drop: async ({ store, given, notes }) => {
      const dropped = await store.drop(...given);
      for (const hash of dropped) (notes.patches.get(hash) as Uint8Array | undefined)?.fill(0);
      return dropped;
    },
  });
}
