import type { PoolIndex } from './pool-index.ts';
import type { PlacedNode, PoolNode } from './pool-node.ts';
import { maxPriority, minPriority } from './verdict.ts';

export function isOverLimits({ totals, limits }: PoolIndex): boolean {
  return totals.transactions > limits.maxTxs || totals.bytes > limits.maxBytes;
}

/**
 * Pushes out the shortest suffix of the order that brings the pool within its limits, for the sake of one that stands in it
 * already. Only what is strictly worse may go: never the full key, or of equals the earlier would go for the later.
 *
 * @returns what went, `null` where it does not suffice: the caller takes it back
 */
export function makeRoom(index: PoolIndex, newcomer: PlacedNode): PoolNode[] | null {
  const { eviction, maxEvictions } = index.limits;
  const victims: PoolNode[] = [];
  while (isOverLimits(index)) {
    const worst = index.order.last;
    if (eviction === 'none' || victims.length >= maxEvictions || worst === undefined) return null;
    if (!isWorse(worst, newcomer)) return null;
    victims.push(worst);
    index.move(worst, 'Dropped');
  }
  return victims;
}

function isWorse({ place: worst }: PlacedNode, { place }: PlacedNode): boolean {
  return worst.ready === place.ready ? worst.eff < place.eff : place.ready;
}

/** The lowest priority that a ready transaction of one byte without parents needs; `null` where none would do. */
export function floorOf({ limits, totals, order }: PoolIndex): bigint | null {
  let transactions = totals.transactions + 1 - limits.maxTxs;
  let bytes = totals.bytes + 1 - limits.maxBytes;
  if (transactions <= 0 && bytes <= 0) return minPriority;
  if (limits.eviction === 'none') return null;
  let floor = minPriority;
  let victims = 0;
  for (const { place, entry } of order.backwards()) {
    victims += 1;
    if (victims > limits.maxEvictions || (place.ready && place.eff === maxPriority)) return null;
    if (place.ready) floor = place.eff + 1n;
    transactions -= 1;
    bytes -= entry.bytes;
    if (transactions <= 0 && bytes <= 0) return floor;
  }
  return null;
}
