import type { PoolIndex, PoolNode } from 'mempool-core/backend';
import { over } from './hall.ts';
import type { Mutant } from './mutant.ts';
import { limit, refusing, rivalsOf } from './priority-admission.ts';
import { unmetOf } from './priority-places.ts';
import { limiting, ranking, seeing } from './priority-pool.ts';

const countOf = (index: PoolIndex, sender: string, isCounted: (node: PoolNode) => boolean): number =>
  [...index.nodes()].filter((node) => node.entry.verdict.sender === sender && isCounted(node)).length;

/** Senders counted in another way. */
function counting(id: string, isCounted: (node: PoolNode) => boolean): Mutant {
  return seeing(id, ['admit'], ({ index }) => {
    const get = (sender: string) => countOf(index, sender, isCounted);
    return { totals: over(index.totals, () => ({ senders: { get } as Map<string, number> })) };
  });
}

/** P3: limits per sender. */
export const senderMutants: readonly Mutant[] = [
  refusing('nobody-is-a-sender-too', ({ hash, verdict }, index) => {
    const max = Math.min(verdict.senderLimit ?? Number.POSITIVE_INFINITY, index.limits.maxPerSender);
    const count = countOf(index, '', ({ stage }) => stage === 'Pending');
    return verdict.sender === '' && count + 1 > max ? { kind: 'sender-limit', hash, limit: max } : null;
  }),
  seeing('senders-without-case', ['admit'], ({ index }) => {
    const alike = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();
    const get = (sender: string) =>
      [...index.totals.senders].reduce((sum, [name, count]) => sum + (alike(name, sender) ? count : 0), 0);
    return { totals: over(index.totals, () => ({ senders: { get } as Map<string, number> })) };
  }),
  counting('senders-in-flight-not-counted', ({ stage }) => stage === 'Pending'),
  counting('senders-count-confirmed-ones', ({ stage }) => stage !== 'Dropped' && stage !== 'Finalized'),
  counting('senders-count-dropped-ones', ({ stage }) => stage !== 'Confirmed' && stage !== 'Finalized'),
  counting('senders-count-ready-ones-alone', ({ stage, place }) => stage !== 'Confirmed' && place?.ready !== false),
  counting('senders-not-counted-after-a-return', ({ stage, entry }) => stage !== 'Confirmed' && entry.gossipSeq < 2),
  limiting('senders-by-the-verdict-alone', ['admit'], () => ({ maxPerSender: Number.POSITIVE_INFINITY })),
  ranking('senders-by-the-pool-alone', (driver) => ({
    admit: (submissions, moment, context) =>
      driver.admit(
        submissions.map(({ verdict, ...one }) => ({ ...one, verdict: { ...verdict, senderLimit: null } })),
        moment,
        context,
      ),
  })),
  refusing('replacement-not-exempt-from-its-sender', (one, index) => {
    const { hash, verdict } = one;
    const max = Math.min(verdict.senderLimit ?? Number.POSITIVE_INFINITY, index.limits.maxPerSender);
    const count = index.totals.senders.get(verdict.sender) ?? 0;
    const isOver = verdict.sender !== '' && count + 1 > max && index.node(hash) === undefined;
    return isOver && rivalsOf(index, one).length > 0 ? { kind: 'sender-limit', hash, limit: max } : null;
  }),
  refusing('replacement-not-exempt-from-parking', (one, index) => {
    const lacks = unmetOf(index, one.verdict.requires).some((tag) => index.providers.of(tag).size === 0);
    const isOver = lacks && index.parked.length + 1 > index.limits.maxParked;
    return isOver && rivalsOf(index, one).length > 0 ? limit(one, 'maxParked') : null;
  }),
];
