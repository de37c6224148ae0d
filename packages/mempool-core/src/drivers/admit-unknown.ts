import type { CheckedSubmission } from '../contract/pool-driver.ts';
import type { ReceiveOutcome } from '../contract/store.ts';
import type { Arrived } from '../memory/pool-state.ts';
import { admitAlone, newEntry } from '../priority/admission.ts';
import { excessOf, isOver, nothingMore } from '../priority/eviction.ts';
import type { PoolNode } from '../priority/pool-node.ts';
import type { PriorityPool } from '../priority/priority-pool.ts';
import { withFloor } from '../priority/refusals.ts';
import type { CallMoment } from '../rules/call-plan.ts';

/**
 * Holds slots for the submissions if the pool knows none of them, none has a tag or is below the floor, no hash occurs twice,
 * and an eviction would park nothing. This is common. Else it returns `null`.
 */
export function holdUnknown(
  { index, memory }: PriorityPool,
  submissions: readonly CheckedSubmission[],
): readonly number[] | null {
  if (mayPark(index, submissions)) return null;
  for (const { hash, verdict } of submissions) {
    if (verdict.provides.length > 0 || verdict.requires.length > 0) return null;
    if (verdict.priority < index.limits.minPriority || memory.inclusion(hash) !== null) return null;
  }
  return index.slots.holdNew(submissions);
}

/** A protected transaction that requires an evicted one stays and is parked (P28). */
function mayPark(index: PriorityPool['index'], submissions: readonly CheckedSubmission[]): boolean {
  if (index.totals.protected === 0) return false;
  const sum = { transactions: submissions.length, bytes: 0 };
  for (const { payload } of submissions) sum.bytes += payload.length;
  return isOver(excessOf(index, sum));
}

/**
 * Does the same as `admitStep` and `commit`, without a step, if `holdUnknown` returned slots. Then each refusal is known
 * before anything changes, and only new and evicted transactions change. Use it only for a pool that is stored nowhere else
 * and for a call without an operation id. Returns the outcomes in the order given.
 */
export function admitUnknown(
  pool: PriorityPool,
  submissions: readonly CheckedSubmission[],
  held: readonly number[],
  moment: CallMoment,
  at: number,
): ReceiveOutcome[] {
  const { index, memory } = pool;
  const { transactions } = excessOf(index, { ...nothingMore, transactions: submissions.length });
  if (transactions > 1) index.order.fetchLast(Math.min(transactions, submissions.length));
  const arrived: (Arrived & { readonly node: PoolNode })[] = [];
  const victims: PoolNode[] = [];
  const outcome = new Array<ReceiveOutcome>(submissions.length);
  const first = memory.lastSeq + 1;
  for (let i = 0; i < outcome.length; i++) {
    const [body, slot] = [submissions[i] as CheckedSubmission, held[i] as number];
    const entry = newEntry(first + arrived.length, body, moment);
    const admitted = admitAlone(index, entry, slot);
    if ('kind' in admitted) {
      index.slots.release(slot);
      outcome[i] = withFloor(index, admitted);
      continue;
    }
    arrived.push({ body, slot, node: admitted.node });
    for (const victim of admitted.victims) if (victim.seq < first) victims.push(victim);
    outcome[i] = { kind: 'received', hash: entry.hash, seq: entry.seq, stage: 'Pending' };
  }
  for (const { node } of arrived) {
    if (node.stage !== 'Pending') continue;
    index.lastGossipSeq += 1;
    index.number(node, index.lastGossipSeq);
  }
  if (arrived.length > 0) memory.admitAndEvict(victims.sort(bySeq), arrived, at);
  return outcome;
}

function bySeq(a: PoolNode, b: PoolNode): number {
  return a.seq - b.seq;
}
