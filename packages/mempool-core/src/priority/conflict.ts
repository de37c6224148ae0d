import type { Draft } from './draft.ts';
import { closesCycle, mayCloseCycles } from './graph.ts';
import { isCounted, type PoolNode } from './pool-node.ts';

/** Why a transaction is dropped whose tags another one has brought about, and one that would wait for itself. */
export const conflictReason = 'conflict';
const cycleReason = 'cycle';

/** What the chain shows wins: whoever else provides these tags is dropped, unless the chain shows that one too. */
export function dropRivals(draft: Draft, tags: Iterable<string>): void {
  for (const tag of tags)
    for (const rival of [...draft.index.providers.of(tag)])
      if (rival.stage !== 'Confirmed') draft.drop(rival.hash, conflictReason);
}

/**
 * Makes room for those that a block or an undoing has put back into the queue, by seq: meanwhile another one may have come
 * that provides the same. One that the chain shows wins, else the one that came first. Nor may any wait for itself, which also
 * comes of tags that the chain has withdrawn.
 */
export function resolveReturns(draft: Draft, hashes: readonly string[], withdrawn: readonly string[] = []): void {
  const { index } = draft;
  const returned = new Set(hashes);
  const nodes = new Set(hashes.map((hash) => index.node(hash)).filter((node) => node !== undefined));
  for (const tag of withdrawn) for (const node of index.dependents.of(tag)) nodes.add(node);
  const hasCycles = mayCloseCycles(index, nodes);
  for (const node of [...nodes].sort((a, b) => a.seq - b.seq)) {
    if (returned.has(node.hash) && node.stage === 'Pending')
      for (const loser of losersTo(draft, node)) draft.drop(loser.hash, conflictReason);
    if (hasCycles && isCounted(node.stage) && closesCycle(index, node)) draft.drop(node.hash, cycleReason);
  }
}

function losersTo({ index }: Draft, node: PoolNode): Set<PoolNode> {
  const losers = new Set<PoolNode>();
  for (const tag of node.entry.verdict.provides) {
    const rivals = [...index.providers.of(tag)].sort((a, b) => a.seq - b.seq);
    if (rivals.some(({ stage }) => stage === 'Confirmed')) return new Set([node]);
    for (const rival of rivals.slice(1)) losers.add(rival);
  }
  return losers;
}
