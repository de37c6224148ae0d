import { childrenOf, parentsOf, postOrder } from './placement.ts';
import type { PoolIndex } from './pool-index.ts';
import type { PoolNode } from './pool-node.ts';

/** What a walk meets from these on, without these. Where there are more than `limit`, it ends early. */
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

/** Pending ones that must come before. Where there are more than `limit`, some of them. */
export function ancestorsOf(index: PoolIndex, node: PoolNode, limit: number): Set<PoolNode> {
  return reach([node], limit, (each) => parentsOf(index, each));
}

/**
 * Whether the transaction, one of its ancestors' first or itself, has more Pending descendants than allowed. Who has most of them is at the top.
 */
export function hasTooManyDescendants(index: PoolIndex, node: PoolNode, ancestors: ReadonlySet<PoolNode>): boolean {
  const { maxDescendants } = index.limits;
  const tops = [...ancestors].filter((each) => parentsOf(index, each).size === 0);
  if (tops.length === 0) tops.push(node);
  const hasTooMany = (from: readonly PoolNode[]): boolean =>
    reach(from, maxDescendants, (each) => childrenOf(index, each)).size > maxDescendants;
  // One walk for all of them first: many parents may have their descendants in common.
  return hasTooMany(tops) && (tops.length === 1 || tops.some((top) => hasTooMany([top])));
}

/**
 * Whether a Pending descendant of the transaction, none of which is one too many, has more Pending ancestors than allowed. Who has
 * most of them is at the bottom.
 */
export function burdensDescendants(index: PoolIndex, node: PoolNode): boolean {
  const { maxAncestors } = index.limits;
  const descendants = reach([node], Number.POSITIVE_INFINITY, (each) => childrenOf(index, each));
  const bottoms = [...descendants].filter((each) => childrenOf(index, each).next().done);
  const hasTooMany = (from: readonly PoolNode[]): boolean =>
    reach(from, maxAncestors, (each) => parentsOf(index, each)).size > maxAncestors;
  // One walk for all of them first: siblings have their ancestors in common.
  return hasTooMany(bottoms) && (bottoms.length === 1 || bottoms.some((bottom) => hasTooMany([bottom])));
}

/** Nobody is left out. */
const nobody: ReadonlySet<PoolNode> = new Set();

/**
 * Whether the transaction would come before and after itself, were everything live back in the queue; `without`: as if these were
 * not there.
 */
export function closesCycle(index: PoolIndex, node: PoolNode, without: ReadonlySet<PoolNode> = nobody): boolean {
  const { provides, requires } = node.entry.verdict;
  const open = new Set(provides.filter((tag) => !index.satisfied.has(tag) && index.dependents.has(tag)));
  if (open.size === 0) return false;
  if (requires.some((tag) => open.has(tag))) return true;
  const above = reach([node], Number.POSITIVE_INFINITY, (each) => neededBy(index, each, without));
  for (const each of above) if (each.entry.verdict.requires.some((tag) => open.has(tag))) return true;
  return false;
}

/** Whether `closesCycle` may be true of any of these: with one walk for all of them. */
export function mayCloseCycles(index: PoolIndex, nodes: Iterable<PoolNode>): boolean {
  const places = new Map<PoolNode, number>();
  for (const node of postOrder(nodes, (each) => neededBy(index, each))) places.set(node, places.size);
  for (const [node, place] of places)
    for (const needed of neededBy(index, node)) if ((places.get(needed) ?? 0) >= place) return true;
  return false;
}

/** Live ones, in any stage, that provide what the chain has not satisfied. */
function* neededBy(
  index: PoolIndex,
  { entry }: PoolNode,
  without: ReadonlySet<PoolNode> = nobody,
): Generator<PoolNode, undefined> {
  for (const tag of entry.verdict.requires)
    if (!index.satisfied.has(tag))
      for (const provider of index.providers.of(tag)) if (!without.has(provider)) yield provider;
}
