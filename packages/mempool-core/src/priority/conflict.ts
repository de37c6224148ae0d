import type { Draft } from './draft.ts';
import { closesCycle } from './graph.ts';
import type { PoolNode } from './pool-node.ts';

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
 * that provides the same. One that the chain shows wins, else the one that came first.
 */
export function resolveReturns(draft: Draft, hashes: readonly string[]): void {
  for (const hash of hashes) {
    const node = draft.index.node(hash);
    if (node?.stage !== 'Pending') continue;
    const losers = losersTo(draft, node);
    for (const loser of losers) draft.drop(loser.hash, conflictReason);
    if (node.stage === 'Pending' && closesCycle(draft.index, node)) draft.drop(hash, cycleReason);
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
