import type { CheckedSubmission, PlacedNode, PoolIndex, PoolNode } from 'mempool-core/backend';
import type { Mutant } from './mutant.ts';
import { isParkedTooMuch, limit, newcomer, pushing, refusing, rivalsOf } from './priority-admission.ts';
import { leave, priority, type RankedVerb } from './priority-operators.ts';

const endless = Number.POSITIVE_INFINITY;
const placed = (index: PoolIndex): PlacedNode[] =>
  [...index.parked].filter((node) => node.place !== null) as PlacedNode[];
const senderOf = ({ entry }: PoolNode): string => entry.verdict.sender;

/** Another parked one counts as the worst, or a sender's are counted in another way. */
function ranking(
  id: string,
  verbs: readonly RankedVerb[],
  change: (index: PoolIndex, given: readonly unknown[]) => Partial<PoolIndex['parking']>,
): Mutant {
  return priority.view(id, verbs, ({ index, given }) => {
    const { parking } = index;
    const sound = {
      count: (sender: string) => parking.count(sender),
      worstOf: (sender: string) => parking.worstOf(sender),
      isWorse: parking.isWorse,
    };
    return {
      get parking() {
        const { worst } = index.parking;
        return { ...sound, worst, ...change(index, given) } as PoolIndex['parking'];
      },
    };
  });
}

/** The first by a rule of its own; it begins with the last in the order. */
function worstBy(index: PoolIndex, isWorse: (one: PlacedNode, than: PlacedNode) => boolean): PlacedNode | undefined {
  let worst: PlacedNode | undefined;
  for (const node of index.order.backwards())
    if (node.place.ready === false && (worst === undefined || isWorse(node, worst))) worst = node;
  return worst;
}

const lowest = (one: PlacedNode, than: PlacedNode): boolean =>
  one.place.effectivePriority < than.place.effectivePriority;

function countOf(index: PoolIndex, sender: string, isMeant: (node: PoolNode) => boolean): number {
  return [...index.nodes()].filter((node) => senderOf(node) === sender && isMeant(node)).length;
}

/** Of the cheapest, one of the sender that has most by another count. */
function byCount(index: PoolIndex, count: (sender: string) => number): PlacedNode | undefined {
  return worstBy(
    index,
    (one, than) => lowest(one, than) || (!lowest(than, one) && count(senderOf(one)) > count(senderOf(than))),
  );
}

const allOf = (index: PoolIndex) => (sender: string) => countOf(index, sender, ({ stage }) => stage === 'Pending');

/** P22: who leaves parking. */
const roomMutants: readonly Mutant[] = [
  priority.limits('parking-evicts-nobody', ['admit'], (limits, { index, given }) => {
    const one = newcomer(given);
    return one !== undefined && isParkedTooMuch(index, one) ? { eviction: 'none' } : limits;
  }),
  ranking('parking-loses-the-first', ['admit'], (index) => ({ worst: placed(index)[0] })),
  ranking('parked-ones-by-their-own-priority', ['admit'], (index) => ({
    worst: worstBy(index, (one, than) => one.entry.verdict.priority < than.entry.verdict.priority),
  })),
  ranking('parking-by-the-order-alone', ['admit', 'sweep'], (index) => ({ worst: worstBy(index, lowest) })),
  ranking('parking-loses-the-first-of-a-sender', ['admit'], (index) => ({
    worst: placed(index).find((node) => {
      const { worst } = index.parking;
      const isAlike = worst?.place.effectivePriority === node.place.effectivePriority;
      return isAlike && senderOf(node) === senderOf(worst);
    }),
  })),
  ranking('parking-counts-ready-ones', ['admit'], (index) => ({
    worst: byCount(index, allOf(index)),
    count: allOf(index),
  })),
  ranking('equals-parked-push-each-other-out', ['admit'], (index, given) => {
    const own = newcomer(given)?.verdict.sender ?? '';
    return { count: (sender) => index.parking.count(sender) - (sender === own ? 1 : 0) };
  }),
  ranking('parked-ones-without-a-sender-are-apart', ['admit'], (index) => {
    const count = (sender: string): number => (sender === '' ? 1 : index.parking.count(sender));
    return { worst: byCount(index, count), count };
  }),
  pushing('parked-parents-leave-for-their-children', (one, index) => {
    const { worst } = index.parking;
    const isParent = worst?.entry.verdict.provides.some((tag) => one.verdict.requires.includes(tag));
    const isMeant = worst !== undefined && isParent && isParkedBelow(index, one);
    return isMeant && senderOf(worst) !== one.verdict.sender ? worst : undefined;
  }),
  pushing('parked-newcomers-push-out-equals', (one, index) => {
    const { worst } = index.parking;
    const isEqual = worst?.place.effectivePriority === one.verdict.priority;
    return isEqual && isParkedTooMuch(index, one) ? worst : undefined;
  }),
  priority.around('children-leave-parking-with-their-parent', {
    admit: async ({ whole, index, given }) => {
      const before = placed(index);
      const outcomes = await whole.admit(...given);
      const tags = before.filter(({ stage }) => stage === 'Dropped').flatMap(({ entry }) => entry.verdict.provides);
      const isLeft = ({ entry }: PoolNode) => entry.verdict.requires.some((tag) => tags.includes(tag));
      await leave(whole, placed(index).filter(isLeft), 'evicted');
      return outcomes;
    },
  }),
  priority.limits('parking-frees-any-number', ['admit'], ({ maxEvictions, maxParked }, { index }) =>
    index.parked.length > maxParked ? { maxEvictions: endless } : { maxEvictions },
  ),
  priority.limits('parking-frees-one-at-most', ['admit'], ({ maxParked }, { index }) => ({
    maxParked: Math.max(maxParked, index.parked.length),
  })),
  priority.limits('parking-evicts-without-eviction', ['admit'], ({ eviction, maxTxs }) => ({
    eviction: maxTxs > 90_000 ? 'lowest' : eviction,
  })),
  priority.limits('parked-replacements-need-no-room', ['admit'], (_, { index, given }) => {
    const one = newcomer(given);
    return one !== undefined && rivalsOf(index, one).length > 0 ? { maxParked: endless } : {};
  }),
  priority.limits('sweep-leaves-the-parked', ['sweep'], () => ({ maxParked: endless })),
  priority.given('plain-sweep-frees-parking', {
    sweep: (asked, { index }) => index.parked.length > index.limits.maxParked && { ...asked, overLimits: true },
  }),
  refusing('parking-full-for-the-small', (one, index) => {
    const isSmall = index.parking.count(one.verdict.sender) === 0;
    return isSmall && isParkedTooMuch(index, one) && limit('maxParked');
  }),
];

