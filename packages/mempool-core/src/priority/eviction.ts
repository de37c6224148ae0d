import type { OrderKey } from '../contract/order-key.ts';
import { maxPriority, minPriority } from '../contract/verdict.ts';
import type { PoolIndex } from './pool-index.ts';
import type { PlacedNode } from './pool-node.ts';

/** How much must go, were this many more bytes and transactions in the pool. */
export interface Excess {
  readonly transactions: number;
  readonly bytes: number;
}

export function excessOf({ totals, limits }: PoolIndex, more: Excess): Excess {
  return {
    transactions: totals.transactions + more.transactions - limits.maxTxs,
    bytes: totals.bytes + more.bytes - limits.maxBytes,
  };
}

/**
 * The shortest suffix of the order that takes the excess away, for the sake of a newcomer, whether that stands in the order
 * already or not. Only what is strictly worse may go: never by the full key, or of equals the earlier would go for the later.
 *
 * @returns `null` where it does not suffice
 */
export function victimsFor(index: PoolIndex, place: OrderKey, excess: Excess): PlacedNode[] | null {
  const victims: PlacedNode[] = [];
  let { transactions, bytes } = excess;
  if (transactions <= 0 && bytes <= 0) return victims;
  const { eviction, maxEvictions } = index.limits;
  if (eviction === 'none') return null;
  for (const worst of index.order.backwards()) {
    if (victims.length >= maxEvictions || !isWorse(worst.place, place)) return null;
    victims.push(worst);
    transactions -= 1;
    bytes -= worst.entry.bytes;
    if (transactions <= 0 && bytes <= 0) return victims;
  }
  return null;
}

function isWorse(worst: OrderKey, place: OrderKey): boolean {
  return worst.ready === place.ready ? worst.effectivePriority < place.effectivePriority : place.ready;
}

/** The lowest priority that a ready transaction of one byte without parents needs; `null` where none would do. */
export function floorOf(index: PoolIndex): bigint | null {
  const { limits, order } = index;
  let { transactions, bytes } = excessOf(index, { transactions: 1, bytes: 1 });
  if (transactions <= 0 && bytes <= 0) return minPriority;
  if (limits.eviction === 'none') return null;
  let floor = minPriority;
  let victims = 0;
  for (const { place, entry } of order.backwards()) {
    victims += 1;
    if (victims > limits.maxEvictions || (place.ready && place.effectivePriority === maxPriority)) return null;
    if (place.ready) floor = place.effectivePriority + 1n;
    transactions -= 1;
    bytes -= entry.bytes;
    if (transactions <= 0 && bytes <= 0) return floor;
  }
  return null;
}
