import { isRefusal } from 'mempool-core';
import type { CheckedSubmission, PoolIndex, PoolNode } from 'mempool-core/backend';
import type { Mutant } from './mutant.ts';
import { refusing } from './priority-admission.ts';
import { leave, priority } from './priority-operators.ts';
import { misheard } from './priority-order.ts';

const endless = Number.POSITIVE_INFINITY;
const weightOf = ({ entry }: PoolNode): number => entry.verdict.weight2 ?? 0;

function isTooHeavy({ totals, limits }: PoolIndex, { verdict }: CheckedSubmission): boolean {
  return verdict.weight2 !== undefined && totals.weight2 + verdict.weight2 > limits.maxWeight2;
}

/** After an admission that was too heavy at first, some leave as well. */
function leavingToo(id: string, choose: (index: PoolIndex) => readonly PoolNode[]): Mutant {
  return priority.around(id, {
    admit: async ({ whole, index, given }) => {
      const [one] = given[0];
      const isMeant = one !== undefined && isTooHeavy(index, one);
      const outcomes = await whole.admit(...given);
      await leave(whole, isMeant ? choose(index) : [], 'evicted');
      return outcomes;
    },
  });
}

/** P30. */
export const secondWeightMutants: readonly Mutant[] = [
  misheard('second-weights-not-heard', () => ({ weight2: undefined })),
  priority.given('reaps-any-second-weight', {
    reap: (budget) => ({ ...budget, maxWeight2: endless }),
  }),
  priority.given('takes-any-second-weight', {
    take: (take) => ({ ...take, budget: { ...take.budget, maxWeight2: endless } }),
  }),
  priority.each('second-weights-not-told', {
    reap: ({ hash, seq, bytes, gas, priority: paid }) => [{ hash, seq, bytes, gas, priority: paid }][0],
    best: () => ({ weight2: undefined }),
  }),
  priority.limits('any-second-weight-admitted', ['admit'], () => ({ maxWeight2: endless })),
  leavingToo('the-last-leaves-for-a-second-weight', ({ order }) => {
    const last = [...order].findLast(({ place }) => place.ready);
    return last === undefined ? [] : [last];
  }),
  refusing('no-room-without-a-second-weight', (one, { totals, limits }) => {
    return totals.weight2 >= limits.maxWeight2 && one.verdict.weight2 === undefined && { kind: 'full' };
  }),
  priority.limits('second-weight-or-number', ['admit'], ({ maxWeight2 }, { index, given }) => {
    const isFull = index.totals.transactions >= index.limits.maxTxs;
    return { maxWeight2: isFull && given.length > 0 ? endless : maxWeight2 };
  }),
  leavingToo('children-leave-with-a-second-weight', ({ parked }) => [...parked].filter((node) => weightOf(node) === 0)),
  priority.told('second-weight-of-usage-left-out', {
    usage: ({ load }) => ({ load: load && { ...load, weight2: 0 } }),
  }),
  priority.told('second-weight-of-all-that-live', {
    usage: ({ load }, { index }) => {
      const live = [...index.nodes()].filter(({ stage }) => stage !== 'Dropped' && stage !== 'Finalized');
      return { load: load && { ...load, weight2: live.reduce((sum, node) => sum + weightOf(node), 0) } };
    },
  }),
  priority.limits('sweeps-leave-second-weights', ['sweep'], () => ({ maxWeight2: endless })),
  priority.givenEach('revisions-keep-the-second-weight', {
    revise: ({ answer, hash }, { index }) => {
      const { weight2 } = index.node(hash)?.entry.verdict ?? {};
      return !isRefusal(answer) && weight2 !== undefined && { answer: { ...answer, weight2 } };
    },
  }),
];
