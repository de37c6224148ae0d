import type { Candidate } from 'mempool-core';
import type { CheckedSubmission, Entry, PoolIndex } from 'mempool-core/backend';
import type { Mutant } from './mutant.ts';
import { free } from './planted-driver.ts';
import { parentsOf } from './priority-places.ts';
import { lentTags, priority, type RankedVerb } from './priority-pool.ts';
import { pools } from './stores.ts';

/** What such a call moves in or out of Pending leaves its descendants where they were. */
function unfollowed(verb: RankedVerb): Mutant {
  return priority.view(`keys-not-recomputed-after-${verb}`, [verb], ({ index }) => ({
    dependents: lentTags(
      () => new Set(),
      (tag) => index.dependents.has(tag),
    ),
  }));
}

/** A fault in what the pool is told of a transaction. */
export function misheard(id: string, change: (verdict: CheckedSubmission['verdict']) => object): Mutant {
  return priority.givenEach(id, { admit: ({ verdict }) => ({ verdict: { ...verdict, ...change(verdict) } }) });
}

/** The candidates of each sender turned round, in the places that they have together. */
function backwards(index: PoolIndex, candidates: readonly Candidate[]): Candidate[] {
  const senderOf = ({ hash }: Candidate): string => index.node(hash)?.entry.verdict.sender ?? '';
  const bySender = Map.groupBy(candidates, senderOf);
  return candidates.map((one) => (senderOf(one) === '' ? one : (bySender.get(senderOf(one))?.pop() ?? one)));
}

const highest = 2n ** 63n - 1n;
const inDoubles = (price: bigint): bigint => BigInt(Number(price));

function deepest(index: PoolIndex, entry: Entry | undefined, left = 50): number {
  if (left === 0 || entry === undefined) return 0;
  return Math.max(0, ...parentsOf(index, entry).map((parent) => 1 + deepest(index, parent.entry, left - 1)));
}

/** P1 and P2, as pools of others break them, and what follows of a place. */
export const orderMutants: readonly Mutant[] = [
  ...(['admit', 'move', 'drop', 'sweep', 'confirm', 'rollback', 'revise'] as const).map(unfollowed),
  misheard('priorities-are-doubles', (verdict) => {
    const double = inDoubles(verdict.priority);
    return { priority: double > highest ? highest : double };
  }),
  misheard('default-priority-is-the-lowest', (verdict) => (verdict.priority === 0n ? { priority: -highest - 1n } : {})),
  priority.told('nonces-of-a-sender-backwards', {
    reap: (reaped, { index }) => backwards(index, reaped),
    take: ({ transactions }, { index }) => ({ transactions: backwards(index, transactions) }),
  }),
  priority.told('reaps-by-own-price', { reap: (reaped) => reaped.toSorted((a, b) => Number(b.priority - a.priority)) }),
  priority.told('reaps-a-child-as-soon-as-its-first-parent', {
    reap: (reaped, { index }) => {
      const at = reaped.findIndex(({ hash }) => (index.node(hash)?.entry.verdict.requires.length ?? 0) > 1);
      return at > 0 && [...reaped.slice(at, at + 1), ...reaped.toSpliced(at, 1)];
    },
  }),
  priority.only('reaps-no-deeper-than-two', {
    reap: ({ hash }, { index }) => deepest(index, index.node(hash)?.entry) < 3,
  }),
  priority.each('reads-priorities-as-doubles', {
    reap: (one) => ({ priority: inDoubles(one.priority) }),
    best: (one) => ({ priority: inDoubles(one.priority) }),
  }),
  priority.around('evicts-from-the-other-end', {
    sweep: async ({ whole, index, given }) => {
      const over = index.totals.transactions - index.limits.maxTxs;
      const best = Array.from(index.order, ({ hash }) => hash).slice(0, Math.max(0, over));
      await whole.drop(best, 'evicted', free);
      const swept = await whole.sweep(...given);
      return { ...swept, evicted: [...best, ...swept.evicted] };
    },
  }),
];

export const storeOrderMutants: readonly Mutant[] = [
  pools.around('children-of-a-call-not-seen', {
    receive: async ({ store, given: [batch, options] }) =>
      (await store.receive([...batch].reverse(), options)).reverse(),
  }),
];
