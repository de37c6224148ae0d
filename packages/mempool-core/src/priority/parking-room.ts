import { settle } from './placement.ts';
import type { PoolIndex } from './pool-index.ts';
import { isParked, type PlacedNode, type PoolNode } from './pool-node.ts';

/**
 * Makes room for a parked newcomer, which is in the settled index: the worst parked transactions leave, as many as are
 * over `maxParked` (P22). They must be strictly worse, or equals could push each other out for ever. The caller undoes
 * the attempt after `null`. `before`: how many have left for it already.
 *
 * @returns those that left, the first one first; `null` if they do not suffice
 */
export function makeParkingRoom(
  index: PoolIndex,
  newcomer: PlacedNode,
  ancestors: ReadonlySet<PoolNode>,
  before: number,
): PlacedNode[] | null {
  const { maxParked, maxEvictions, eviction } = index.limits;
  const left: PlacedNode[] = [];
  while (index.parkedCount > maxParked) {
    const { worst } = index.parking;
    const mayLeave = eviction === 'lowest' && before + left.length < maxEvictions && worst !== undefined;
    if (!mayLeave || worst === newcomer || ancestors.has(worst) || !index.parking.isWorse(worst, newcomer)) return null;
    left.push(worst);
    index.move(worst, 'Dropped');
    settle(index);
  }
  return left;
}

/**
 * Makes room for a ready newcomer: `count` parked transactions of its sender leave, the worst first, protected ones last (P22).
 * The newcomer is not in the index yet. The caller undoes the attempt after `null`.
 */
export function makeSenderRoom(index: PoolIndex, sender: string, count: number): PoolNode[] | null {
  const left: PoolNode[] = [];
  while (left.length < count) {
    const worst = index.parking.worstOf(sender) ?? worstProtected(index, sender);
    if (worst === undefined) return null;
    left.push(worst);
    index.move(worst, 'Dropped');
    settle(index);
  }
  return left;
}

function worstProtected(index: PoolIndex, sender: string): PoolNode | undefined {
  if (index.parkedCount === index.parked.length) return undefined;
  for (const node of index.order.backwards()) {
    if (!isParked(node)) return undefined;
    if (node.entry.verdict.protected && node.entry.verdict.sender === sender) return node;
  }
  return undefined;
}
