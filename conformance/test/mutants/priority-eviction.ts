import type { Floor, Load, ReceiveOutcome } from 'mempool-core';
import type { CheckedSubmission, OrderKey, PlacedNode, PoolIndex, PoolNode } from 'mempool-core/backend';
import { over } from './lease-operators.ts';
import type { Mutant } from './mutant.ts';
import { refusing, rivalsOf, telling } from './priority-admission.ts';
import { loaded } from './priority-calls.ts';
import { leave, priority } from './priority-operators.ts';

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

/** A rival that stays is replaced by one that comes alone. */
function replacing(id: string, isMeant: (rival: PoolNode, one: CheckedSubmission, index: PoolIndex) => boolean) {
  return priority.around(id, {
    admit: async ({ whole, index, given: [[one, ...more], ...rest] }) => {
      const told = await whole.admit(one === undefined ? [] : [one, ...more], ...rest);
      const rival = told[0]?.kind === 'conflict' ? index.node(told[0].with ?? '') : undefined;
      if (one === undefined || rival?.stage !== 'Pending' || !isMeant(rival, one, index)) return told;
      await leave(whole, rivalsOf(index, one), 'replaced');
      return whole.admit([one, ...more], ...rest);
    },
  });
}

function isParent({ entry }: PoolNode, { verdict }: CheckedSubmission): boolean {
  return verdict.requires.some((tag) => entry.verdict.provides.includes(tag));
}

/** P4: what it takes to replace another. */
export const priceMutants: readonly Mutant[] = [
  pricing('one-more-is-enough', ({ old }) => old + 1n),
  pricing('no-sum-asked-for', ({ due }) => due),
  pricing('empty-one-exceeds-any-sum', (offer) => (offer.bytes === 0n ? offer.due : whole(offer))),
];

/** Others are dropped beside an admission, by what comes of it. */
function dropping(
  id: string,
  pick: (submissions: readonly CheckedSubmission[], index: PoolIndex) => readonly PoolNode[],
  isMeant: (told: readonly ReceiveOutcome[]) => boolean,
): Mutant {
  return priority.around(id, {
    admit: async ({ whole, index, given }) => {
      const picked = pick(given[0], index);
      const outcomes = await whole.admit(...given);
      if (isMeant(outcomes)) await leave(whole, picked, 'replaced');
      return outcomes;
    },
  });
}

const rivalsOfAll = (all: readonly CheckedSubmission[], index: PoolIndex): PoolNode[] =>
  all.flatMap((one) => rivalsOf(index, one));

/** P4: what a replacement leaves behind. */
export const replacementMutants: readonly Mutant[] = [
  replacing('parked-ones-replace-ready-ones', (rival, { verdict }, index) => {
    return verdict.requires.every((tag) => !index.providers.has(tag)) && rival.place?.ready === true;
  }),
  replacing('ones-below-the-floor-replace-ready-ones', (_, { verdict }, index) => {
    return verdict.requires.every((tag) => index.providers.has(tag)) && index.limits.minPriority > -max;
  }),
  replacing('ready-parents-are-replaced', (rival, one) => rival.place?.ready === true && isParent(rival, one)),
  replacing('parked-parents-are-replaced', (rival, one) => rival.place?.ready === false && isParent(rival, one)),
  replacing('ancestors-are-replaced', (rival, one) => !isParent(rival, one) && one.verdict.requires[0] === 'c'),
  refusing('replacement-needs-a-place-of-its-own', (one, index) => {
    const isFull = index.totals.transactions >= index.limits.maxTxs;
    return isFull && rivalsOf(index, one).length > 0 && { kind: 'full', floor: { kind: 'closed' } };
  }),
  dropping('replaced-go-although-there-is-no-room', rivalsOfAll, (told) => told.some(({ kind }) => kind === 'full')),
];

type Totals = PoolIndex['totals'];
type Newcomer = { readonly place: OrderKey | null; readonly priority: bigint };
const submissionsIn = (given: readonly unknown[]) => given[0] as readonly CheckedSubmission[];

