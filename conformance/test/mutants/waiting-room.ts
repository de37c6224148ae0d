import type { CheckedSubmission, PoolIndex, PoolNode } from 'mempool-core/backend';
import type { Mutant } from './mutant.ts';
import { limit, refusing, rivalsOf } from './priority-admission.ts';

const isWaiting = ({ place }: PoolNode): boolean => place?.ready === false;

/** The parked ones that require a tag of the newcomer. */
function readersOf(index: PoolIndex, { verdict }: CheckedSubmission): PoolNode[] {
  return [...new Set(verdict.provides.flatMap((tag) => [...index.dependents.of(tag)]))].filter(isWaiting);
}

function familyOf(index: PoolIndex, from: readonly PoolNode[]): Set<PoolNode> {
  const family = new Set(from);
  for (const { entry } of family)
    for (const tag of entry.verdict.provides) for (const child of index.dependents.of(tag)) family.add(child);
  return family;
}

/** P22: limits are charged to those that wait. */
export const waitingRoomMutants: readonly Mutant[] = [
  refusing('chains-keep-out-their-root', (one, index) => {
    const isDeep = familyOf(index, readersOf(index, one)).size > index.limits.maxAncestors;
    return isDeep && rivalsOf(index, one).length === 0 && limit('maxAncestors');
  }),
];
