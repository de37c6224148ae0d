import type { CheckedSubmission } from '../contract/pool-driver.ts';
import type { ReceiveOutcome } from '../contract/store.ts';
import type { Transaction } from '../contract/transaction.ts';
import { admitAlone, newEntry } from '../priority/admission.ts';
import { excessOf, floorOf, isOver } from '../priority/eviction.ts';
import type { PoolNode } from '../priority/pool-node.ts';
import type { PriorityPool } from '../priority/priority-pool.ts';
import type { CallMoment } from '../rules/call-plan.ts';

/**
 * True if the pool knows none of the submissions, none has a tag or is below the floor, no hash occurs twice, and an
 * eviction would park nothing. This is common.
 */
export function areUnknown({ index, memory }: PriorityPool, submissions: readonly CheckedSubmission[]): boolean {
  // P31: what is evicted of a bundle may take others with it.
  if (!index.bundles.isEmpty) return false;
  if (mayPark(index, submissions)) return false;
  for (const { hash, verdict } of submissions) {
    if (verdict.provides.length > 0 || verdict.requires.length > 0) return false;
    if (verdict.priority < index.limits.minPriority) return false;
    if (index.node(hash) !== undefined || memory.inclusion(hash) !== null) return false;
  }
  return submissions.length === 1 || new Set(submissions.map(({ hash }) => hash)).size === submissions.length;
}

/** What requires an evicted one may stay, and is parked then, if it is protected (P28) or has no second weight (P30). */
function mayPark(index: PriorityPool['index'], submissions: readonly CheckedSubmission[]): boolean {
  if (index.totals.protected === 0 && index.limits.maxWeight2 === Number.POSITIVE_INFINITY) return false;
  const sum = { transactions: submissions.length, bytes: 0, weight2: 0 };
  for (const { payload, verdict } of submissions) {
    sum.bytes += payload.length;
    sum.weight2 += verdict.weight2 ?? 0;
  }
  return isOver(excessOf(index, sum));
}

/**
 * Does the same as `admitStep` and `commit`, without a step, if `areUnknown` is true. Then each refusal is known before
 * anything changes, and only new and evicted transactions change. Use it only for a pool that is stored nowhere else and
 * for a call without an operation id. Returns the outcomes in the order given.
 */
export function admitUnknown(
  pool: PriorityPool,
  submissions: readonly CheckedSubmission[],
  moment: CallMoment,
  at: number,
): ReceiveOutcome[] {
  const { index, memory } = pool;
  const arrived: { readonly node: PoolNode; readonly body: Transaction }[] = [];
  const victims: PoolNode[] = [];
  const first = memory.lastSeq + 1;
  const outcome = submissions.map((body): ReceiveOutcome => {
    const entry = newEntry(first + arrived.length, body, moment);
    const admitted = admitAlone(index, entry);
    if ('kind' in admitted) return admitted.kind === 'full' ? { ...admitted, floor: floorOf(index) } : admitted;
    arrived.push({ node: admitted.node, body });
    for (const victim of admitted.victims) victims.push(victim);
    return { kind: 'received', hash: entry.hash, seq: entry.seq, stage: 'Pending' };
  });
  for (const { node } of arrived) {
    if (node.stage !== 'Pending') continue;
    index.lastGossipSeq += 1;
    index.number(node, index.lastGossipSeq);
  }
  const ended = victims.filter(({ seq }) => seq < first).sort((a, b) => a.seq - b.seq);
  const bodies = arrived.map(({ node, body }) => ({ body, slot: node.slot, isOver: node.stage !== 'Pending' }));
  if (arrived.length > 0) memory.admitAndEvict(ended, bodies, at);
  return outcome;
}
