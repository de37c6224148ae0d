import type { ReceiveOutcome } from 'mempool-core';
import type { CheckedSubmission, PoolIndex, PoolNode } from 'mempool-core/backend';
import { withEvents } from './fifo.ts';
import type { Mutant } from './mutant.ts';
import { free } from './planted-driver.ts';
import { refusing, rivalsOf, telling } from './priority-admission.ts';
import { priority } from './priority-pool.ts';

const max = 2n ** 63n - 1n;

function divideUp(value: bigint, by: bigint): bigint {
  const cut = value / by;
  return value % by > 0n ? cut + 1n : cut;
}

const atLeast = (price: bigint, old: bigint): bigint => (price > old ? price : old + 1n);
const higher = (a: bigint, b: bigint): bigint => (a > b ? a : b);
const bound = (old: bigint, bump: number): bigint => atLeast(divideUp(old * BigInt(100 + bump), 100n), old);
const sumOf = (nodes: readonly PoolNode[]): bigint =>
  nodes.reduce((sum, { entry }) => sum + entry.verdict.priority * BigInt(entry.bytes), 0n);
const childrenOf = (index: PoolIndex, tags: readonly string[]): PoolNode[] => [
  ...new Set(tags.flatMap((tag) => [...index.dependents.of(tag)])),
];

/** What is offered for the place of others. */
interface Offer {
  readonly one: CheckedSubmission;
  readonly rivals: readonly PoolNode[];
  /** Those who wait for the rivals. */
  readonly children: readonly PoolNode[];
  /** The rivals, and the ready ones that wait for what these provide and the newcomer does not. */
  readonly losers: readonly PoolNode[];
  readonly bytes: bigint;
  readonly bump: number;
  /** The price of the oldest rival. */
  readonly old: bigint;
  /** By the rule. */
  readonly due: bigint;
  readonly index: PoolIndex;
}

function offerOf(one: CheckedSubmission, index: PoolIndex): Offer | null {
  const rivals = rivalsOf(index, one);
  const isKnown = (index.node(one.hash)?.stage ?? 'Dropped') !== 'Dropped';
  if (isKnown || rivals.length === 0 || rivals.some(({ stage }) => stage !== 'Pending')) return null;
  const bump = index.limits.replacementBump;
  const prices = rivals.map(({ entry }) => entry.verdict.priority);
  const given = rivals.flatMap(({ entry }) => entry.verdict.provides);
  const lost = given.filter((tag) => !one.verdict.provides.includes(tag));
  const parked = childrenOf(index, lost).filter(({ place }) => place?.ready === true);
  return {
    ...{ one, rivals, index, bump, bytes: BigInt(one.payload.length), old: prices[0] ?? 0n },
    children: childrenOf(index, given),
    losers: [...rivals, ...parked],
    due: prices.map((price) => bound(price, bump)).reduce(higher),
  };
}

/** A price of its own for what one that comes alone replaces; what pays it is let in, whatever the rules say. */
function pricing(id: string, price: (offer: Offer) => bigint): Mutant {
  return priority.instead(id, {
    admit: ({ whole, index, given: [[one, ...more], ...rest] }) => {
      const offer = one === undefined || more.length > 0 ? null : offerOf(one, index);
      if (one === undefined || offer === null) return null;
      const required = price(offer);
      const { hash, verdict } = one;
      if (verdict.priority < required)
        return [{ kind: 'replacement-underpriced', hash, required: required > max ? max : required }];
      // Whoever is replaced counts for nothing while the rules are asked.
      for (const node of offer.losers)
        index.move(node, node.stage, { ...node.entry, verdict: { ...node.entry.verdict, priority: -max - 1n } });
      return whole.admit([one], ...rest);
    },
  });
}

/** The price by the whole rule, but for what is changed. */
function whole(offer: Offer, change: { due?: bigint; losers?: readonly PoolNode[]; least?: bigint } = {}): bigint {
  const { due, losers, bytes, least } = { ...offer, least: 1n, ...change };
  if (losers.length <= 1) return due;
  return higher(bytes === 0n ? max + 1n : divideUp(sumOf(losers) + least, bytes), due);
}

