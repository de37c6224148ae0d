import type { OrderKey } from '../contract/order-key.ts';
import { type Floor, floorAt } from '../contract/pool-verbs.ts';
import { minPriority } from '../contract/verdict.ts';
import type { PoolIndex } from './pool-index.ts';
import { mayLeave, type PlacedNode, type PoolNode } from './pool-node.ts';

/** Transactions and bytes: to be added, or above the limits. */
export interface Excess {
  readonly transactions: number;
  readonly bytes: number;
}

/** How far the pool with `more` added is above the limits. It fits if both numbers are at most 0. */
export function excessOf({ totals, limits }: PoolIndex, more: Excess): Excess {
  return {
    transactions: totals.transactions + more.transactions - limits.maxTxs,
    bytes: totals.bytes + more.bytes - limits.maxBytes,
  };
}

/** The new transaction that others are evicted for. */
export interface Evicting {
  readonly place: OrderKey;
  /** P28: it is better than all that are not protected. */
  readonly isProtected: boolean;
  /** Its Pending ancestors. They do not leave for it. */
  readonly ancestors: ReadonlySet<PoolNode>;
  /** How many it has evicted already. Those count for `maxEvictions`, too. */
  readonly before: number;
}

/**
 * The shortest suffix of the order whose eviction removes the excess for a new transaction. The new transaction may be in
 * the order already. Only strictly worse transactions may be evicted. Tie-breaks do not count, or an earlier transaction
 * could be evicted for a later one of equal priority. Protected ones (P28) and those whose verdict is damaged (M2) stay.
 *
 * @returns `null` if that does not suffice
 */
export function victimsFor(index: PoolIndex, newcomer: Evicting, excess: Excess): PlacedNode[] | null {
  const { before, ancestors } = newcomer;
  const victims: PlacedNode[] = [];
  let { transactions, bytes } = excess;
  if (transactions <= 0 && bytes <= 0) return victims;
  const { eviction, maxEvictions } = index.limits;
  if (eviction === 'none') return null;
  for (const worst of index.order.backwards()) {
    if (!mayLeave(worst) || (newcomer.isProtected && ancestors.has(worst))) continue;
    if (before + victims.length >= maxEvictions || !isWorse(worst.place, newcomer)) return null;
    victims.push(worst);
    transactions -= 1;
    bytes -= worst.entry.bytes;
    if (transactions <= 0 && bytes <= 0) return victims;
  }
  return null;
}

function isWorse(worst: OrderKey, { place, isProtected }: Evicting): boolean {
  if (isProtected) return true;
  return worst.ready === place.ready ? worst.effectivePriority < place.effectivePriority : place.ready;
}

/** Returns the priority that a ready transaction of one byte without parents needs to be admitted. */
export function floorOf(index: PoolIndex): Floor {
  return floorAt(leastPriority(index));
}

function leastPriority(index: PoolIndex): bigint | null {
  const { limits, order } = index;
  let { transactions, bytes } = excessOf(index, { transactions: 1, bytes: 1 });
  if (transactions <= 0 && bytes <= 0) return minPriority;
  if (limits.eviction === 'none') return null;
  // Below the floor of P26 it would be parked.
  let floor = limits.minPriority;
  let victims = 0;
  for (const worst of order.backwards()) {
    if (!mayLeave(worst)) continue;
    const { place, entry } = worst;
    victims += 1;
    if (victims > limits.maxEvictions) return null;
    if (place.ready) floor = place.effectivePriority + 1n;
    transactions -= 1;
    bytes -= entry.bytes;
    if (transactions <= 0 && bytes <= 0) return floor;
  }
  return null;
}
