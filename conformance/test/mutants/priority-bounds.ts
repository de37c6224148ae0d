import type { CheckedRevision, CheckedSubmission, PoolIndex, PoolNode } from 'mempool-core/backend';
import { over } from './hall.ts';
import type { Mutant } from './mutant.ts';
import { limit, refusing, rivalsOf, telling } from './priority-admission.ts';
import { priority, type Seen } from './priority-pool.ts';

const without = Number.POSITIVE_INFINITY;

const isAwaited = (index: PoolIndex, provides: readonly string[] = []): boolean =>
  provides.some((tag) => index.dependents.has(tag));

const newcomer = ({ given }: Seen): CheckedSubmission | undefined => (given[0] as readonly CheckedSubmission[])[0];

/** Newcomers that may have any number of ancestors. */
function unbound(id: string, isMeant: (one: CheckedSubmission, index: PoolIndex) => boolean): Mutant {
  return priority.limits(id, ['admit'], (_, seen) => {
    const one = newcomer(seen);
    return one !== undefined && isMeant(one, seen.index) ? { maxAncestors: without } : {};
  });
}

/** Tags that the chain has satisfied, as one who comes would have them. */
function spending(id: string, isSpent: (tag: string, one: CheckedSubmission, index: PoolIndex) => boolean): Mutant {
  return priority.view(id, ['admit'], (seen) => {
    const { satisfied } = seen.index;
    const one = newcomer(seen);
    const has = (tag: string): boolean => {
      const isOwn = one?.verdict.provides.includes(tag) && !one.verdict.requires.includes(tag);
      return satisfied.has(tag) && (!isOwn || isSpent(tag, one as CheckedSubmission, seen.index));
    };
    return { satisfied: over(satisfied, () => ({ has })) };
  });
}

/** Ancestors of all those who wait for one, as if they were of one family. */
function familyOf(index: PoolIndex, { verdict }: CheckedSubmission): number {
  const children = verdict.provides.flatMap((tag) => [...index.dependents.of(tag)]);
  const tags = children.flatMap(({ entry }) => entry.verdict.requires);
  return new Set<PoolNode>(tags.flatMap((tag) => [...index.providers.of(tag)])).size + 1;
}

/** P3, P11: how many may wait for one another. */
export const boundMutants: readonly Mutant[] = [
  unbound('who-is-awaited-may-have-any-descendant', ({ verdict }, index) => isAwaited(index, verdict.provides)),
  unbound('replacements-may-have-any-ancestors', (one, index) => rivalsOf(index, one).length > 0),
  unbound('who-needs-nobody-may-have-any-descendant', ({ verdict }) => verdict.requires.length === 0),
  refusing('siblings-share-their-ancestors', (one, index) => {
    const isOver = isAwaited(index, one.verdict.provides) && familyOf(index, one) > index.limits.maxAncestors;
    return isOver && limit('maxAncestors');
  }),
  priority.limits('new-ancestors-of-descendants-without-limit', ['revise'], (_, { index, given }) => {
    const [one] = given[0] as readonly CheckedRevision[];
    return isAwaited(index, index.node(one?.hash ?? '')?.entry.verdict.provides) ? { maxAncestors: without } : {};
  }),
  priority.limits('new-parked-ones-without-limit', ['revise'], () => ({ maxParked: without })),
  priority.instead('parked-ones-beyond-the-limit-not-judged', {
    revise: ({ index, given: [revisions] }) =>
      index.parked.length > index.limits.maxParked && revisions.map(({ hash }) => ({ hash, ...limit('maxParked') })),
  }),
  spending('satisfied-tags-are-free', () => false),
  spending('spent-looked-at-in-the-first-tag-alone', (tag, { verdict }) => verdict.provides[0] === tag),
  spending('tags-of-final-ones-are-free', (tag, _, index) =>
    [...index.nodes()].every(({ stage, entry }) => stage !== 'Finalized' || !entry.verdict.provides.includes(tag)),
  ),
  telling('spent-told-as-a-circle', ['conflict'], (_, { verdict }, index) => {
    const isSpent = verdict.provides.some((tag) => index.satisfied.has(tag));
    return isSpent && { kind: 'cycle' };
  }),
];
