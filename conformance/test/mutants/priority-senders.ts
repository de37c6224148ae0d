import type { CheckedSubmission, PoolIndex, PoolNode } from 'mempool-core/backend';
import { over } from './hall.ts';
import type { Mutant } from './mutant.ts';
import { isParkedTooMuch, limit, refusing, rivalsOf } from './priority-admission.ts';
import { misheard } from './priority-order.ts';
import { priority } from './priority-pool.ts';

const countOf = (index: PoolIndex, sender: string, isCounted: (node: PoolNode) => boolean): number =>
  [...index.nodes()].filter((node) => node.entry.verdict.sender === sender && isCounted(node)).length;

/** Senders counted in another way. */
function counted(id: string, count: (index: PoolIndex, sender: string) => number): Mutant {
  return priority.view(id, ['admit'], ({ index }) => {
    const get = (sender: string) => count(index, sender);
    return { totals: over(index.totals, () => ({ senders: { get } as Map<string, number> })) };
  });
}

function counting(id: string, isCounted: (node: PoolNode) => boolean): Mutant {
  return counted(id, (index, sender) => countOf(index, sender, isCounted));
}

const limitOf = ({ limits }: PoolIndex, { verdict }: CheckedSubmission): number =>
  Math.min(verdict.senderLimit ?? Number.POSITIVE_INFINITY, limits.maxPerSender);

/** P3: limits per sender. */
export const senderMutants: readonly Mutant[] = [
  refusing('nobody-is-a-sender-too', (one, index) => {
    const max = limitOf(index, one);
    const count = countOf(index, '', ({ stage }) => stage === 'Pending');
    return one.verdict.sender === '' && count + 1 > max && { kind: 'sender-limit', limit: max };
  }),
  counted('senders-without-case', ({ totals }, sender) => {
    const alike = [...totals.senders].filter(([name]) => name.toLowerCase() === sender.toLowerCase());
    return alike.reduce((sum, [, count]) => sum + count, 0);
  }),
  counting('senders-in-flight-not-counted', ({ stage }) => stage === 'Pending'),
  counting('senders-count-confirmed-ones', ({ stage }) => stage !== 'Dropped' && stage !== 'Finalized'),
  counting('senders-count-dropped-ones', ({ stage }) => stage !== 'Confirmed' && stage !== 'Finalized'),
  counting('senders-count-ready-ones-alone', ({ stage, place }) => stage !== 'Confirmed' && place?.ready !== false),
  counting('senders-not-counted-after-a-return', ({ stage, entry }) => stage !== 'Confirmed' && entry.gossipSeq < 2),
  priority.limits('senders-by-the-verdict-alone', ['admit'], () => ({ maxPerSender: Number.POSITIVE_INFINITY })),
  misheard('senders-by-the-pool-alone', () => ({ senderLimit: null })),
  refusing('replacement-not-exempt-from-its-sender', (one, index) => {
    const { hash, verdict } = one;
    const max = limitOf(index, one);
    const count = index.totals.senders.get(verdict.sender) ?? 0;
    const isOver = verdict.sender !== '' && count + 1 > max && index.node(hash) === undefined;
    return isOver && rivalsOf(index, one).length > 0 && { kind: 'sender-limit', limit: max };
  }),
  refusing(
    'replacement-not-exempt-from-parking',
    (one, index) => isParkedTooMuch(index, one) && rivalsOf(index, one).length > 0 && limit('maxParked'),
  ),
];
