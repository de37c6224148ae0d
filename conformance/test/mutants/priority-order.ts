import type { Candidate } from 'mempool-core';
import type { CheckedSubmission, Entry, PoolIndex } from 'mempool-core/backend';
import type { Mutant } from './mutant.ts';
import { parentsOf } from './priority-places.ts';
import { lentTags, type RankedVerb, rankedStore, ranking, seeing } from './priority-pool.ts';

/** What such a call moves in or out of Pending leaves its descendants where they were. */
function unfollowed(verb: RankedVerb): Mutant {
  return seeing(`keys-not-recomputed-after-${verb}`, [verb], ({ index }) => ({
    dependents: lentTags(
      () => new Set(),
      (tag) => index.dependents.has(tag),
    ),
  }));
}

function changed(submissions: readonly CheckedSubmission[], change: (one: CheckedSubmission) => object) {
  return submissions.map((one) => ({ ...one, verdict: { ...one.verdict, ...change(one) } }));
}

/** A fault in what the pool is told of a transaction. */
export function misheard(id: string, change: (one: CheckedSubmission) => object): Mutant {
  return ranking(id, (driver) => ({
    admit: (submissions, moment, context) => driver.admit(changed(submissions, change), moment, context),
  }));
}

/** The candidates of each sender turned round, in the places that they have together. */
function backwards(index: PoolIndex, candidates: readonly Candidate[]): Candidate[] {
  const senderOf = ({ hash }: Candidate): string => index.node(hash)?.entry.verdict.sender ?? '';
  const bySender = Map.groupBy(candidates, senderOf);
  return candidates.map((one) => (senderOf(one) === '' ? one : (bySender.get(senderOf(one))?.pop() ?? one)));
}

const highest = 2n ** 63n - 1n;

function doubled(priority: bigint): bigint {
  const double = BigInt(Number(priority));
  return double > highest ? highest : double;
}

function deepest(index: PoolIndex, entry: Entry, left = 50): number {
  if (left === 0) return 0;
  return Math.max(0, ...parentsOf(index, entry).map(({ entry: parent }) => 1 + deepest(index, parent, left - 1)));
}

/** P1 and P2, as pools of others break them, and what follows of a place. */
export const orderMutants: readonly Mutant[] = [
  ...(['admit', 'move', 'drop', 'sweep', 'confirm', 'rollback', 'revise'] as const).map(unfollowed),
  misheard('priorities-are-doubles', ({ verdict }) => ({ priority: doubled(verdict.priority) })),
  misheard('default-priority-is-the-lowest', ({ verdict }) =>
    verdict.priority === 0n ? { priority: -(2n ** 63n) } : {},
  ),
  ranking('nonces-of-a-sender-backwards', (driver, { index }) => ({
    reap: async (budget, context) => backwards(index, await driver.reap(budget, context)),
    take: async (...given) => {
      const lot = await driver.take(...given);
      return { ...lot, transactions: backwards(index, lot.transactions) };
    },
  })),
  ranking('reaps-by-own-price', (driver) => ({
    reap: async (budget, context) =>
      [...(await driver.reap(budget, context))].sort((a, b) => Number(b.priority - a.priority)),
  })),
  ranking('reaps-a-child-as-soon-as-its-first-parent', (driver, { index }) => ({
    reap: async (budget, context) => {
      const reaped = [...(await driver.reap(budget, context))];
      const at = reaped.findIndex(({ hash }) => (index.node(hash)?.entry.verdict.requires.length ?? 0) > 1);
      if (at > 0) reaped.unshift(...reaped.splice(at, 1));
      return reaped;
    },
  })),
  ranking('reaps-no-deeper-than-two', (driver, { index }) => ({
    reap: async (budget, context) =>
      (await driver.reap(budget, context)).filter(({ hash }) => {
        const node = index.node(hash);
        return node === undefined || deepest(index, node.entry) < 3;
      }),
  })),
  ranking('reads-priorities-as-doubles', (driver) => {
    const read = <T extends Candidate>(found: readonly T[]): T[] =>
      found.map((one) => ({ ...one, priority: BigInt(Number(one.priority)) }));
    return {
      reap: async (...given) => read(await driver.reap(...given)),
      best: async (...given) => read(await driver.best(...given)),
    };
  }),
  ranking('evicts-from-the-other-end', (driver, { index }) => ({
    sweep: async (moment, context) => {
      const { maxTxs } = index.limits;
      const over = index.totals.transactions - maxTxs;
      const best = Array.from(index.order, ({ hash }) => hash).slice(0, Math.max(0, over));
      await driver.drop(best, 'evicted', { signal: context.signal, operationId: undefined });
      const swept = await driver.sweep(moment, context);
      return { ...swept, evicted: [...best, ...swept.evicted] };
    },
  })),
];

export const storeOrderMutants: readonly Mutant[] = [
  rankedStore('children-of-a-call-not-seen', (store) => ({
    receive: async (batch, options) => store.receive([...batch].reverse(), options).then((told) => told.reverse()),
  })),
];
