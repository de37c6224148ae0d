import type { CheckedBudget, CheckedGossipQuery, DriverGossipPage, PoolIndex } from 'mempool-core/backend';
import type { Mutant } from './mutant.ts';
import { priority } from './priority-operators.ts';

const endless = Number.POSITIVE_INFINITY;

/** A fault in the room that is reaped for, whoever reaps. */
function budgeting(id: string, change: (budget: CheckedBudget) => Partial<CheckedBudget>): Mutant {
  return priority.given(id, { reap: (budget) => change(budget) });
}

/** P7. */
export const reapingMutants: readonly Mutant[] = [
  budgeting('no-gas-is-no-limit', ({ maxGas }) => ({ maxGas: maxGas || endless })),
  priority.told('page-behind-a-gone-key-is-empty', {
    best: (page, { index, given: [after] }) =>
      after === null || [...index.order].some(({ seq }) => seq === after.seq) ? page : [],
  }),
  priority.given('payloads-once-each', { payloads: (hashes) => [...new Set(hashes)] }),
];

/** A fault in the page that a peer is handed. */
function paging(
  id: string,
  change: (page: DriverGossipPage, query: CheckedGossipQuery, index: PoolIndex) => Partial<DriverGossipPage> | false,
): Mutant {
  return priority.told(id, { since: (page, { index, given: [query] }) => change(page, query, index) });
}

/** P25. */
export const walkingMutants: readonly Mutant[] = [
  priority.told('parents-of-the-page-alone', {
    best: (page) => {
      const hashes = new Set(page.map(({ hash }) => hash));
      return page.map((one) => ({ ...one, parents: one.parents.filter((parent) => hashes.has(parent)) }));
    },
  }),
];

/** P10. */
export const gossipMutants: readonly Mutant[] = [
  paging('gossip-by-seq', ({ items }) => ({ items: items.toSorted((a, b) => a.seq - b.seq) })),
  paging('page-of-8-mebibytes-loses-the-rest', ({ items }, { hashesOnly }, index) => {
    const bytes = items.reduce((sum, one) => sum + one.bytes, 0);
    return !hashesOnly && bytes > 7_000_000 && { next: index.lastGossipSeq };
  }),
];
