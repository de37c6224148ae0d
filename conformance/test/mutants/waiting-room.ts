import type { CheckedSubmission, PoolIndex, PoolNode } from 'mempool-core/backend';
import type { Mutant } from './mutant.ts';
import { isRefusal, limit, newcomer, pushing, refusing, rivalsOf } from './priority-admission.ts';
import { leave, priority } from './priority-operators.ts';

const endless = Number.POSITIVE_INFINITY;
const isWaiting = ({ place }: PoolNode): boolean => place?.ready === false;
const ownPriority = ({ entry }: PoolNode): bigint => entry.verdict.priority;
const byPriority = (a: PoolNode, b: PoolNode): number => (ownPriority(a) < ownPriority(b) ? -1 : 1);

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

function parentsOf(index: PoolIndex, { verdict }: CheckedSubmission): PoolNode[] {
  return verdict.requires.flatMap((tag) => [...index.providers.of(tag)]);
}

function lacks(index: PoolIndex, { verdict }: CheckedSubmission): boolean {
  return verdict.requires.some((tag) => !index.providers.has(tag) && !index.satisfied.has(tag));
}

function ownParked(index: PoolIndex, { verdict }: CheckedSubmission): PoolNode[] {
  return [...index.parked].filter(
    ({ entry }) => entry.verdict.sender !== '' && entry.verdict.sender === verdict.sender,
  );
}

function isOverSender(index: PoolIndex, { verdict }: CheckedSubmission): boolean {
  const { sender, senderLimit } = verdict;
  const max = Math.min(senderLimit ?? endless, index.limits.maxPerSender);
  return sender !== '' && (index.totals.senders.get(sender) ?? 0) >= max;
}

function hasTooManyReaders(index: PoolIndex, one: CheckedSubmission): boolean {
  return familyOf(index, readersOf(index, one)).size > index.limits.maxDescendants;
}

/** No limit of that name for some newcomers. */
function unlimited(
  id: string,
  name: 'maxAncestors' | 'maxDescendants' | 'maxPerSender',
  isMeant: (one: CheckedSubmission, index: PoolIndex) => boolean,
): Mutant {
  return priority.limits(id, ['admit'], (_, { index, given }) => {
    const one = newcomer(given);
    return one !== undefined && isMeant(one, index) ? { [name]: endless } : {};
  });
}

