import { closesCycle, mayCloseCycles } from './graph.ts';
import type { PoolIndex } from './pool-index.ts';
import { isCounted, type PoolNode } from './pool-node.ts';
import type { StepBuilder } from './step-builder.ts';

/** Why a transaction is dropped whose tags another one has brought about, and one that would wait for itself. */
export const conflictReason = 'conflict';
const cycleReason = 'cycle';

/** What the chain shows wins: whoever else provides these tags is dropped, unless the chain shows that one too. */
export function dropRivals(builder: StepBuilder, tags: Iterable<string>): void {
  for (const tag of tags)
    for (const rival of [...builder.index.providers.of(tag)])
      if (rival.stage !== 'Confirmed') builder.drop(rival.hash, conflictReason);
}

/**
 * Decides who stays where a block or an undoing has put some back into the queue, or has withdrawn tags: two may provide the same
 * by now, or one may wait for itself. One after the other by seq, each against those that stay: so nobody goes for one that goes.
 */
export function resolveReturns(
  builder: StepBuilder,
  hashes: readonly string[],
  withdrawn: readonly string[] = [],
): void {
  const { index } = builder;
  const undecided = new Set<PoolNode>();
  const doubt = (node: PoolNode): void => {
    if (isCounted(node.stage)) undecided.add(node);
  };
  for (const hash of hashes) {
    const node = index.node(hash);
    if (node?.stage !== 'Pending') continue;
    for (const tag of node.entry.verdict.provides) index.providers.of(tag).forEach(doubt);
    doubt(node);
  }
  for (const tag of withdrawn) index.dependents.of(tag).forEach(doubt);
  const hasCycles = mayCloseCycles(index, undecided);
  for (const node of [...undecided].sort((a, b) => a.seq - b.seq)) {
    undecided.delete(node);
    if (hasRival(index, node, undecided)) builder.drop(node.hash, conflictReason);
    else if (hasCycles && closesCycle(index, node, undecided)) builder.drop(node.hash, cycleReason);
  }
}

/** Whether the chain, or one that stays, has done or provides what this one provides. */
function hasRival(index: PoolIndex, node: PoolNode, undecided: ReadonlySet<PoolNode>): boolean {
  for (const tag of node.entry.verdict.provides) {
    if (index.satisfied.has(tag)) return true;
    for (const rival of index.providers.of(tag)) if (rival !== node && !undecided.has(rival)) return true;
  }
  return false;
}
