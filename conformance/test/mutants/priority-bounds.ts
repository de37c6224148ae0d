import type { CheckedRevision, CheckedSubmission, PoolIndex, PoolNode } from 'mempool-core/backend';
import { over } from './hall.ts';
import type { Mutant } from './mutant.ts';
import { limit, refusing, rivalsOf } from './priority-admission.ts';
import { limiting, ranking, type Seen, seeing } from './priority-pool.ts';

const without = Number.POSITIVE_INFINITY;

const isAwaited = (index: PoolIndex, provides: readonly string[]): boolean =>
  provides.some((tag) => index.dependents.has(tag));

const newcomer = ({ given }: Seen): CheckedSubmission | undefined => (given[0] as readonly CheckedSubmission[])[0];

/** Tags that the chain has satisfied, as one who comes would have them. */
function spending(id: string, isSpent: (tag: string, one: CheckedSubmission, index: PoolIndex) => boolean): Mutant {
  return seeing(id, ['admit'], (seen) => {
    const { index } = seen;
    const one = newcomer(seen);
    const { satisfied } = index;
    const has = (tag: string): boolean => {
      const isOwn = one?.verdict.provides.includes(tag) && !one.verdict.requires.includes(tag);
      return satisfied.has(tag) && (!isOwn || isSpent(tag, one as CheckedSubmission, index));
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
  limiting('who-is-awaited-may-have-any-descendant', ['admit'], (_, seen) =>
    isAwaited(seen.index, newcomer(seen)?.verdict.provides ?? []) ? { maxAncestors: without } : {},
  ),
  limiting('replacements-may-have-any-ancestors', ['admit'], (_, seen) => {
    const one = newcomer(seen);
    return one !== undefined && rivalsOf(seen.index, one).length > 0 ? { maxAncestors: without } : {};
  }),
  limiting('who-needs-nobody-may-have-any-descendant', ['admit'], (_, seen) =>
    newcomer(seen)?.verdict.requires.length === 0 ? { maxAncestors: without } : {},
  ),
  refusing('siblings-share-their-ancestors', (one, index) =>
    isAwaited(index, one.verdict.provides) && familyOf(index, one) > index.limits.maxAncestors
      ? limit(one, 'maxAncestors')
      : null,
  ),
  limiting('new-ancestors-of-descendants-without-limit', ['revise'], (_, { index, given }) => {
    const [one] = given[0] as readonly CheckedRevision[];
    const provides = index.node(one?.hash ?? '')?.entry.verdict.provides ?? [];
    return isAwaited(index, provides) ? { maxAncestors: without } : {};
  }),
  limiting('new-parked-ones-without-limit', ['revise'], () => ({ maxParked: without })),
  ranking('parked-ones-beyond-the-limit-not-judged', (driver, { index }) => ({
    revise: async (revisions, ...rest) =>
      index.parked.length > index.limits.maxParked
        ? revisions.map(({ hash }) => ({ kind: 'limit', hash, limit: 'maxParked' }))
        : driver.revise(revisions, ...rest),
  })),
  spending('satisfied-tags-are-free', () => false),
  spending('spent-looked-at-in-the-first-tag-alone', (tag, { verdict }) => verdict.provides[0] === tag),
  spending('tags-of-final-ones-are-free', (tag, _, index) =>
    [...index.nodes()].every(({ stage, entry }) => stage !== 'Finalized' || !entry.verdict.provides.includes(tag)),
  ),
  ranking('spent-told-as-a-circle', (driver, { index }) => ({
    admit: async (submissions, ...rest) => {
      const isSpent = submissions.map(({ verdict }) => verdict.provides.some((tag) => index.satisfied.has(tag)));
      const outcomes = await driver.admit(submissions, ...rest);
      return outcomes.map((one, i) =>
        one.kind === 'conflict' && isSpent[i] ? { kind: 'cycle', hash: one.hash } : one,
      );
    },
  })),
];
