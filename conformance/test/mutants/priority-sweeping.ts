import type { KnownStage, Sweep } from 'mempool-core';
import type { CheckedCallTime, CheckedTake, PoolIndex } from 'mempool-core/backend';
import type { Mutant } from './mutant.ts';
import { leave, priority, type RankedDriver, type RankedFaults, type RankedVerb } from './priority-operators.ts';
import { pools } from './store-operators.ts';

/** A call that keeps the claim of what it moves. */
function keepsLease(id: string, verb: RankedVerb, to: KnownStage): Mutant {
  return priority.moves(id, [verb], (_, stage, node) => stage === to && { claim: node.entry.claim });
}

/** A fault in what is asked for. */
function asking(id: string, change: (take: CheckedTake) => Partial<CheckedTake>): Mutant {
  return priority.given(id, { take: (take) => change(take) });
}

/** P8. */
export const takingMutants: readonly Mutant[] = [
  keepsLease('lease-not-ended-by-its-end', 'sweep', 'Pending'),
  asking('one-lease-for-all-lots', ({ claimId }) => (claimId.length > 20 ? { claimId: 'claim' } : {})),
];

/** More is done after a sweep, or something else told. */
function sweeping(
  id: string,
  more: (swept: Sweep, index: PoolIndex, driver: RankedDriver) => Partial<Sweep> | Promise<Partial<Sweep>>,
): Mutant {
  return priority.told(id, { sweep: (swept, { whole, index }) => more(swept, index, whole) });
}

export const endless = Number.POSITIVE_INFINITY;
/** The pool's own time. */
export const now: CheckedCallTime = { now: null, height: null };

/** P9. */
export const sweepingMutants: readonly Mutant[] = [
  pools.around('sweeps-a-thousand-of-each-kind', {
    sweep: async ({ store, given }) => {
      const first = await store.sweep(...given);
      if (!first.more || first.returned.length === 0) return first;
      const { expired, more } = await store.sweep(...given);
      return { ...first, expired: [...first.expired, ...expired], more };
    },
  }),
  priority.given('swept-at-height-nought', { sweep: ({ height }) => ({ height: height ?? 0 }) }),
  sweeping('always-more-to-sweep', ({ expired }) => ({ more: expired.length > 0 })),
  priority.around('evicts-before-it-expires', {
    sweep: async ({ whole, index, given }) => {
      const over = index.totals.transactions - index.limits.maxTxs;
      const evicted = await leave(whole, [...index.order].slice(over > 0 ? -over : index.order.length), 'evicted');
      const swept = await whole.sweep(...given);
      return { ...swept, evicted: [...evicted.reverse(), ...swept.evicted] };
    },
  }),
];

const optioned = (id: string, options: NonNullable<RankedFaults['options']>): Mutant =>
  priority.faults(id, { options });

/** P6: limits as they are kept, and what is over them. */
export const limitMutants: readonly Mutant[] = [
  optioned('another-default', (options) => ({ ...options, limits: { maxParked: 1_000, ...options.limits } })),
  optioned('log-as-long-as-the-pool', ({ retention, ...options }) => ({
    ...options,
    retention: options.limits.maxTxs === 1 ? { maxFinalized: 1, ...retention } : retention,
  })),
];