/** P22: limits are charged to those that wait. */
export const waitingRoomMutants: readonly Mutant[] = [
  refusing('chains-keep-out-their-root', (one, index) => {
    const isDeep = familyOf(index, readersOf(index, one)).size > index.limits.maxAncestors;
    return isDeep && rivalsOf(index, one).length === 0 && limit('maxAncestors');
  }),
  unlimited('deep-ones-stay', 'maxAncestors', (one, index) => readersOf(index, one).length > 0),
  refusing('parked-ones-keep-out-a-parked-one', (one, index) => {
    const isOver = familyOf(index, readersOf(index, one)).size > index.limits.maxDescendants;
    return isOver && lacks(index, one) && limit('maxDescendants');
  }),
  refusing('readers-keep-out-what-they-read', (one, index) => {
    return hasTooManyReaders(index, one) && !lacks(index, one) && limit('maxDescendants');
  }),
  unlimited('any-number-waits-for-a-missing-tag', 'maxDescendants', (one, index) => lacks(index, one)),
  refusing('no-more-wait-for-a-missing-tag', ({ verdict }, index) => {
    const isFull = (tag: string) => index.dependents.of(tag).size >= index.limits.maxDescendants;
    return verdict.requires.some((tag) => !index.providers.has(tag) && isFull(tag)) && limit('maxDescendants');
  }),
  pushing('parents-leave-for-those-that-wait-for-the-same', (one, index) => {
    const isBoth = ({ entry }: PoolNode) => entry.verdict.requires.some((tag) => one.verdict.requires.includes(tag));
    return parentsOf(index, one).find((node) => isWaiting(node) && isBoth(node));
  }),
  pushing('best-readers-leave', (one, index) => {
    const isOver = hasTooManyReaders(index, one) && !lacks(index, one);
    return isOver ? readersOf(index, one).sort(byPriority).at(-1) : undefined;
  }),
  pushing('last-readers-leave', (one, index) => {
    return hasTooManyReaders(index, one)
      ? readersOf(index, one)
          .sort((a, b) => a.seq - b.seq)
          .at(-1)
      : undefined;
  }),
  pushing('cheap-protected-readers-leave', (one, index) => {
    const cheapest = hasTooManyReaders(index, one) ? readersOf(index, one).sort(byPriority)[0] : undefined;
    return cheapest?.entry.verdict.protected ? cheapest : undefined;
  }),
  priority.around('readers-leave-with-what-they-read', {
    admit: async ({ whole, index, given }) => {
      const before = [...index.parked];
      const outcomes = await whole.admit(...given);
      const gone = before.filter(({ stage }) => stage === 'Dropped');
      await leave(whole, [...familyOf(index, gone)].filter(isWaiting), 'evicted');
      return outcomes;
    },
  }),
  refusing('parked-ones-below-a-parent-keep-out', (one, index) => {
    const isFull = (node: PoolNode) => familyOf(index, [node]).size > index.limits.maxDescendants;
    return !lacks(index, one) && parentsOf(index, one).some(isFull) && limit('maxDescendants');
  }),
  unlimited('parents-of-ready-ones-have-no-limit', 'maxDescendants', (one, index) => {
    return !lacks(index, one) && parentsOf(index, one).length > 0;
  }),
  refusing('parked-ones-below-a-parent-keep-out-parked-ones', (one, index) => {
    const isFull = (node: PoolNode) => familyOf(index, [node]).size > index.limits.maxDescendants;
    return lacks(index, one) && parentsOf(index, one).some(isFull) && limit('maxDescendants');
  }),
  priority.limits('any-number-leaves-for-a-parked-one', ['admit'], ({ maxEvictions }, { index, given }) => {
    const one = newcomer(given);
    return { maxEvictions: one !== undefined && lacks(index, one) ? endless : maxEvictions };
  }),
  priority.told('readers-leave-for-one-that-is-refused', {
    admit: async (told, { whole, index, given: [submissions] }) => {
      const refused = submissions.filter((_, i) => isRefusal(told[i] as (typeof told)[number]));
      await leave(
        whole,
        refused.flatMap((one) => readersOf(index, one)),
        'evicted',
      );
    },
  }),
  refusing('later-nonces-keep-out-earlier-ones', (one, index) => {
    const isOver = isOverSender(index, one) && rivalsOf(index, one).length === 0;
    return isOver && { kind: 'sender-limit', limit: index.limits.maxPerSender };
  }),
  refusing('ready-ones-need-room-among-the-parked', (one, index) => {
    const isFull = index.parked.length >= index.limits.maxParked;
    return isFull && !lacks(index, one) && readersOf(index, one).length > 0 && limit('maxParked');
  }),
  pushing('best-of-a-sender-leave', (one, index) => {
    return isOverSender(index, one) && !lacks(index, one) ? ownParked(index, one).sort(byPriority).at(-1) : undefined;
  }),
  pushing('parked-ones-leave-for-a-parked-one-of-their-sender', (one, index) => {
    return isOverSender(index, one) ? ownParked(index, one)[0] : undefined;
  }),
  pushing('ready-ones-leave-for-their-sender', (one, index) => {
    const isOwn = ({ entry }: PoolNode) => entry.verdict.sender === one.verdict.sender;
    return isOverSender(index, one) ? [...index.order].find(isOwn) : undefined;
  }),
  unlimited(
    'what-is-awaited-has-no-limit-per-sender',
    'maxPerSender',
    (one, index) => readersOf(index, one).length > 0,
  ),
  priority.told('rollbacks-drop-what-is-over-the-limits', {
    rollback: async (_, { whole, index }) => {
      const isOver = (node: PoolNode) => familyOf(index, [node]).size > index.limits.maxDescendants + 1;
      const over = [...index.order].filter(isOver);
      await leave(whole, [...familyOf(index, over)].filter(isWaiting), 'evicted');
    },
  }),
  priority.limits('new-verdicts-make-no-room', ['revise'], ({ maxDescendants, maxAncestors }, { index }) => {
    return index.parked.length > 0
      ? { maxDescendants: endless, maxAncestors: endless }
      : { maxDescendants, maxAncestors };
  }),
];