function isParkedBelow(index: PoolIndex, { verdict }: CheckedSubmission): boolean {
  const isBelow = verdict.requires.some((tag) =>
    [...index.providers.of(tag)].some(({ place }) => place?.ready === false),
  );
  return isBelow && index.parked.length >= index.limits.maxParked;
}

const allVerbs = ['admit', 'move', 'drop', 'confirm', 'rollback', 'take', 'sweep', 'revise'] as const;

/** A sweep at which parked ones are as old as this says. */
function aging(id: string, isMeant: (node: PoolNode, sinceMs: number, index: PoolIndex) => boolean): Mutant {
  return priority.told(id, {
    sweep: async ({ expired }, { whole, index, given: [{ now }], options }) => {
      const nowMs = now ?? options.now?.() ?? 0;
      const since = ({ entry }: PoolNode): number => nowMs - (entry.parkedAt ?? entry.admittedAt);
      const waits = [...index.nodes()].filter(({ stage }) => stage === 'Pending');
      const old = waits.filter((node) => isMeant(node, since(node), index));
      return { expired: [...expired, ...(await leave(whole, old, 'expired'))] };
    },
  });
}

/** P22: how long they stay. */
const ageMutants: readonly Mutant[] = [
  priority.limits('parked-ones-stay-for-ever', ['sweep'], () => ({ parkedTtlMs: endless })),
  priority.limits('parked-ones-expire-late', ['sweep'], ({ parkedTtlMs }) => ({ parkedTtlMs: parkedTtlMs + 1 })),
  priority.limits('parked-ones-expire-early', ['sweep'], ({ parkedTtlMs }) => ({ parkedTtlMs: parkedTtlMs - 1 })),
  aging('held-ones-expire-as-parked', ({ entry }, since, { limits }) => {
    const isHeld = entry.notBefore !== undefined;
    return isHeld && since > limits.parkedTtlMs;
  }),
  aging('sweeps-expire-what-they-park', ({ entry }, since, { limits }) => {
    const { admittedAt, parkedAt = admittedAt, notBefore } = entry;
    return since === 0 && notBefore === undefined && parkedAt - admittedAt > limits.parkedTtlMs;
  }),
  priority.moves('woken-ones-wait-since-they-were-held', ['sweep'], ({ parkedAt }, _, { entry }) => {
    const { parkedAt: heldAt } = entry;
    return heldAt !== undefined && parkedAt !== heldAt && { parkedAt: heldAt };
  }),
  aging('nothing-stays-parked-for-ever', ({ place }, since) => place?.ready === false && since > 600_000),
  priority.moves(
    'parked-since-the-admission',
    allVerbs,
    ({ parkedAt }) => parkedAt !== undefined && { parkedAt: undefined },
  ),
  priority.moves('parked-since-the-first-time', allVerbs, ({ parkedAt }, _, node) => {
    const { parkedAt: first } = node.entry;
    return first !== undefined && parkedAt !== first && { parkedAt: first };
  }),
];

export const parkingRoomMutants: readonly Mutant[] = [...roomMutants, ...ageMutants];
