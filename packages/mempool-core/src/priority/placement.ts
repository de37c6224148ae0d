import type { OrderKey } from '../contract/order-key.ts';
import type { Entry } from '../contract/pool-entry.ts';
import type { PoolIndex } from './pool-index.ts';
import { isPlaced, isReady, type PoolNode } from './pool-node.ts';
import { isSamePlace, keyAt } from './tipped-place.ts';

/** True if the chain satisfied the tag, or if a live transaction that is no longer Pending provides it. */
export function isMet(index: PoolIndex, tag: string): boolean {
  if (index.satisfied.has(tag)) return true;
  for (const provider of index.providers.of(tag)) if (provider.stage !== 'Pending') return true;
  return false;
}

/** The Pending transactions that a transaction depends on directly, each once. */
export function parentsOf(index: PoolIndex, node: PoolNode): Set<PoolNode> {
  const parents = new Set<PoolNode>();
  for (const tag of node.entry.verdict.requires)
    if (!isMet(index, tag)) for (const provider of index.providers.of(tag)) parents.add(provider);
  return parents;
}

/** The Pending transactions that depend on this one directly. May repeat one that needs several of its tags. */
export function* childrenOf(index: PoolIndex, node: PoolNode): Generator<PoolNode, undefined> {
  for (const tag of node.entry.verdict.provides) {
    if (!index.dependents.has(tag) || isMet(index, tag)) continue;
    for (const dependent of index.dependents.of(tag)) if (dependent.stage === 'Pending') yield dependent;
  }
}

/**
 * Computes the order keys of new transactions, and of descendants whose key changes, parents first. Call it after each
 * change of the index, before the order is read.
 */
export function settle(index: PoolIndex): void {
  const { nodes, tags } = index.unsettled;
  if (nodes.size > 0 || tags.size > 0) runOut(settling(index));
}

/** Does the same as `settle`, and yields now and then. Nothing else may use the index meanwhile. */
export function* settling(index: PoolIndex): Generator<undefined, void> {
  const { nodes, tags } = index.unsettled;
  for (const tag of tags) for (const dependent of index.dependents.of(tag)) nodes.add(dependent);
  tags.clear();
  for (const node of nodes) if (node.stage !== 'Pending') nodes.delete(node);
  let visited = 0;
  for (const node of yield* parentsFirst(index, nodes)) {
    if (++visited % nodesPerTurn === 0) yield;
    if (!nodes.delete(node)) continue;
    const place = placeOf(index, node);
    if (node.place !== null && isSamePlace(node.place, place)) continue;
    index.place(node, place);
    if (isNeeded(index, node)) for (const child of childrenOf(index, node)) nodes.add(child);
  }
}

/** After so many transactions, work in slices may pause. */
const nodesPerTurn = 64;

/** Does work in slices without a pause. */
export function runOut<T>(work: Generator<undefined, T>): T {
  for (let at = work.next(); ; at = work.next()) if (at.done) return at.value;
}

function* parentsFirst(index: PoolIndex, nodes: ReadonlySet<PoolNode>): Generator<undefined, readonly PoolNode[]> {
  const [first] = nodes;
  // Nearly all transactions come alone and have no dependents.
  if (first === undefined || (nodes.size === 1 && !isNeeded(index, first))) return [...nodes];
  const [parents, others]: [PoolNode[], PoolNode[]] = [[], []];
  for (const node of nodes) {
    (isNeeded(index, node) ? parents : others).push(node);
    if ((parents.length + others.length) % nodesPerTurn === 0) yield;
  }
  if (parents.length === 0) return others;
  const ordered = (yield* postOrdering(parents, (each) => childrenOf(index, each))).reverse();
  return ordered.concat(others);
}

function isNeeded(index: PoolIndex, node: PoolNode): boolean {
  if (index.dependents.isEmpty) return false;
  return node.entry.verdict.provides.some((tag) => index.dependents.has(tag));
}

/** The order key of a transaction whose parents have theirs. Below the floor (P26) it is parked. */
export function placeOf(index: PoolIndex, node: PoolNode): OrderKey {
  if (node.place !== null && isUntagged(node.entry)) return crossed(index, node.place);
  const { verdict } = node.entry;
  const parents: OrderKey[] = [];
  let ready = node.entry.notBefore === undefined;
  for (const tag of verdict.requires) {
    if (isMet(index, tag)) continue;
    const providers = [...index.providers.of(tag)].filter(isPlaced);
    ready &&= providers.some(isReady);
    for (const { place } of providers) parents.push(place);
  }
  return keyAt(index, parents, node.entry, ready);
}

/** True if no other transaction affects it, and the floor only whether it is ready. */
function isUntagged({ verdict: { provides, requires, tip }, notBefore }: Entry): boolean {
  return provides.length === 0 && requires.length === 0 && (tip ?? notBefore) === undefined;
}

/** The key of one that has a key already, of the same verdict. */
function crossed(index: PoolIndex, place: OrderKey): OrderKey {
  const ready = !isBelowFloor(index, place);
  return ready === place.ready ? place : { ...place, ready };
}

/** True if the effective priority is below the limit `minPriority` (P26). */
export function isBelowFloor({ limits }: PoolIndex, { effectivePriority }: OrderKey): boolean {
  return effectivePriority < limits.minPriority;
}

interface Turn {
  readonly node: PoolNode;
  readonly further: Iterator<PoolNode>;
}

/**
 * All nodes that `next` reaches from these, including these, each once. Without cycles, a node comes after all nodes
 * that it reaches.
 */
export function postOrder(starts: Iterable<PoolNode>, next: (node: PoolNode) => Iterable<PoolNode>): PoolNode[] {
  return runOut(postOrdering(starts, next));
}

function* postOrdering(
  starts: Iterable<PoolNode>,
  next: (node: PoolNode) => Iterable<PoolNode>,
): Generator<undefined, PoolNode[]> {
  const met = new Set<PoolNode>();
  const ordered: PoolNode[] = [];
  const path: Turn[] = [];
  const enter = (node: PoolNode): void => {
    if (met.has(node)) return;
    met.add(node);
    path.push({ node, further: next(node)[Symbol.iterator]() });
  };
  for (const start of starts) {
    enter(start);
    // A loop and no recursion, because a chain may be longer than the stack.
    for (let turn = path.at(-1); turn !== undefined; turn = path.at(-1)) {
      const { done, value } = turn.further.next();
      if (!done) enter(value);
      else {
        ordered.push(turn.node);
        path.pop();
        if (ordered.length % nodesPerTurn === 0) yield;
      }
    }
  }
  return ordered;
}