/** Lets each one look as if it stood elsewhere while a newcomer is weighed against it. */
function* lentPlaces(
  nodes: Iterable<PlacedNode>,
  change: (node: PlacedNode) => Partial<OrderKey>,
): Generator<PlacedNode> {
  for (const node of nodes) {
    const { place } = node;
    Object.assign(node, { place: { ...place, ...change(node) } });
    try {
      yield node;
    } finally {
      Object.assign(node, { place });
    }
  }
}

/** What the last one looks like to a newcomer. */
function weighing(
  id: string,
  change: (place: OrderKey, newcomer: Newcomer) => Partial<OrderKey> | false | null,
  sort: (nodes: PlacedNode[]) => PlacedNode[] = (nodes) => nodes,
): Mutant {
  return priority.view(id, ['admit'], ({ index, given, memory }) => {
    const newcomer = (): Newcomer => {
      const isNew = ({ hash }: CheckedSubmission) => (memory.txState(hash)?.stage ?? 'Dropped') === 'Dropped';
      const one = submissionsIn(given).find(isNew);
      return { place: index.node(one?.hash ?? '')?.place ?? null, priority: one?.verdict.priority ?? 0n };
    };
    // It may stand in the order already, but never leaves for its own sake.
    const others = () => [...index.order.backwards()].filter(({ place }) => place !== newcomer().place);
    const lent = () => lentPlaces(sort(others()), ({ place }) => change(place, newcomer()) || {});
    return withOrder(index, { backwards: lent });
  });
}

function withOrder(index: PoolIndex, change: object): Partial<PoolIndex> {
  const { order } = index;
  const plain = { length: order.length, first: order.first, last: order.last };
  const verbs = {
    backwards: () => order.backwards(),
    after: (key: PlacedNode) => order.after(key),
    walk: (...given: Parameters<typeof order.walk>) => order.walk(...given),
    [Symbol.iterator]: () => order[Symbol.iterator](),
  };
  return { order: { ...plain, ...verbs, ...change } as unknown as PoolIndex['order'] };
}

/** Another order of those who may have to leave. */
function leaving(id: string, sort: (nodes: PlacedNode[], given: readonly CheckedSubmission[]) => PlacedNode[]): Mutant {
  return priority.view(id, ['admit'], ({ index, given }) =>
    withOrder(index, { backwards: () => sort([...index.order.backwards()], submissionsIn(given)).values() }),
  );
}

/** Other totals than there are, at the moment when they are asked for. */
function totalling(
  id: string,
  change: (index: PoolIndex, given: readonly CheckedSubmission[]) => Partial<Pick<Totals, 'transactions' | 'bytes'>>,
): Mutant {
  return priority.view(id, ['admit'], ({ index, given }) => {
    const { totals } = index;
    const changed = () => change(index, submissionsIn(given));
    return {
      totals: over<Totals>(totals, () => ({
        get transactions() {
          return changed().transactions ?? totals.transactions;
        },
        get bytes() {
          return changed().bytes ?? totals.bytes;
        },
      })),
    };
  });
}

function floored(id: string, floorOf: (load: Load, index: PoolIndex) => Floor): Mutant {
  return loaded(id, (load, { index }) => ({ floor: floorOf(load, index) }));
}
const endless = Number.POSITIVE_INFINITY;
const byEff = (a: PlacedNode, b: PlacedNode): number => Number(a.place.effectivePriority - b.place.effectivePriority);
const byReady = (a: PlacedNode, b: PlacedNode): number => Number(b.place.ready) - Number(a.place.ready);
const open: Floor = { kind: 'open' };
const needs = (priority: bigint): Floor => ({ kind: 'at-least', priority });
const more = (floor: Floor, by: bigint): Floor => (floor.kind === 'at-least' ? needs(floor.priority + by) : floor);
const overLast = (floor: Floor, { order }: PoolIndex, isMeant: boolean): Floor =>
  isMeant && order.last ? needs(order.last.place.effectivePriority + 1n) : floor;

