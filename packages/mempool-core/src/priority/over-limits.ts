import { excessOf, Leavers, nothingMore } from './eviction.ts';
import { ancestorsOf, descendantsOf, isTooDeep } from './graph.ts';
import { Parking } from './parking.ts';
import { isMet } from './placement.ts';
import type { PoolIndex } from './pool-index.ts';
import { isParked, isPlaced, mayLeave, type PlacedNode, type PoolNode } from './pool-node.ts';

/**
 * Yields the transactions that a pool over its limits drops (P6, P22). Before it asks for the next one, the caller drops each of
 * them and settles the index.
 */
export function* overLimits(index: PoolIndex): Generator<PoolNode, undefined> {
  yield* overSenders(index);
  yield* overAncestors(index);
  yield* overDescendants(index);
  yield* overTags(index);
  while (index.parkedCount > index.limits.maxParked && index.parking.worst !== undefined) yield index.parking.worst;
  for (;;) {
    const leavers = new Leavers(index, excessOf(index, nothingMore));
    const last = leavers.areNeeded ? leavers.next() : null;
    if (last === null) return;
    yield last;
  }
}

/** The parked transactions, the last in the order first. */
function* parkedBackwards({ order }: PoolIndex): Generator<PlacedNode, undefined> {
  for (const node of order.backwards()) {
    if (!isParked(node)) return;
    yield node;
  }
}

function* overSenders(index: PoolIndex): Generator<PoolNode, undefined> {
  const isOver = (sender: string): boolean =>
    sender !== '' && (index.totals.senders.get(sender) ?? 0) > index.limits.maxPerSender;
  const senders = new Set([...parkedBackwards(index)].map(({ entry }) => entry.verdict.sender).filter(isOver));
  for (const sender of senders)
    yield* worstOf(() => {
      const ofSender = ({ entry }: PoolNode): boolean => entry.verdict.sender === sender;
      return isOver(sender) ? Iterator.from(index.parked).filter(ofSender) : [];
    });
}

/** Of these, the last in the order leaves first: no other one depends on it. */
function* overAncestors(index: PoolIndex): Generator<PoolNode, undefined> {
  const isOver = (node: PoolNode): boolean => mayLeave(node) && isTooDeep(index, [node]);
  for (const node of [...parkedBackwards(index)].filter(isOver)) if (isOver(node)) yield node;
}

/** From the last in the order up, so that no more leave than must. */
function* overDescendants(index: PoolIndex): Generator<PoolNode, undefined> {
  const { maxDescendants } = index.limits;
  const above = ancestorsOf(index, [...index.parked].filter(mayLeave));
  for (const node of [...index.order.backwards()].filter((each) => above.has(each)))
    yield* worstOf(() => {
      const below = descendantsOf(index, node);
      return below.size > maxDescendants ? below : [];
    });
}

function* overTags(index: PoolIndex): Generator<PoolNode, undefined> {
  const { maxDescendants } = index.limits;
  const isMissing = (tag: string): boolean => !isMet(index, tag) && !index.providers.has(tag);
  const tags = new Set([...parkedBackwards(index)].flatMap(({ entry }) => entry.verdict.requires).filter(isMissing));
  for (const tag of tags)
    yield* worstOf(() => {
      const waiting = [...index.dependents.of(tag)].filter(({ stage }) => stage === 'Pending');
      return waiting.length > maxDescendants ? waiting : [];
    });
}

/** The worst parked one of these that may leave, as long as there is one. */
function* worstOf(crowd: () => Iterable<PoolNode>): Generator<PoolNode, undefined> {
  for (;;) {
    const parked = Iterator.from(crowd()).filter(isPlaced).filter(isParked).filter(mayLeave);
    const { worst } = new Parking(parked);
    if (worst === undefined) return;
    yield worst;
  }
}
