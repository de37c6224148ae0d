import { mayRivalLost } from './damage-parking.ts';
import { childrenOf, isMet, placeOf, settle } from './placement.ts';
import type { PoolIndex } from './pool-index.ts';
import type { PlacedNode, PoolNode } from './pool-node.ts';

/**
 * Makes room for a parked newcomer, which is in the settled index: the worst parked transactions leave, as many as are
 * over `maxParked` (P22). They must be strictly worse, or equals could push each other out for ever. The caller undoes
 * the attempt after `null`.
 *
 * @returns those that left, the first one first; `null` if they do not suffice
 */
export function makeParkingRoom(
  index: PoolIndex,
  newcomer: PlacedNode,
  ancestors: ReadonlySet<PoolNode>,
): PlacedNode[] | null {
  const { maxParked, maxEvictions, eviction } = index.limits;
  const left: PlacedNode[] = [];
  while (index.parkedCount > maxParked) {
    const { worst } = index.parking;
    const mayLeave = eviction === 'lowest' && left.length < maxEvictions && worst !== undefined && worst !== newcomer;
    if (!mayLeave || ancestors.has(worst) || !isWorse(index, worst, newcomer)) return null;
    left.push(worst);
    index.move(worst, 'Dropped');
    settle(index);
  }
  return left;
}

function isWorse({ parking }: PoolIndex, worst: PlacedNode, newcomer: PlacedNode): boolean {
  const [least, own] = [worst.place.effectivePriority, newcomer.place.effectivePriority];
  if (least !== own) return least < own;
  return parking.count(worst.entry.verdict.sender) > parking.count(newcomer.entry.verdict.sender);
}

/**
 * True if a newcomer that is not in the index yet would be ready, and would make ready a parked transaction of its own
 * sender that requires one of its tags (P22). Looks at those that require its tags, and at no others.
 */
export function fillsGap(index: PoolIndex, newcomer: PoolNode): boolean {
  const { sender, provides } = newcomer.entry.verdict;
  if (sender === '' || !placeOf(index, newcomer).ready) return false;
  const own = new Set(provides);
  for (const child of childrenOf(index, newcomer))
    if (child.entry.verdict.sender === sender && wouldBeReady(index, child, own)) return true;
  return false;
}

function wouldBeReady(index: PoolIndex, child: PoolNode, given: ReadonlySet<string>): boolean {
  const { place, entry } = child;
  // The newcomer is ready and so are the other parents: none of them is below the floor.
  if (entry.verdict.priority < index.limits.minPriority) return false;
  if (place === null || place.ready || entry.notBefore !== undefined) return false;
  if (mayRivalLost(index, child)) return false;
  return entry.verdict.requires.every((tag) => given.has(tag) || isMet(index, tag) || isProvided(index, tag));
}

function isProvided(index: PoolIndex, tag: string): boolean {
  for (const { place } of index.providers.of(tag)) if (place?.ready === true) return true;
  return false;
}
