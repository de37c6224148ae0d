import type { Cause } from '../contract/cause.ts';
import { closesCycle, mayCloseCycles } from './graph.ts';
import type { PoolIndex } from './pool-index.ts';
import { isCounted, type PoolNode } from './pool-node.ts';
import type { StepBuilder } from './step-builder.ts';

/** The drop reason if the chain or another transaction provides the same tag. */
export const conflictReason: 'conflict' = 'conflict';
const cycleReason = 'cycle' satisfies Cause;

/** Drops all other providers of tags that the chain satisfied. A Confirmed provider stays. */
export function dropRivals(builder: StepBuilder, tags: Iterable<string>): void {
  for (const tag of tags)
    for (const rival of [...builder.index.providers.of(tag)])
      if (rival.stage !== 'Confirmed') builder.drop(rival.hash, conflictReason);
}

/**
 * Decides which transactions stay after a block or a rollback has returned some to Pending or withdrawn tags. Two of
 * them may now provide the same tag, or a transaction may depend on itself. They are checked by seq, each against those
 * that stay, so no transaction is dropped because of another dropped one.
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

/** True if the chain satisfied a tag of the transaction, or if another transaction that stays provides the tag. */
function hasRival(index: PoolIndex, node: PoolNode, undecided: ReadonlySet<PoolNode>): boolean {
  for (const tag of node.entry.verdict.provides) {
    if (index.satisfied.has(tag)) return true;
    for (const rival of index.providers.of(tag)) if (rival !== node && !undecided.has(rival)) return true;
  }
  return false;
}
