import { type OrderKey, orderKeyBelow } from '../contract/order-key.ts';
import type { PoolIndex } from './pool-index.ts';
import { isPlaced, isReady, type PoolNode } from './pool-node.ts';

/** Whether the chain, or a transaction that left the queue, has done what the tag asks for. */
function isMet(index: PoolIndex, tag: string): boolean {
  if (index.satisfied.has(tag)) return true;
  for (const provider of index.providers.of(tag)) if (provider.stage !== 'Pending') return true;
  return false;
}

/** The Pending transactions that one waits for, each once. */
export function parentsOf(index: PoolIndex, { entry }: PoolNode): Set<PoolNode> {
  const parents = new Set<PoolNode>();
  for (const tag of entry.verdict.requires)
    if (!isMet(index, tag)) for (const provider of index.providers.of(tag)) parents.add(provider);
  return parents;
}

/** The Pending transactions that wait for one; those that need several of its tags come several times. */
export function* childrenOf(index: PoolIndex, { entry }: PoolNode): Generator<PoolNode, undefined> {
  for (const tag of entry.verdict.provides) {
    if (!index.dependents.has(tag) || isMet(index, tag)) continue;
    for (const dependent of index.dependents.of(tag)) if (dependent.stage === 'Pending') yield dependent;
  }
}

/**
 * Places what was put, and its descendants as far as their places change, parents first: each once. To be called after each
 * change of the index, before anybody asks for the order.
 */
export function settle(index: PoolIndex): void {
  const { nodes, tags } = index.unsettled;
  if (nodes.size === 0 && tags.size === 0) return;
  for (const tag of tags) for (const dependent of index.dependents.of(tag)) nodes.add(dependent);
  tags.clear();
  for (const node of nodes) if (node.stage !== 'Pending') nodes.delete(node);
  for (const node of parentsFirst(index, nodes)) {
    if (!nodes.delete(node)) continue;
    const place = placeOf(index, node);
    if (node.place !== null && isSame(node.place, place)) continue;
    index.place(node, place);
    if (isNeeded(index, node)) for (const child of childrenOf(index, node)) nodes.add(child);
  }
}

function parentsFirst(index: PoolIndex, nodes: ReadonlySet<PoolNode>): readonly PoolNode[] {
  const [first] = nodes;
  // What comes alone and is waited for by nobody, as nearly all do.
  if (first === undefined || (nodes.size === 1 && !isNeeded(index, first))) return [...nodes];
  return postOrder(nodes, (each) => childrenOf(index, each)).reverse();
}

function isNeeded(index: PoolIndex, { entry }: PoolNode): boolean {
  return entry.verdict.provides.some((tag) => index.dependents.has(tag));
}

/** Where it stands below its parents, which are placed. */
export function placeOf(index: PoolIndex, node: PoolNode): OrderKey {
  const { seq, verdict } = node.entry;
  const parents: OrderKey[] = [];
  let ready = true;
  for (const tag of verdict.requires) {
    if (isMet(index, tag)) continue;
    const providers = [...index.providers.of(tag)].filter(isPlaced);
    ready &&= providers.some(isReady);
    for (const { place } of providers) parents.push(place);
  }
  return orderKeyBelow(parents, verdict.priority, seq, ready);
}

function isSame(a: OrderKey, b: OrderKey): boolean {
  return (
    a.ready === b.ready &&
    a.effectivePriority === b.effectivePriority &&
    a.tieBreakSeq === b.tieBreakSeq &&
    a.depth === b.depth &&
    a.seq === b.seq
  );
}

interface Turn {
  readonly node: PoolNode;
  readonly further: Iterator<PoolNode>;
}

/**
 * All that a walk meets from these on, these included, each once: behind everything that it leads to, where there is no
 * circle.
 */
export function postOrder(starts: Iterable<PoolNode>, next: (node: PoolNode) => Iterable<PoolNode>): PoolNode[] {
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
    // A loop: a chain may be longer than the stack is deep.
    for (let turn = path.at(-1); turn !== undefined; turn = path.at(-1)) {
      const { done, value } = turn.further.next();
      if (!done) enter(value);
      else {
        ordered.push(turn.node);
        path.pop();
      }
    }
  }
  return ordered;
}
