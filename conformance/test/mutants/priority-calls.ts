import { type Load, MempoolError, type Submission } from 'mempool-core';
import type { PriorityPool } from 'mempool-core/backend';
import type { Mutant } from './mutant.ts';
import { priority } from './priority-operators.ts';
import { misheard } from './priority-order.ts';
import { pools } from './store-operators.ts';

/** What is told of the load. */
export function loaded(id: string, change: (load: Load, pool: PriorityPool) => Partial<Load>): Mutant {
  return priority.told(id, { usage: ({ load }, { pool }) => load && { load: { ...load, ...change(load, pool) } } });
}

const bad = 'ERR_MEMPOOL_INVALID';

/** Takes a submission that was refused for such a field for another one. */
function mended(id: string, field: RegExp, change: (one: Submission) => object): Mutant {
  return pools.caught(id, ['receive'], bad, (error, { store, given: [batch, options] }) => {
    if (!field.test(String(error.details.field))) throw error;
    const made = batch.map((one) => ({ ...one, ...change(one) }));
    return store.receive(made, options);
  });
}

/** Runs what is left to do although the call was aborted, or the store closed. */
function late(id: string, verb: 'reap' | 'flush', code: MempoolError['code'] | null): Mutant {
  return pools.plant(id, (store) => ({
    [verb]: async (first: object = {}, second: object = {}) => {
      const own = { ...(verb === 'flush' ? first : second), signal: undefined };
      try {
        return await (verb === 'flush' ? store.flush(own) : store.reap(first, own));
      } catch (error) {
        if (error instanceof MempoolError && error.code === code) return [];
        throw error;
      }
    },
  }));
}

/** P17. */
export const poolInputMutants: readonly Mutant[] = [
  pools.caught('bad-input-of-revise-answered', ['revise'], bad, () => []),
  pools.caught('bad-input-of-setLimits-answered', ['setLimits'], bad, () => ({})),
  mended('bad-priority-taken-for-none', /\.verdict\.priority/, ({ verdict }) => ({
    verdict: { ...verdict, priority: undefined },
  })),
  pools.givenEach('large-payload-cut', {
    receive: (one) => one?.payload instanceof Uint8Array && { payload: one.payload.slice(0, 1_048_576) },
  }),
  pools.opened('any-other-ordering-is-by-arrival', ({ ordering, ...options }) => ({
    ...options,
    ordering: ordering === 'priority' ? 'priority' : 'fifo',
  })),
  misheard('verdicts-cut-to-a-thousand-tags', ({ provides }) => ({ provides: provides.slice(0, 1_000) })),
  misheard('text-compared-in-one-form', ({ provides, requires }) => ({
    provides: provides.map((tag) => tag.normalize()),
    requires: requires.map((tag) => tag.normalize()),
  })),
  pools.around('limits-handed-out-as-they-are', {
    setLimits: async ({ store, given, notes: { patches } }) => {
      const kept = await store.setLimits(...given);
      patches.set('kept', kept);
      return kept;
    },
    receive: async ({ store, given, notes: { patches } }) => {
      await store.setLimits(patches.get('kept') ?? {});
      return store.receive(...given);
    },
  }),
  late('reaps-when-closed', 'reap', 'ERR_MEMPOOL_CLOSED'),
];
