import type { Limits, Load } from './entry.ts';
import { countedOf, type Graph, orderOf, type Ranked, sumOf } from './graph.ts';

const lowest = -(2n ** 63n);
const highest = 2n ** 63n - 1n;

export function totalsOf(graph: Graph): Omit<Load, 'headroom' | 'floor'> {
  const counted = countedOf(graph);
  return {
    transactions: counted.length,
    bytes: sumOf(counted, 'bytes'),
    gas: sumOf(counted, 'gas'),
    parked: orderOf(graph).filter(({ place }) => !place.ready).length,
  };
}

export function loadOf(graph: Graph, limits: Limits): Load {
  const totals = totalsOf(graph);
  const headroom = { transactions: limits.maxTxs - totals.transactions, bytes: limits.maxBytes - totals.bytes };
  return { ...totals, headroom, floor: floorOf(graph, limits) };
}

/** The shortest end of a list without which what is there fits; `null`: not even without all of it. */
export function shortestEnd(
  order: readonly Ranked[],
  { transactions, bytes }: { readonly transactions: number; readonly bytes: number },
  { maxTxs, maxBytes }: Limits,
): Ranked[] | null {
  for (let length = 0; length <= order.length; length++) {
    const end = order.slice(order.length - length);
    if (transactions - length <= maxTxs && bytes - sumOf(end, 'bytes') <= maxBytes) return end;
  }
  return null;
}

/** What a ready one of one byte without parents has to offer. */
export function floorOf(graph: Graph, limits: Limits): bigint | null {
  const { transactions, bytes } = totalsOf(graph);
  const end = shortestEnd(orderOf(graph), { transactions: transactions + 1, bytes: bytes + 1 }, limits);
  if (end === null) return null;
  if (end.length > 0 && (limits.eviction === 'none' || end.length > limits.maxEvictions)) return null;
  const beaten = end.filter(({ place }) => place.ready).map(({ place }) => place.effectivePriority);
  const floor = beaten.reduce(
    (most, effectivePriority) => (effectivePriority + 1n > most ? effectivePriority + 1n : most),
    lowest,
  );
  return floor > highest ? null : floor;
}
