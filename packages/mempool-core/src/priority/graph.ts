import type { AdmissionRefusal, LimitName } from '../contract/pool-verbs.ts';
import { childrenOf, parentsOf, postOrder } from './placement.ts';
import type { PoolIndex } from './pool-index.ts';
import { nobody, type PoolNode } from './pool-node.ts';

/** The nodes that `next` reaches from these, without these. Stops early if there are more than `limit`. */
function reach(from: readonly PoolNode[], limit: number, next: (node: PoolNode) => Iterable<PoolNode>): Set<PoolNode> {
  const met = new Set<PoolNode>(from);
  for (const node of met) {
    for (const further of next(node)) {
      met.add(further);
      if (met.size > limit + from.length) break;
    }
    if (met.size > limit + from.length) break;
  }
  for (const node of from) met.delete(node);
  return met;
}

/** Why there is no place for a transaction: it would depend on itself, or the limit that it exceeds. */
export type NoPlace = 'cycle' | LimitName;

/** Returns the refusal of a transaction for which there is no place. */
export function refusedFor(
  why: NoPlace,
  hash: string,
): Extract<AdmissionRefusal, { readonly kind: 'cycle' | 'limit' }> {
  return why === 'cycle' ? { kind: why, hash } : { kind: 'limit', hash, limit: why };
}

/**
 * The Pending ancestors of a transaction, or why there is no place for it. Checked before the order key is computed, because
 * a transaction in a cycle has none.
 */
export function ancestorsWithin(index: PoolIndex, node: PoolNode): ReadonlySet<PoolNode> | NoPlace {
  if (closesCycle(index, node)) return 'cycle';
  const { maxAncestors } = index.limits;
  const ancestors = reach([node], maxAncestors, (each) => parentsOf(index, each));
  return ancestors.size > maxAncestors ? 'maxAncestors' : ancestors;
}

/** The Pending transactions that these depend on, directly or not. May contain some of these. */
export function ancestorsOf(index: PoolIndex, nodes: Iterable<PoolNode>): Set<PoolNode> {
  const ancestors = new Set<PoolNode>();
  for (const node of nodes) for (const parent of parentsOf(index, node)) ancestors.add(parent);
  for (const node of ancestors) for (const parent of parentsOf(index, node)) ancestors.add(parent);
  return ancestors;
}

/** True if these together have more Pending ancestors than allowed. */
export function isTooDeep(index: PoolIndex, nodes: readonly PoolNode[]): boolean {
  const { maxAncestors } = index.limits;
  return reach(nodes, maxAncestors, (each) => parentsOf(index, each)).size > maxAncestors;
}

/** The Pending transactions that depend on this one, directly or not. */
export function descendantsOf(index: PoolIndex, node: PoolNode): Set<PoolNode> {
  return reach([node], Number.POSITIVE_INFINITY, (each) => childrenOf(index, each));
}

/**
 * True if the transaction or one of its ancestors has more Pending descendants than allowed. Only the topmost are
 * checked, because they have the most descendants.
 */
export function hasTooManyDescendants(index: PoolIndex, node: PoolNode, ancestors: ReadonlySet<PoolNode>): boolean {
  const { maxDescendants } = index.limits;
  const tops = [...ancestors].filter((each) => parentsOf(index, each).size === 0);
  if (tops.length === 0) tops.push(node);
  const hasTooMany = (from: readonly PoolNode[]): boolean =>
    reach(from, maxDescendants, (each) => childrenOf(index, each)).size > maxDescendants;
  // First one walk for all of them: many parents may share their descendants.
  return hasTooMany(tops) && (tops.length === 1 || tops.some((top) => hasTooMany([top])));
}

/** The Pending descendants of the transaction that have more Pending ancestors than allowed, with their own descendants. */
export function tooDeepBelow(index: PoolIndex, node: PoolNode): PoolNode[] {
  const below = [...descendantsOf(index, node)];
  // First one walk for the lowest of them: siblings share their ancestors.
  const lowest = below.filter((each) => childrenOf(index, each).next().done);
  return isTooDeep(index, lowest) ? below.filter((each) => isTooDeep(index, [each])) : [];
}

/**
 * True if the transaction would depend on itself if all live transactions were back in the queue. Those in `without` do
 * not count.
 */
export function closesCycle(index: PoolIndex, node: PoolNode, without: ReadonlySet<PoolNode> = nobody): boolean {
  const { provides } = node.entry.verdict;
  const open = new Set(provides.filter((tag) => !index.satisfied.has(tag) && index.dependents.has(tag)));
  if (open.size === 0) return false;
  const above = reach([node], Number.POSITIVE_INFINITY, (each) => neededBy(index, each, without));
  for (const { entry } of [node, ...above]) if (entry.verdict.requires.some((tag) => open.has(tag))) return true;
  return false;
}

/**
 * The first of the rivals that a newcomer depends on, directly or not (P4). As for a cycle, all live transactions count as if they
 * were back in the queue.
 */
export function neededAmong(index: PoolIndex, newcomer: PoolNode, rivals: readonly PoolNode[]): PoolNode | undefined {
  const needed = reach([newcomer], Number.POSITIVE_INFINITY, (each) => neededBy(index, each));
  return rivals.find((rival) => needed.has(rival));
}

/** Returns false if `closesCycle` is false for each of the nodes. It takes one walk for all of them. */
export function mayCloseCycles(index: PoolIndex, nodes: Iterable<PoolNode>): boolean {
  const places = new Map<PoolNode, number>();
  for (const node of postOrder(nodes, (each) => neededBy(index, each))) places.set(node, places.size);
  for (const [node, place] of places)
    for (const needed of neededBy(index, node)) if ((places.get(needed) ?? 0) >= place) return true;
  return false;
}

/** The live transactions, in any stage, that provide a required tag which the chain has not satisfied. */
function* neededBy(
  index: PoolIndex,
  node: PoolNode,
  without: ReadonlySet<PoolNode> = nobody,
): Generator<PoolNode, undefined> {
  for (const tag of node.entry.verdict.requires)
    if (!index.satisfied.has(tag))
      for (const provider of index.providers.of(tag)) if (!without.has(provider)) yield provider;
}
