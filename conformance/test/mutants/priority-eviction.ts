import type { Load } from 'mempool-core';
import type { CheckedSubmission, Place, PlacedNode, PoolIndex } from 'mempool-core/backend';
import { comparePlaces } from 'mempool-core/backend';
import { withEvents } from './fifo.ts';
import { over } from './hall.ts';
import type { Mutant } from './mutant.ts';
import { telling } from './priority-admission.ts';
import { limiting, type RankedVerb, ranking, seeing, settling } from './priority-pool.ts';

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
  change: (node: PlacedNode, newcomer: { readonly place: Place | null; readonly priority: bigint }) => Partial<Place>,
  sort: (nodes: PlacedNode[]) => PlacedNode[] = (nodes) => nodes,
): Mutant {
  return seeing(id, ['admit'], ({ index, given, ledger }) => {
    const submissions = given[0] as readonly CheckedSubmission[];
    const newcomer = () => {
      const one = submissions.find(({ hash }) => (ledger.life(hash)?.stage ?? 'Dropped') === 'Dropped');
      const place = one === undefined ? null : (index.node(one.hash)?.place ?? null);
      return { place, priority: one?.verdict.priority ?? 0n };
    };
    // It may stand in the order already, but never leaves for its own sake.
    const others = () => [...index.order.backwards()].filter(({ place }) => place !== newcomer().place);
    return withOrder(index, { backwards: () => lentPlaces(sort(others()), (node) => change(node, newcomer())) });
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
function leaving(
  id: string,
  sort: (index: PoolIndex, nodes: PlacedNode[], given: readonly CheckedSubmission[]) => PlacedNode[],
): Mutant {
  return seeing(id, ['admit'], ({ index, given }) =>
    withOrder(index, {
      backwards: () =>
        sort(index, [...index.order.backwards()], given[0] as readonly CheckedSubmission[])[Symbol.iterator](),
    }),
  );
}

/** Other totals than there are, at the moment when they are asked for. */
function totalling(
  id: string,
  verbs: readonly RankedVerb[],
  change: (index: PoolIndex, given: readonly CheckedSubmission[]) => Partial<Pick<Totals, 'transactions' | 'bytes'>>,
): Mutant {
  return seeing(id, verbs, ({ index, given }) => {
    const changed = () => change(index, given[0] as readonly CheckedSubmission[]);
    const { totals } = index;
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
  return ranking(id, (driver, { index }) => ({
    usage: async (context) => {
      const usage = await driver.usage(context);
      const { load } = usage;
      return load === undefined ? usage : { ...usage, load: { ...load, floor: floorOf(load, index) } };
    },
  }));
}

type Totals = PoolIndex['totals'];

const lowest = -(2n ** 63n);
const readyFirst = (nodes: readonly PlacedNode[]): PlacedNode[] =>
  nodes.toSorted((a, b) => Number(b.place.ready) - Number(a.place.ready));
const oneMore = (floor: bigint | null): bigint | null => (floor === null || floor === lowest ? floor : floor + 1n);
const oneLess = (floor: bigint | null): bigint | null => (floor === null || floor === lowest ? floor : floor - 1n);

/** P5: who leaves. */
export const evictionMutants: readonly Mutant[] = [
  weighing('evicts-by-the-full-key', ({ place }, newcomer) =>
    newcomer.place !== null && comparePlaces(newcomer.place, place) < 0 ? { eff: place.eff - 1n } : {},
  ),
  weighing('evicts-equals', ({ place }) => ({ eff: place.eff - 1n })),
  weighing('evicts-anybody', () => ({ eff: lowest - 1n })),
  weighing('evicts-by-doubles', ({ place }) => ({ eff: BigInt(Number(place.eff)) })),
  weighing('evicts-by-32-bits', ({ place }) => ({ eff: BigInt.asUintN(32, place.eff) })),
  weighing('evicts-by-own-price', ({ place }, { priority }) => (place.eff < priority ? { eff: lowest - 1n } : {})),
  weighing('evicts-none-that-is-ready', ({ place }) => (place.ready ? { eff: 2n ** 63n } : {})),
  weighing(
    'parked-one-evicts-the-ready',
    ({ place }, newcomer) => (place.ready && newcomer.place?.ready === false ? { ready: false, eff: lowest } : {}),
    readyFirst,
  ),
  weighing('parked-one-evicts-nobody', ({ place }, newcomer) =>
    newcomer.place?.ready === false ? { ready: true } : place,
  ),
  leaving('evicts-the-best', (_, nodes) => nodes.reverse()),
  leaving('evicts-the-oldest-of-equals', (_, nodes) =>
    nodes.sort(
      (a, b) =>
        Number(b.place.ready) * -1 + Number(a.place.ready) || Number(a.place.eff - b.place.eff) || a.seq - b.seq,
    ),
  ),
  leaving('evicts-the-ready-first', (_, nodes) => readyFirst(nodes)),
  leaving('evicts-the-largest-first', (_, nodes) => [...nodes].sort((a, b) => b.entry.bytes - a.entry.bytes)),
  leaving('evicts-parents-first', (_, nodes) =>
    [...nodes].sort((a, b) => Number(a.place.eff - b.place.eff) || a.place.depth - b.place.depth),
  ),
  leaving('keeps-what-it-makes-ready', (_, nodes, given) => {
    const made = new Set(given.flatMap(({ verdict }) => verdict.provides));
    return nodes.filter(({ entry }) => !entry.verdict.requires.some((tag) => made.has(tag)));
  }),
  totalling('frees-a-whole-new-size', ['admit'], (index, [one]) => {
    const { totals, limits } = index;
    if (one === undefined) return {};
    const size = one.payload.length;
    const own = index.node(one.hash)?.stage === 'Pending' ? size : 0;
    return totals.bytes - own + size > limits.maxBytes ? { bytes: limits.maxBytes + own } : {};
  }),
  totalling('frees-room-where-there-is-some', ['admit'], ({ totals, limits }) =>
    totals.bytes * 10 >= limits.maxBytes * 9 ? { bytes: limits.maxBytes } : {},
  ),
  totalling('frees-no-more-than-it-needs', ['admit'], ({ totals, limits }) => ({
    transactions: Math.min(totals.transactions, limits.maxTxs),
  })),
  totalling('in-flight-takes-no-room', ['admit'], ({ order }) => ({ transactions: order.length })),
  totalling('confirmed-take-room', ['admit'], (index) => ({
    transactions: [...index.nodes()].filter(({ stage }) => stage !== 'Dropped' && stage !== 'Finalized').length,
  })),
  limiting('counts-bytes-alone', ['admit'], () => ({ maxTxs: Number.POSITIVE_INFINITY })),
  limiting('counts-transactions-alone', ['admit'], () => ({ maxBytes: Number.POSITIVE_INFINITY })),
  limiting('holds-one-less', ['admit'], ({ maxTxs }) => ({ maxTxs: maxTxs - 1 })),
  limiting('nought-is-no-limit', ['admit'], ({ maxTxs }) => ({
    maxTxs: maxTxs === 0 ? Number.POSITIVE_INFINITY : maxTxs,
  })),
  limiting('max-evictions-ignored', ['admit'], () => ({ maxEvictions: Number.POSITIVE_INFINITY })),
  limiting('max-evictions-by-default-ignored', ['admit'], ({ maxEvictions }) => ({
    maxEvictions: maxEvictions === 100 ? 1_000 : maxEvictions,
  })),
  limiting('evicts-where-nothing-is-evicted', ['admit'], () => ({ eviction: 'lowest' })),
  ranking('evicts-what-it-can-and-refuses', (driver, { index }) => ({
    admit: async (submissions, moment, context) => {
      const outcomes = await driver.admit(submissions, moment, context);
      const worst = index.order.last;
      if (outcomes.some(({ kind }) => kind === 'full') && worst !== undefined)
        await driver.drop([worst.hash], 'evicted', { ...context, operationId: undefined });
      return outcomes;
    },
  })),
  ranking('evicts-what-is-in-flight', (driver, { index }) => ({
    admit: async (submissions, moment, context) => {
      const outcomes = await driver.admit(submissions, moment, context);
      const flying = [...index.nodes()].find(({ stage }) => stage === 'Propagated');
      if (outcomes[0]?.kind !== 'full' || flying === undefined) return outcomes;
      await driver.drop([flying.hash], 'evicted', { ...context, operationId: undefined });
      return driver.admit(submissions, moment, context);
    },
  })),
  settling('evicted-told-without-a-reason', ['admit'], (step) =>
    withEvents(step, (event) => (event.reason === 'evicted' ? { ...event, reason: 'dropped' } : event)),
  ),
  settling('evicted-told-in-order-of-leaving', ['admit'], (step) => {
    const gone = step.events.filter((event) => event.kind === 'transaction' && event.stage === 'Dropped').reverse();
    const first = step.events[0]?.eventSeq ?? 0;
    const others = step.events.filter((event) => !gone.includes(event));
    return { ...step, events: [...gone, ...others].map((event, i) => ({ ...event, eventSeq: first + i })) };
  }),
  settling('evicted-logged-in-order-of-leaving', ['admit'], (step) => {
    const gone = step.writes.filter(({ after }) => after.stage === 'Dropped').reverse();
    return { ...step, writes: [...gone, ...step.writes.filter((write) => !gone.includes(write))] };
  }),
];

/** P5: what it costs to come in. */
export const floorMutants: readonly Mutant[] = [
  floored('floor-one-more', ({ floor }) => oneMore(floor)),
  floored('floor-one-less', ({ floor }) => oneLess(floor)),
  floored('floor-of-nought-with-room', ({ floor }) => (floor === lowest ? 0n : floor)),
  floored('floor-by-transactions-alone', ({ floor, headroom }) => (headroom.transactions > 0 ? lowest : floor)),
  floored('floor-by-bytes-alone', ({ floor, headroom }) => (headroom.bytes > 0 ? lowest : floor)),
  floored('floor-of-the-last-ready-one', ({ floor }, { order }) => {
    const ready = [...order].filter(({ place }) => place.ready).at(-1);
    return floor === lowest && order.length === 2 && ready !== undefined ? ready.place.eff + 1n : floor;
  }),
  floored('floor-over-the-last-one-alone', ({ floor, headroom }, { order }) =>
    headroom.transactions < 0 && floor !== null && order.last !== undefined ? order.last.place.eff + 1n : floor,
  ),
  floored('floor-above-the-highest', ({ floor }, { order }) =>
    floor === null && order.last ? order.last.place.eff + 1n : floor,
  ),
  floored('floor-where-nothing-is-evicted', ({ floor }, { limits, order }) =>
    limits.eviction === 'none' && order.last ? order.last.place.eff + 1n : floor,
  ),
  floored('floor-whatever-may-be-evicted', ({ floor }, { limits, order }) =>
    floor === null && limits.maxEvictions === 2 && order.last ? order.last.place.eff + 1n : floor,
  ),
  telling('full-without-its-floor', (outcome) => (outcome.kind === 'full' ? { ...outcome, floor: null } : outcome)),
  telling('full-with-a-floor-one-more', (outcome) =>
    outcome.kind === 'full' ? { ...outcome, floor: oneMore(outcome.floor ?? null) } : outcome,
  ),
];
