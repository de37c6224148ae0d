import type { AdmissionRefusal, ReceiveOutcome, Stage } from 'mempool-core';
import type { CheckedSubmission, PoolIndex, PoolNode } from 'mempool-core/backend';
import type { Mutant } from './mutant.ts';
import { parentsOf, unmetOf } from './priority-places.ts';
import { lentTags, limiting, rankedStore, ranking, seeing, settling } from './priority-pool.ts';

export const isRefusal = (outcome: ReceiveOutcome): outcome is AdmissionRefusal =>
  outcome.kind !== 'received' && outcome.kind !== 'duplicate';

/** Refuses one that comes alone before the rules are asked. */
export function refusing(
  id: string,
  refusal: (one: CheckedSubmission, index: PoolIndex) => AdmissionRefusal | null,
): Mutant {
  return ranking(id, (driver, { index }) => ({
    admit: (submissions, moment, context) => {
      const [one] = submissions;
      const refused = one === undefined || submissions.length > 1 ? null : refusal(one, index);
      return refused === null ? driver.admit(submissions, moment, context) : [refused];
    },
  }));
}

/** Tells an outcome that is another than the one due. */
export function telling(
  id: string,
  tell: (outcome: ReceiveOutcome, one: CheckedSubmission, index: PoolIndex) => ReceiveOutcome,
): Mutant {
  return ranking(id, (driver, { index }) => ({
    admit: async (submissions, moment, context) => {
      const outcomes = await driver.admit(submissions, moment, context);
      return outcomes.map((outcome, i) => tell(outcome, submissions[i] as CheckedSubmission, index));
    },
  }));
}

export function rivalsOf(index: PoolIndex, { verdict }: CheckedSubmission): PoolNode[] {
  return [...new Set(verdict.provides.flatMap((tag) => [...index.providers.of(tag)]))].sort((a, b) => a.seq - b.seq);
}

/** Nobody in such a stage provides anything to one who comes. */
function overlooking(stage: Stage): Mutant {
  return seeing(`conflicts-with-${stage.toLowerCase()}-overlooked`, ['admit'], ({ index }) => {
    const of = (tag: string) => new Set([...index.providers.of(tag)].filter((node) => node.stage !== stage));
    return { providers: lentTags(of) };
  });
}

/** Pending ancestors by the ways that lead to them. */
function waysUp(index: PoolIndex, parents: readonly PoolNode[]): number {
  return parents.reduce((sum, { entry }) => sum + 1 + waysUp(index, parentsOf(index, entry)), 0);
}

function waitingFor(index: PoolIndex, from: readonly PoolNode[]): Set<PoolNode> {
  const met = new Set<PoolNode>();
  const childrenOf = ({ entry }: PoolNode) => entry.verdict.provides.flatMap((tag) => [...index.dependents.of(tag)]);
  for (const child of from.flatMap(childrenOf)) met.add(child);
  for (const node of met) for (const child of childrenOf(node)) met.add(child);
  return met;
}

function pendingParents(index: PoolIndex, { verdict }: CheckedSubmission): PoolNode[] {
  return [...new Set(unmetOf(index, verdict.requires).flatMap((tag) => [...index.providers.of(tag)]))];
}

/** Descendants counted before the newcomer joins two families. */
const tooMany = (index: PoolIndex, tops: readonly PoolNode[]): boolean =>
  tops.some((top) => waitingFor(index, [top]).size + 1 > index.limits.maxDescendants);

export const limit = (
  { hash }: CheckedSubmission,
  name: 'maxParked' | 'maxAncestors' | 'maxDescendants',
): AdmissionRefusal => ({
  kind: 'limit',
  hash,
  limit: name,
});

