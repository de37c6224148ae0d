import type { TestedPool } from '../../src/case/tested-pool.ts';
import type { Mutant } from './mutant.ts';
import { pools } from './store-operators.ts';

type Reaped = Awaited<ReturnType<typeof reapWith>>;

function reapWith(store: TestedPool, budget: Parameters<TestedPool['reap']>[0] = {}, view = false) {
  return store.reap(budget, { payloads: true, view });
}

/** A fault in a reap with payloads. A plain one is as it should be. */
function reaping(
  id: string,
  fault: (reaped: Reaped, store: TestedPool, isView: boolean) => unknown,
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

/** P32. */
export const payloadMutants: readonly Mutant[] = [
  reaping('reaps-payloads-of-one-thousand', (reaped) => reaped.slice(0, 1_000)),
  viewsEnd(),
];

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