/** P5: who leaves. */
export const evictionMutants: readonly Mutant[] = [
  weighing('evicts-equals', ({ effectivePriority }) => ({ effectivePriority: effectivePriority - 1n })),
  leaving('evicts-the-oldest-of-equals', (nodes) =>
    nodes.sort((a, b) => byReady(b, a) || byEff(a, b) || a.seq - b.seq),
  ),
  leaving('evicts-the-ready-first', (nodes) => nodes.sort(byReady)),
  leaving('evicts-the-largest-first', (nodes) => nodes.sort((a, b) => b.entry.bytes - a.entry.bytes)),
  leaving('evicts-parents-first', (nodes) => nodes.sort((a, b) => byEff(a, b) || a.place.depth - b.place.depth)),
  leaving('keeps-what-it-makes-ready', (nodes, given) => {
    const made = new Set(given.flatMap(({ verdict }) => verdict.provides));
    return nodes.filter(({ entry }) => !entry.verdict.requires.some((tag) => made.has(tag)));
  }),
  totalling('in-flight-takes-no-room', ({ order }) => ({ transactions: order.length })),
  totalling('confirmed-take-room', (index) => ({
    transactions: [...index.nodes()].filter(({ stage }) => stage !== 'Dropped' && stage !== 'Finalized').length,
  })),
  priority.limits('nought-is-no-limit', ['admit'], ({ maxTxs }) => ({ maxTxs: maxTxs || endless })),
  priority.limits('evicts-where-nothing-is-evicted', ['admit'], () => ({ eviction: 'lowest' })),
  priority.told('evicts-what-it-can-and-refuses', {
    admit: async (told, { whole, index }) => {
      const worst = index.order.last;
      if (told.some(({ kind }) => kind === 'full') && worst) await leave(whole, [worst], 'evicted');
    },
  }),
  priority.told('evicts-what-is-in-flight', {
    admit: async ([first], { whole, index, given }) => {
      const flying = [...index.nodes()].find(({ stage }) => stage === 'Propagated');
      if (first?.kind !== 'full' || flying === undefined) return null;
      await leave(whole, [flying], 'evicted');
      return whole.admit(...given);
    },
  }),
  priority.events(
    'evicted-told-without-a-reason',
    ['admit'],
    (event) => event.kind === 'transaction' && event.reason === 'evicted' && { reason: 'failed' },
  ),
  priority.ordered('evicted-told-in-order-of-leaving', ['admit'], (events) => {
    const gone = events.filter((event) => event.kind === 'transaction' && event.stage === 'Dropped').reverse();
    return [...gone, ...events.filter((event) => !gone.includes(event))];
  }),
  priority.decided('evicted-logged-in-order-of-leaving', ['admit'], ({ writes }) => {
    const gone = writes.filter(({ after }) => after.stage === 'Dropped').reverse();
    return { writes: [...gone, ...writes.filter((write) => !gone.includes(write))] };
  }),
];

/** P5: what it costs to come in. */
export const floorMutants: readonly Mutant[] = [
  floored('floor-one-more', ({ floor }) => more(floor, 1n)),
  floored('floor-one-less', ({ floor }) => more(floor, -1n)),
  floored('floor-of-nought-with-room', ({ floor }) => (floor.kind === 'open' ? needs(0n) : floor)),
  floored('floor-by-transactions-alone', ({ floor, headroom }) => (headroom.transactions > 0 ? open : floor)),
  floored('floor-by-bytes-alone', ({ floor, headroom }) => (headroom.bytes > 0 ? open : floor)),
  floored('floor-of-the-last-ready-one', ({ floor }, { order }) => {
    const ready = [...order].filter(({ place }) => place.ready).at(-1);
    return floor.kind === 'open' && order.length === 2 && ready ? needs(ready.place.effectivePriority + 1n) : floor;
  }),
  floored('floor-over-the-last-one-alone', ({ floor, headroom }, index) =>
    overLast(floor, index, headroom.transactions < 0 && floor.kind !== 'closed'),
  ),
  floored('floor-above-the-highest', ({ floor }, index) => overLast(floor, index, floor.kind === 'closed')),
  floored('floor-whatever-may-be-evicted', ({ floor }, index) =>
    overLast(floor, index, floor.kind === 'closed' && index.limits.maxEvictions === 2),
  ),
  telling('full-with-a-floor-one-more', ['full'], ({ floor }) => ({ floor: more(floor ?? open, 1n) })),
];
