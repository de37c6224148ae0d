import type { Load } from 'mempool-core';
import {
  type CheckedSubmission,
  comparePlaces,
  type Place,
  type PlacedNode,
  type PoolIndex,
} from 'mempool-core/backend';
import { numbered, withEvents } from './fifo.ts';
import { over } from './hall.ts';
import type { Mutant } from './mutant.ts';
import { free } from './planted-driver.ts';
import { telling } from './priority-admission.ts';
import { priority } from './priority-pool.ts';

type Totals = PoolIndex['totals'];
type Newcomer = { readonly place: Place | null; readonly priority: bigint };
const submissionsIn = (given: readonly unknown[]) => given[0] as readonly CheckedSubmission[];

/** Lets each one look as if it stood elsewhere while a newcomer is weighed against it. */
function* lentPlaces(nodes: Iterable<PlacedNode>, change: (node: PlacedNode) => Partial<Place>): Generator<PlacedNode> {
  for (const node of nodes) {
    const { place } = node;
    node.place = { ...place, ...change(node) };
    try {
      yield node;
    } finally {
      node.place = place;
    }
  }
}

/** What the last one looks like to a newcomer. */
function weighing(
  id: string,
  change: (place: Place, newcomer: Newcomer) => Partial<Place> | false | null,
  sort: (nodes: PlacedNode[]) => PlacedNode[] = (nodes) => nodes,
): Mutant {
  return priority.view(id, ['admit'], ({ index, given, ledger }) => {
    const newcomer = (): Newcomer => {
      const isNew = ({ hash }: CheckedSubmission) => (ledger.life(hash)?.stage ?? 'Dropped') === 'Dropped';
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

function floored(id: string, floorOf: (load: Load, index: PoolIndex) => bigint | null): Mutant {
  return priority.told(id, {
    usage: ({ load }, { index }) => load && { load: { ...load, floor: floorOf(load, index) } },
  });
}

const lowest = -(2n ** 63n);
const endless = Number.POSITIVE_INFINITY;
const byEff = (a: PlacedNode, b: PlacedNode): number => Number(a.place.eff - b.place.eff);
const byReady = (a: PlacedNode, b: PlacedNode): number => Number(b.place.ready) - Number(a.place.ready);
const more = (floor: bigint | null, by: bigint): bigint | null =>
  floor === null || floor === lowest ? floor : floor + by;
const overLast = (floor: bigint | null, { order }: PoolIndex, isMeant: boolean): bigint | null =>
  isMeant && order.last ? order.last.place.eff + 1n : floor;

/** P5: who leaves. */
export const evictionMutants: readonly Mutant[] = [
  weighing(
    'evicts-by-the-full-key',
    (place, newcomer) => newcomer.place && comparePlaces(newcomer.place, place) < 0 && { eff: place.eff - 1n },
  ),
  weighing('evicts-equals', ({ eff }) => ({ eff: eff - 1n })),
  weighing('evicts-anybody', () => ({ eff: lowest - 1n })),
  weighing('evicts-by-doubles', ({ eff }) => ({ eff: BigInt(Number(eff)) })),
  weighing('evicts-by-32-bits', ({ eff }) => ({ eff: BigInt.asUintN(32, eff) })),
  weighing('evicts-by-own-price', ({ eff }, { priority }) => eff < priority && { eff: lowest - 1n }),
  weighing('evicts-none-that-is-ready', ({ ready }) => ready && { eff: 2n ** 63n }),
  weighing(
    'parked-one-evicts-the-ready',
    ({ ready }, newcomer) => ready && newcomer.place?.ready === false && { ready: false, eff: lowest },
    (nodes) => nodes.sort(byReady),
  ),
  weighing('parked-one-evicts-nobody', (_, newcomer) => newcomer.place?.ready === false && { ready: true }),
  leaving('evicts-the-best', (nodes) => nodes.reverse()),
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
  totalling('frees-a-whole-new-size', (index, [one]) => {
    const { totals, limits } = index;
    if (one === undefined) return {};
    const size = one.payload.length;
    const own = index.node(one.hash)?.stage === 'Pending' ? size : 0;
    return totals.bytes - own + size > limits.maxBytes ? { bytes: limits.maxBytes + own } : {};
  }),
  totalling('frees-room-where-there-is-some', ({ totals, limits }) =>
    totals.bytes * 10 >= limits.maxBytes * 9 ? { bytes: limits.maxBytes } : {},
  ),
  totalling('frees-no-more-than-it-needs', ({ totals, limits }) => ({
    transactions: Math.min(totals.transactions, limits.maxTxs),
  })),
  totalling('in-flight-takes-no-room', ({ order }) => ({ transactions: order.length })),
  totalling('confirmed-take-room', (index) => ({
    transactions: [...index.nodes()].filter(({ stage }) => stage !== 'Dropped' && stage !== 'Finalized').length,
  })),
  priority.limits('counts-bytes-alone', ['admit'], () => ({ maxTxs: endless })),
  priority.limits('counts-transactions-alone', ['admit'], () => ({ maxBytes: endless })),
  priority.limits('holds-one-less', ['admit'], ({ maxTxs }) => ({ maxTxs: maxTxs - 1 })),
  priority.limits('nought-is-no-limit', ['admit'], ({ maxTxs }) => ({ maxTxs: maxTxs || endless })),
  priority.limits('max-evictions-ignored', ['admit'], () => ({ maxEvictions: endless })),
  priority.limits('max-evictions-by-default-ignored', ['admit'], ({ maxEvictions }) => ({
    maxEvictions: maxEvictions === 100 ? 1_000 : maxEvictions,
  })),
  priority.limits('evicts-where-nothing-is-evicted', ['admit'], () => ({ eviction: 'lowest' })),
  priority.told('evicts-what-it-can-and-refuses', {
    admit: async (told, { whole, index }) => {
      const worst = index.order.last;
      if (told.some(({ kind }) => kind === 'full') && worst) await whole.drop([worst.hash], 'evicted', free);
    },
  }),
  priority.told('evicts-what-is-in-flight', {
    admit: async ([first], { whole, index, given }) => {
      const flying = [...index.nodes()].find(({ stage }) => stage === 'Propagated');
      if (first?.kind !== 'full' || flying === undefined) return null;
      await whole.drop([flying.hash], 'evicted', free);
      return whole.admit(...given);
    },
  }),
  priority.decided('evicted-told-without-a-reason', ['admit'], (step) =>
    withEvents(step, ({ reason }) => reason === 'evicted' && { reason: 'dropped' }),
  ),
  priority.decided('evicted-told-in-order-of-leaving', ['admit'], (step) => {
    const gone = step.events.filter((event) => event.kind === 'transaction' && event.stage === 'Dropped').reverse();
    return numbered(step, [...gone, ...step.events.filter((event) => !gone.includes(event))]);
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
  floored('floor-of-nought-with-room', ({ floor }) => (floor === lowest ? 0n : floor)),
  floored('floor-by-transactions-alone', ({ floor, headroom }) => (headroom.transactions > 0 ? lowest : floor)),
  floored('floor-by-bytes-alone', ({ floor, headroom }) => (headroom.bytes > 0 ? lowest : floor)),
  floored('floor-of-the-last-ready-one', ({ floor }, { order }) => {
    const ready = [...order].filter(({ place }) => place.ready).at(-1);
    return floor === lowest && order.length === 2 && ready !== undefined ? ready.place.eff + 1n : floor;
  }),
  floored('floor-over-the-last-one-alone', ({ floor, headroom }, index) =>
    overLast(floor, index, headroom.transactions < 0 && floor !== null),
  ),
  floored('floor-above-the-highest', ({ floor }, index) => overLast(floor, index, floor === null)),
  floored('floor-where-nothing-is-evicted', ({ floor }, index) =>
    overLast(floor, index, index.limits.eviction === 'none'),
  ),
  floored('floor-whatever-may-be-evicted', ({ floor }, index) =>
    overLast(floor, index, floor === null && index.limits.maxEvictions === 2),
  ),
  telling('full-without-its-floor', ['full'], () => ({ floor: null })),
  telling('full-with-a-floor-one-more', ['full'], ({ floor }) => ({ floor: more(floor ?? null, 1n) })),
];
