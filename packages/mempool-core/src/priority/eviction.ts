import type { OrderKey } from '../contract/order-key.ts';
import { type Floor, floorAt } from '../contract/pool-verbs.ts';
import { minPriority } from '../contract/verdict.ts';
import { settle } from './placement.ts';
import type { PoolIndex } from './pool-index.ts';
import { mayLeave, nobody, type PlacedNode, type PoolNode } from './pool-node.ts';

/** Transactions and bytes: to be added, or above the limits. */
export interface Excess {
  readonly transactions: number;
  readonly bytes: number;
}

export const nothingMore: Excess = { transactions: 0, bytes: 0 };

/** How far the pool with `more` added is above the limits. It fits if both numbers are at most 0. */
export function excessOf({ totals, limits }: PoolIndex, more: Excess): Excess {
  return {
    transactions: totals.transactions + more.transactions - limits.maxTxs,
    bytes: totals.bytes + more.bytes - limits.maxBytes,
  };
}

/** True if the pool with that added is above a limit. */
function isOver({ transactions, bytes }: Excess): boolean {
  return transactions > 0 || bytes > 0;
}

/** The transactions that have to leave for an excess to end, the last in the order first. */
export class Leavers {
  readonly #order: Iterator<PlacedNode>;
  readonly #spared: ReadonlySet<PoolNode>;
  #transactions: number;
  #bytes: number;

  constructor({ order }: PoolIndex, { transactions, bytes }: Excess, spared: ReadonlySet<PoolNode> = nobody) {
    this.#order = order.backwards()[Symbol.iterator]();
    this.#spared = spared;
    this.#transactions = transactions;
    this.#bytes = bytes;
  }

  /** True as long as it is over a limit without those that `next` returned. */
  get areNeeded(): boolean {
    return this.#transactions > 0 || this.#bytes > 0;
  }

  /** The next of those that may leave. `null` if there is none left. */
  next(): PlacedNode | null {
    for (let at = this.#order.next(); !at.done; at = this.#order.next()) {
      const node = at.value;
      if (!this.#mayLeave(node)) continue;
      this.#transactions -= 1;
      this.#bytes -= node.entry.bytes;
      return node;
    }
    return null;
  }

  #mayLeave(node: PlacedNode): boolean {
    return mayLeave(node) && !this.#spared.has(node);
  }
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
 * The transactions at the end of the order whose eviction makes room for a new one, as few as there may be. The new
 * transaction may be in the order already. Only strictly worse transactions may be evicted. Tie-breaks do not count, or an
 * earlier transaction could be evicted for a later one of equal priority. Protected ones (P28)
 * stay.
 *
 * @returns `null` if that does not suffice
 */
export function victimsFor(index: PoolIndex, newcomer: Evicting, excess: Excess): PlacedNode[] | null {
  const { before, ancestors } = newcomer;
  const victims: PlacedNode[] = [];
  if (!isOver(excess)) return victims;
  const { eviction, maxEvictions } = index.limits;
  if (eviction === 'none') return null;
  const spared = newcomer.isProtected ? ancestors : nobody;
  const leavers = new Leavers(index, excess, spared);
  while (leavers.areNeeded) {
    const worst = leavers.next();
    if (worst === null || before + victims.length >= maxEvictions) return null;
    if (!isWorse(worst.place, newcomer)) return null;
    victims.push(worst);
  }
  return victims;
}

/** Evicts for a newcomer that is in the settled index already. Returns the victims; `null` if they do not suffice. */
export function evictFor(index: PoolIndex, newcomer: Evicting): PlacedNode[] | null {
  const victims = victimsFor(index, newcomer, excessOf(index, nothingMore));
  for (const victim of victims ?? []) index.move(victim, 'Dropped');
  settle(index);
  return victims;
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
  const { limits } = index;
  const excess = excessOf(index, { transactions: 1, bytes: 1 });
  if (!isOver(excess)) return minPriority;
  if (limits.eviction === 'none') return null;
  // Below the floor of P26 it would be parked.
  let floor = limits.minPriority;
  let victims = 0;
  const leavers = new Leavers(index, excess);
  while (leavers.areNeeded) {
    const worst = leavers.next();
    if (worst === null) return null;
    victims += 1;
    if (victims > limits.maxEvictions) return null;
    const { ready, effectivePriority } = worst.place;
    if (ready && effectivePriority >= floor) floor = effectivePriority + 1n;
  }
  return floor;
}
