import type { ConfirmOutcome, Policy, Thresholds, TransactionStatus } from 'mempool-core';
import type { CheckedBlock, TxState } from 'mempool-core/backend';
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

/** Changes the status that is told. */
function status(id: string, change: (told: TransactionStatus, pool: PlantedDriver) => object | false): Mutant {
  return fifo.each(id, { checkStatus: (told, { pool }) => change(told, pool) });
}

function policies(id: string, change: (policy: Policy) => Policy): Mutant {
  return stores.around(id, {
    confirm: ({ store, given: [block, policy = {}, options] }) => store.confirm(block, change(policy), options),
  });
}

/** L5 and L12. */
export const confirmationMutants: readonly Mutant[] = [
  status('confirmations-from-zero', (one) => one.stage === 'Confirmed' && { confirmations: one.confirmations - 1 }),
  stores.given('unseen-wins', {
    confirm: ({ seen, unseen }) => ({ seen: seen.filter((hash) => !new Set(unseen).has(hash)) }),
  }),
  counts('dropped-counted-as-finalized', ({ finalized, dropped }) => ({ finalized: finalized + dropped, dropped: 0 })),
  status(
    'old-points-forgotten-by-status',
    ({ hash }, pool) => (pool.txState(hash)?.tick ?? 0) < pool.floor && { confirmedAt: null },
  ),
  fifo.each('old-points-forgotten-by-the-log', {
    dumpFinalized: ({ hash }, { pool }) => (pool.txState(hash)?.tick ?? 0) < pool.floor && { point: null },
  }),
];

const never = Number.POSITIVE_INFINITY;

/** L6. */
export const thresholdMutants: readonly Mutant[] = [
  stores.opened('drops-in-flight-by-default', (options) => ({ dropThreshold: 2, ...options })),
  thresholds('never-means-ten-confirmations', (given) => ({
    finalizeThreshold: Math.min(10, given.finalizeThreshold),
  })),
  thresholds('never-means-ten-blocks', ({ dropThreshold }) => ({ dropThreshold: Math.min(10, dropThreshold) })),
  policies('finalize-policy-ignored', ({ finalizeThreshold: _, ...policy }) => policy),
  policies('drop-policy-ignored', ({ dropThreshold: _, ...policy }) => policy),
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
  stores.opened('thresholds-of-open-ignored', ({ finalizeThreshold: _, dropThreshold: __, ...options }) => options),
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
  inclusion('sightings-of-the-last-six-blocks', (seen, pool, final) =>
    seen > pool.currentTip.tick - Math.min(6, final) ? seen : null,
  ),
];

const isOther = (txState: Pick<TxState, 'stage'> | null): boolean => txState?.stage !== 'Acknowledged';

/** What the rules say of every transaction that waits for a block, done to Propagated ones alone. */
export const acknowledgedMutants: readonly Mutant[] = [
  fifo.told('acknowledged-is-not-found', { findInflight: (told) => told.map((one) => (isOther(one) ? one : null)) }),
];