/** P4: what it takes to replace another. */
export const priceMutants: readonly Mutant[] = [
  pricing('bump-rounded-down', ({ old, bump }) => atLeast((old * BigInt(100 + bump)) / 100n, old)),
  pricing('bump-by-doubles', ({ old, bump }) => atLeast(BigInt(Math.ceil((Number(old) * (100 + bump)) / 100)), old)),
  pricing('bump-of-the-size-below-zero', (offer) => {
    const { old, bump } = offer;
    const bumped = old + divideUp((old < 0n ? -old : old) * BigInt(bump), 100n);
    return old < -50n && bumped > old ? bumped : whole(offer);
  }),
  pricing('no-price-below-one', (offer) => higher(1n, whole(offer))),
  pricing('same-price-is-enough', (offer) => (offer.bump === 0 ? offer.old : whole(offer))),
  pricing('nought-replaced-by-nought', (offer) => (offer.old === 0n ? 0n : whole(offer))),
  pricing('one-more-than-the-bump', (offer) => whole(offer) + 1n),
  pricing('one-less-than-the-bump', (offer) => whole(offer) - 1n),
  pricing('one-more-is-enough', ({ old }) => old + 1n),
  pricing('bump-of-fifty-per-cent-at-most', (offer) =>
    whole(offer, { due: bound(offer.old, Math.min(50, offer.bump)) }),
  ),
  pricing('bump-of-ten-per-cent-always', (offer) => whole(offer, { due: bound(offer.old, 10) })),
  pricing('price-cut-to-the-highest', (offer) => (whole(offer) > max ? max : whole(offer))),
  pricing('first-of-several-sets-the-price', (offer) => whole(offer, { due: bound(offer.old, offer.bump) })),
  pricing('no-sum-asked-for', ({ due }) => due),
  pricing('sum-met-is-enough', (offer) => whole(offer, { least: 0n })),
  pricing('sum-asked-of-one-too', ({ rivals, bytes, due }) =>
    higher(bytes === 0n ? max : divideUp(sumOf(rivals) + 1n, bytes), due),
  ),
  pricing('sum-without-the-parked', (offer) => whole(offer, { losers: offer.rivals })),
  pricing('sum-of-all-children', (offer) => whole(offer, { losers: [...offer.rivals, ...offer.children] })),
  pricing('children-pin-by-their-size', (offer) =>
    offer.children.some(({ entry }) => entry.bytes > 10_000) ? max : whole(offer),
  ),
  pricing('empty-one-exceeds-any-sum', (offer) => (offer.bytes === 0n ? offer.due : whole(offer))),
  pricing('sum-of-sizes-below-zero', (offer) => {
    const sum = sumOf(offer.losers);
    return sum < 0n && offer.losers.length > 1 ? -sum : whole(offer);
  }),
  pricing('sum-cut-towards-zero', (offer) => {
    const [sum, isMeant] = [sumOf(offer.losers), offer.bytes > 0n && offer.losers.length > 1];
    return sum < 0n && isMeant ? higher(sum / offer.bytes + 1n, whole(offer)) : whole(offer);
  }),
  pricing('sum-by-doubles', (offer) => {
    const sum = BigInt(Number(sumOf(offer.losers)));
    return offer.bytes === 1n && offer.losers.length > 1 ? sum + 1n : whole(offer);
  }),
  telling(
    'price-told-as-one-that-can-be-paid',
    ['replacement-underpriced'],
    ({ required }) => required > max && { required: max },
  ),
  telling('own-price-told', ['replacement-underpriced'], (_, { verdict }) => ({ required: verdict.priority })),
];

const hashesOf = (nodes: readonly PoolNode[]): string[] => nodes.map(({ hash }) => hash);

/** Others are dropped beside an admission, by what comes of it. */
function dropping(
  id: string,
  pick: (submissions: readonly CheckedSubmission[], index: PoolIndex) => readonly PoolNode[],
  isMeant: (told: readonly ReceiveOutcome[]) => boolean,
): Mutant {
  return priority.around(id, {
    admit: async ({ whole, index, given }) => {
      const picked = hashesOf(pick(given[0], index));
      const outcomes = await whole.admit(...given);
      if (isMeant(outcomes)) await whole.drop([...new Set(picked)], 'replaced', free);
      return outcomes;
    },
  });
}

const rivalsOfAll = (all: readonly CheckedSubmission[], index: PoolIndex): PoolNode[] =>
  all.flatMap((one) => rivalsOf(index, one));

/** P4: what a replacement leaves behind. */
export const replacementMutants: readonly Mutant[] = [
  priority.overlooks('same-nonce-never-noticed', ['admit'], (_, tag, { given }) =>
    (given[0] as readonly CheckedSubmission[]).some(({ verdict }) => verdict.provides.includes(tag)),
  ),
  priority.overlooks('parked-ones-never-replaced', ['admit'], ({ place }) => place?.ready === false),
  dropping(
    'replacing-drops-the-children',
    (all, index) =>
      childrenOf(
        index,
        rivalsOfAll(all, index).flatMap(({ entry }) => entry.verdict.provides),
      ),
    ([first]) => first?.kind === 'received',
  ),
  priority.told('senders-have-one-at-the-best-price', {
    admit: async (_, { whole, index, given: [submissions] }) => {
      for (const { hash, verdict } of submissions) {
        const cheaper = [...index.nodes()].filter(({ entry: { verdict: other }, ...node }) => {
          const isRival = other.sender !== '' && other.sender === verdict.sender && node.hash !== hash;
          return node.stage === 'Pending' && isRival && other.priority < verdict.priority;
        });
        await whole.drop(hashesOf(cheaper), 'replaced', free);
      }
    },
  }),
  refusing('replacing-a-parent-is-a-circle', (one, index) => {
    const given = rivalsOf(index, one).flatMap(({ entry }) => entry.verdict.provides);
    return one.verdict.requires.some((tag) => given.includes(tag)) && { kind: 'cycle' };
  }),
  priority.places('replacement-at-the-old-place', ({ anchor }, { seq, verdict }, index) => {
    const isSame = ({ entry }: PoolNode) => entry.verdict.provides.some((tag) => verdict.provides.includes(tag));
    const gone = [...index.nodes()].filter((node) => node.stage === 'Dropped' && isSame(node) && node.entry.seq < seq);
    return { anchor: Math.min(anchor, ...gone.map((node) => node.seq)) };
  }),
  priority.decided('replaced-told-as-evicted', ['admit'], (step) =>
    withEvents(step, ({ reason }) => reason === 'replaced' && { reason: 'evicted' }),
  ),
  priority.ordered('successor-told-first', ['admit'], (events) => {
    const last = events.at(-1);
    const isSuccessor = last?.kind === 'transaction' && last.stage === 'Pending' && events.length === 2;
    return isSuccessor ? events.reverse() : events;
  }),
  refusing('replacement-needs-a-place-of-its-own', (one, index) => {
    const isFull = index.totals.transactions >= index.limits.maxTxs;
    return isFull && rivalsOf(index, one).length > 0 && { kind: 'full', floor: null };
  }),
  dropping('replaced-go-although-there-is-no-room', rivalsOfAll, (told) => told.some(({ kind }) => kind === 'full')),
];