/** P3: what refuses, in which order, and what a refusal leaves. */
export const admissionMutants: readonly Mutant[] = [
  ...(['Propagated', 'Acknowledged', 'Confirmed'] as const).map(overlooking),
  settling('refused-ones-take-a-gossip-number', ['admit'], (step, { index }) => {
    index.lastGossipSeq += (step.outcome as ReceiveOutcome[]).filter(isRefusal).length;
    return step;
  }),
  rankedStore('every-one-judged-by-itself', (store) => ({
    receive: async (batch, options) =>
      batch.length > 60
        ? store.receive(batch, options)
        : (await Promise.all(batch.map((one) => store.receive([one], { ...options, operationId: undefined })))).flat(),
  })),
  rankedStore('refused-ones-repeated-are-duplicates', (store) => ({
    receive: async (batch, options) => {
      const outcomes = await store.receive(batch, options);
      const told = new Set<string>();
      return outcomes.map((outcome) => {
        const isAgain = told.has(outcome.hash);
        told.add(outcome.hash);
        return isAgain && isRefusal(outcome) ? { kind: 'duplicate', hash: outcome.hash, stage: 'Pending' } : outcome;
      });
    },
  })),
  telling('conflict-with-the-last', (outcome, one, index) => {
    if (outcome.kind !== 'conflict') return outcome;
    const settled = rivalsOf(index, one).filter(({ stage }) => stage !== 'Pending');
    return { ...outcome, with: settled.at(-1)?.hash ?? outcome.with };
  }),
  telling('senders-told-before-spent-tags', (outcome, { hash, verdict: { sender } }, { limits, totals }) => {
    const limit = limits.maxPerSender;
    const isOver = sender !== '' && (totals.senders.get(sender) ?? 0) >= limit;
    return outcome.kind === 'conflict' && outcome.with === null && isOver
      ? { kind: 'sender-limit', hash, limit }
      : outcome;
  }),
  telling('descendants-told-first', (outcome, { hash, verdict: { provides } }, { limits, dependents }) => {
    const isFirst =
      outcome.kind === 'replacement-underpriced' || (outcome.kind === 'limit' && outcome.limit === 'maxParked');
    const hasMore = provides.some((tag) => dependents.of(tag).size > limits.maxDescendants);
    return isFirst && hasMore ? { kind: 'limit', hash, limit: 'maxDescendants' } : outcome;
  }),
  telling('circles-told-as-conflicts', (outcome) =>
    outcome.kind === 'cycle' ? { kind: 'conflict', hash: outcome.hash, with: outcome.hash } : outcome,
  ),
  refusing('circles-told-before-all-else', ({ hash, verdict }) =>
    verdict.provides.some((tag) => verdict.requires.includes(tag)) ? { kind: 'cycle', hash } : null,
  ),
  refusing('parked-told-before-ancestors', (one, index) => {
    const lacks = unmetOf(index, one.verdict.requires).some((tag) => index.providers.of(tag).size === 0);
    return lacks && index.parked.length + 1 > index.limits.maxParked ? limit(one, 'maxParked') : null;
  }),
  rankedStore('one-refusal-refuses-the-rest', (store) => ({
    receive: async (batch, options) => {
      const told: ReceiveOutcome[] = [];
      for (const one of batch) {
        const before = told.find(isRefusal);
        if (before !== undefined) told.push({ ...before, hash: one.hash });
        else told.push(...(await store.receive([one], options)));
      }
      return told;
    },
  })),
  ranking('judged-from-the-last-to-the-first', (driver) => ({
    admit: async (submissions, moment, context) =>
      [...(await driver.admit([...submissions].reverse(), moment, context))].reverse(),
  })),
  telling('duplicates-told-as-pending', (outcome) =>
    outcome.kind === 'duplicate' ? { ...outcome, stage: 'Pending' } : outcome,
  ),
  refusing('gas-judged-before-known', ({ hash, verdict }, { limits }) =>
    verdict.gas > limits.maxTxGas ? { kind: 'limit', hash, limit: 'maxTxGas' } : null,
  ),
  ranking('duplicates-change-the-verdict', (driver, { index }) => ({
    admit: async (submissions, moment, context) => {
      const outcomes = await driver.admit(submissions, moment, context);
      for (const [i, { kind, hash }] of outcomes.entries()) {
        const node = index.node(hash);
        const { verdict } = submissions[i] as CheckedSubmission;
        if (kind === 'duplicate' && node)
          index.move(node, node.stage, { ...node.entry, version: 9, checkedHeight: verdict.gas });
      }
      return outcomes;
    },
  })),
  refusing('full-before-known', ({ hash }, { totals, limits, order }) =>
    totals.transactions >= limits.maxTxs && order.last?.hash === hash ? { kind: 'full', hash, floor: null } : null,
  ),
  ranking('refused-hashes-refused-for-ever', (driver) => {
    const refused = new Map<string, ReceiveOutcome>();
    return {
      admit: async (submissions, moment, context) => {
        const known = submissions.map(({ hash }) => refused.get(hash));
        if (known.every((outcome) => outcome !== undefined)) return known as ReceiveOutcome[];
        const outcomes = await driver.admit(submissions, moment, context);
        for (const outcome of outcomes) if (isRefusal(outcome)) refused.set(outcome.hash, outcome);
        return outcomes;
      },
    };
  }),
  ranking('evicted-hashes-refused-for-ever', (driver, { ledger }) => ({
    admit: async (submissions, moment, context) => {
      const [first] = submissions;
      const life = first === undefined ? null : ledger.life(first.hash);
      if (first === undefined || life?.reason !== 'evicted') return driver.admit(submissions, moment, context);
      return submissions.map(({ hash }) => ({ kind: 'full', hash, floor: null }));
    },
  })),
  seeing('new-life-keeps-old-sources', ['admit'], ({ index }) => ({
    stand: (entry, place) => {
      const old = index.node(entry.hash)?.entry.sources ?? [];
      return index.stand({ ...entry, sources: [...old, ...entry.sources] }, place);
    },
  })),
  ranking('sources-of-the-first-alone', (driver, { index }) => ({
    admit: (submissions, moment, context) =>
      driver.admit(
        submissions.map((one) => (index.node(one.hash) === undefined ? one : { ...one, from: null })),
        moment,
        context,
      ),
  })),
  ranking('sources-of-finals-not-noted', (driver, { index }) => ({
    admit: (submissions, moment, context) =>
      driver.admit(
        submissions.map((one) => (index.node(one.hash)?.stage === 'Finalized' ? { ...one, from: null } : one)),
        moment,
        context,
      ),
  })),
  ranking('sources-within-a-call-not-noted', (driver) => ({
    admit: (submissions, moment, context) => {
      const told = new Set<string>();
      const first = submissions.map((one) => {
        const isAgain = told.has(one.hash);
        told.add(one.hash);
        return isAgain ? { ...one, from: null } : one;
      });
      return driver.admit(first, moment, context);
    },
  })),
  ...sourceMutants(),
  ranking('height-of-an-admission-ignored', (driver) => ({
    admit: (submissions, moment, context) => driver.admit(submissions, { ...moment, height: null }, context),
  })),
  limiting('gas-of-the-limit-is-too-much', ['admit'], ({ maxTxGas }) => ({ maxTxGas: maxTxGas - 1 })),
  limiting('gas-without-limit', ['admit'], () => ({ maxTxGas: Number.POSITIVE_INFINITY })),
  limiting('ancestors-one-less', ['admit'], ({ maxAncestors }) => ({ maxAncestors: maxAncestors - 1 })),
  limiting('ancestors-one-more', ['admit'], ({ maxAncestors }) => ({ maxAncestors: maxAncestors + 1 })),
  limiting('descendants-one-less', ['admit'], ({ maxDescendants }) => ({ maxDescendants: maxDescendants - 1 })),
  limiting('descendants-one-more', ['admit'], ({ maxDescendants }) => ({ maxDescendants: maxDescendants + 1 })),
  limiting('own-descendants-not-counted', ['admit'], ({ maxDescendants }, { given }) => {
    const [one] = given[0] as readonly CheckedSubmission[];
    return { maxDescendants: one?.verdict.requires.length === 0 ? Number.POSITIVE_INFINITY : maxDescendants };
  }),
  refusing('ancestors-counted-by-ways', (one, index) =>
    waysUp(index, pendingParents(index, one)) > index.limits.maxAncestors ? limit(one, 'maxAncestors') : null,
  ),
  ranking('descendants-of-the-parent-alone', (driver, { index }) => ({
    admit: async (submissions, moment, context) => {
      const { maxDescendants } = index.limits;
      const isFull = submissions.some((one) => tooMany(index, pendingParents(index, one)));
      if (isFull) return submissions.map((one) => limit(one, 'maxDescendants'));
      index.limits = { ...index.limits, maxDescendants: Number.POSITIVE_INFINITY };
      const outcomes = await driver.admit(submissions, moment, context);
      index.limits = { ...index.limits, maxDescendants };
      return outcomes;
    },
  })),
  limiting('parked-one-less', ['admit'], ({ maxParked }) => ({ maxParked: maxParked - 1 })),
  limiting('parked-without-limit', ['admit'], () => ({ maxParked: Number.POSITIVE_INFINITY })),
  seeing('circles-through-flight-overlooked', ['admit'], ({ index }) => {
    const of = (tag: string) => new Set([...index.providers.of(tag)].filter(({ stage }) => stage === 'Pending'));
    return { providers: lentTags(of, (tag) => index.providers.has(tag)) };
  }),
  refusing('circles-over-the-chain', ({ hash, verdict }, { satisfied, providers, dependents }) =>
    verdict.requires.some((tag) => satisfied.has(tag) && providers.has(tag)) &&
    verdict.provides.some((tag) => dependents.has(tag))
      ? { kind: 'cycle', hash }
      : null,
  ),
];

function sourceMutants(): Mutant[] {
  const grown = (id: string, sources: (known: readonly string[], from: string) => readonly string[]): Mutant =>
    ranking(id, (driver, { index }) => ({
      admit: async (submissions, moment, context) => {
        const before = submissions.map(({ hash }) => index.node(hash)?.entry.sources ?? null);
        const outcomes = await driver.admit(submissions, moment, context);
        for (const [i, { hash, from }] of submissions.entries()) {
          const node = index.node(hash);
          const known = before[i] ?? null;
          if (node === undefined || from === null || known === null) continue;
          index.move(node, node.stage, { ...node.entry, sources: sources(known, from) });
        }
        return outcomes;
      },
    }));
  return [
    grown('sources-without-number', (known, from) => (known.includes(from) ? known : [...known, from])),
    grown('sources-as-often-as-sent', (known, from) => [...known, from].slice(0, 64)),
    grown('sources-the-last-ones', (known, from) => (known.includes(from) ? known : [...known, from].slice(-64))),
  ];
}
