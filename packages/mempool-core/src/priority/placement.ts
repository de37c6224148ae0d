import { type Place, placeBelow } from './place.ts';
import type { PoolIndex } from './pool-index.ts';
import { isPlaced, isReady, type PoolNode } from './pool-node.ts';

/** Whether the chain, or a transaction that left the queue, has done what the tag asks for. */
export function isMet(index: PoolIndex, tag: string): boolean {
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

/** The Pending transactions that wait for one. */
export function childrenOf(index: PoolIndex, { entry }: PoolNode): Set<PoolNode> {
  const children = new Set<PoolNode>();
  for (const tag of entry.verdict.provides)
    if (index.dependents.has(tag) && !isMet(index, tag))
      for (const dependent of index.dependents.of(tag)) if (dependent.stage === 'Pending') children.add(dependent);
  return children;
}

/**
 * Places what was put, and its descendants as far as their places change. To be called after each change of the index, before
 * anybody asks for the order.
 */
export function settle(index: PoolIndex): void {
  const { nodes, tags } = index.unsettled;
  for (const tag of tags) for (const dependent of index.dependents.of(tag)) nodes.add(dependent);
  tags.clear();
  for (const node of nodes) {
    nodes.delete(node);
    if (node.stage !== 'Pending') continue;
    const place = placeOf(index, node);
    if (node.place !== null && isSame(node.place, place)) continue;
    index.place(node, place);
    for (const child of childrenOf(index, node)) nodes.add(child);
  }
}

function placeOf(index: PoolIndex, node: PoolNode): Place {
  const { seq, verdict } = node.entry;
  const parents: Place[] = [];
  let ready = true;
  for (const tag of verdict.requires) {
    if (isMet(index, tag)) continue;
    const providers = [...index.providers.of(tag)].filter(isPlaced);
    ready &&= providers.some(isReady);
    for (const { place } of providers) parents.push(place);
  }
  return placeBelow(parents, verdict.priority, seq, ready);
}

function isSame(a: Place, b: Place): boolean {
  return a.ready === b.ready && a.eff === b.eff && a.anchor === b.anchor && a.depth === b.depth && a.seq === b.seq;
}
