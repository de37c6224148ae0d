import type { ConfirmOutcome, Policy, Thresholds } from 'mempool-core';
import type { CheckedBlock } from 'mempool-core/backend';
import { fifo } from './fifo-operators.ts';
import type { Mutant } from './mutant.ts';
import type { PlantedDriver } from './planted-driver.ts';
import { stores } from './store-operators.ts';

type Applied = Extract<ConfirmOutcome, { kind: 'applied' }>;

function thresholds(id: string, change: (given: Thresholds) => Partial<Thresholds>): Mutant {
  return fifo.blocks(id, (block) => ({ thresholds: { ...block.thresholds, ...change(block.thresholds) } }));
}

/** Changes what an applied block answers. */
function counts(
  id: string,
  change: (outcome: Applied, block: CheckedBlock, pool: PlantedDriver) => Partial<Applied>,
): Mutant {
  return fifo.told(id, {
    confirm: (told, { given: [block], pool }) => told.kind === 'applied' && change(told, block, pool),
  });
}

function policies(id: string, change: (policy: Policy) => Policy): Mutant {
  return stores.around(id, {
    confirm: ({ store, given: [block, policy = {}, options] }) => store.confirm(block, change(policy), options),
  });
}

/** L5 and L12. */
export const confirmationMutants: readonly Mutant[] = [
  stores.given('unseen-wins', {
    confirm: ({ seen, unseen }) => ({ seen: seen.filter((hash) => !new Set(unseen).has(hash)) }),
  }),
  counts('dropped-counted-as-finalized', ({ finalized, dropped }) => ({ finalized: finalized + dropped, dropped: 0 })),
];

const never = Number.POSITIVE_INFINITY;

/** L6. */
export const thresholdMutants: readonly Mutant[] = [
  thresholds('never-means-ten-confirmations', (given) => ({
    finalizeThreshold: Math.min(10, given.finalizeThreshold),
  })),
  thresholds('never-means-ten-blocks', ({ dropThreshold }) => ({ dropThreshold: Math.min(10, dropThreshold) })),
  policies('below-one-means-never', (policy) => ({
    ...policy,
    ...((policy.finalizeThreshold ?? 1) < 1 && { finalizeThreshold: never }),
    ...((policy.dropThreshold ?? 1) < 1 && { dropThreshold: never }),
  })),
  stores.opened('below-one-of-open-means-one', ({ finalizeThreshold = 6, dropThreshold = 2, ...options }) => ({
    ...options,
    finalizeThreshold: Math.max(1, finalizeThreshold),
    dropThreshold: Math.max(1, dropThreshold),
  })),
];

/** What the rules are told of the tick of a block that carried a hash, where there is one. */
function inclusion(id: string, change: (seen: number, pool: PlantedDriver, final: number) => number | null): Mutant {
  return fifo.view(id, (pool, _, { thresholds }) => ({
    inclusion: (hash) => {
      const seen = pool.inclusion(hash);
      return seen === null ? null : change(seen, pool, thresholds.finalizeThreshold);
    },
  }));
}

/** L13. */
export const sightingMutants: readonly Mutant[] = [
  inclusion('sightings-one-block-short', (seen, pool) => (seen > pool.currentTip.tick - 5 ? seen : null)),
];
