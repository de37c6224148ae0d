import type { BundleOutcome, BundleRefusal } from '../contract/bundle-verbs.ts';
import { arriving, live, nextStage, type Thresholds } from '../contract/lifecycle.ts';
import { isClosedAt } from '../contract/limits.ts';
import type { CheckedSubmission } from '../contract/pool-driver.ts';
import type { Entry } from '../contract/pool-entry.ts';
import type { LimitName } from '../contract/pool-verbs.ts';
import type { KnownStage } from '../contract/transaction.ts';
import type { CallMoment } from '../rules/call-plan.ts';
import { countedInclusion, type Gate, type Step } from '../rules/step.ts';
import { newEntry } from './admission.ts';
import { excessOf, floorOf, nothingMore, victimsFor } from './eviction.ts';
import { ancestorsOf, burdensDescendants, closesCycle, hasTooManyDescendants } from './graph.ts';
import { settle } from './placement.ts';
import type { PoolIndex } from './pool-index.ts';
import type { PlacedNode, PoolNode } from './pool-node.ts';
import { type Planning, StepBuilder } from './step-builder.ts';

interface Call {
  readonly builder: StepBuilder;
  readonly moment: CallMoment;
  readonly thresholds: Thresholds;
}

/** P31: plans the admission of a bundle: all of it, or nothing. */
export function bundleStep(
  pool: Planning,
  submissions: readonly CheckedSubmission[],
  moment: CallMoment,
  thresholds: Thresholds,
): Step<BundleOutcome> {
  const builder = new StepBuilder(pool, moment.nowMs);
  const { index, nextSeq: bundle } = builder;
  index.begin();
  const admitted = admit({ builder, moment, thresholds }, submissions);
  const gate = gateOf(index, admitted, moment.nowMs);
  if ('kind' in admitted) {
    index.undo();
    const refusal = admitted.kind === 'full' ? { ...admitted, floor: floorOf(index) } : admitted;
    return { ...builder.step({ kind: 'refused', refusal } as const), ...gate };
  }
  index.keep();
  const befores = submissions.map(({ hash }) => pool.view.txState(hash));
  for (const [i, submission] of submissions.entries())
    builder.begin(befores[i] ?? null, live(submission.hash, bundle + i, 'Pending', 0, arriving), submission);
  for (const victim of admitted) builder.evict(victim);
  const transactions = submissions.map(({ hash }, i) => ({ hash, seq: bundle + i }));
  return { ...builder.step({ kind: 'received', bundle, transactions } as const), ...gate };
}

/** P27: as for a `receive`. */
function gateOf(
  { limits: { acceptUntil } }: PoolIndex,
  admitted: readonly PlacedNode[] | BundleRefusal,
  nowMs: number,
): { readonly gate?: Gate } {
  const isNews = acceptUntil !== Number.POSITIVE_INFINITY && !('kind' in admitted && admitted.kind === 'duplicate');
  return isNews ? { gate: { acceptUntil, isClosed: nowMs >= acceptUntil } } : {};
}

/** Puts all of it into the index. Returns the victims; or why it is refused, and then the caller undoes the attempt. */
function admit(call: Call, submissions: readonly CheckedSubmission[]): readonly PlacedNode[] | BundleRefusal {
  const { builder, moment } = call;
  const { index, nextSeq: first } = builder;
  const bundle = { first, size: submissions.length };
  const nodes: PoolNode[] = [];
  for (const submission of submissions) {
    // Peers are not told of a bundle: they would know its parts alone.
    const verdict = { ...submission.verdict, propagate: false };
    const entry = { ...newEntry(first + nodes.length, { ...submission, verdict }, moment), bundle };
    const refusal = refusedAlone(call, entry);
    if (refusal !== null) return refusal;
    nodes.push(index.put(entry, 'Pending'));
  }
  return admitTogether(index, nodes[0] as PoolNode);
}

function refusedAlone({ builder, moment, thresholds }: Call, entry: Entry): BundleRefusal | null {
  const { index } = builder;
  const { hash, verdict } = entry;
  const stage = builder.txState(hash)?.stage ?? 'Unknown';
  if (nextStage(stage, 'receive') === null)
    return { kind: 'duplicate', hash, stage: stage as Exclude<KnownStage, 'Dropped'> };
  if (isClosedAt(index.limits, moment.nowMs)) return { kind: 'closed', hash };
  if (countedInclusion(builder.view, hash, thresholds) !== null) return { kind: 'conflict', hash, with: null };
  if (verdict.gas > index.limits.maxTxGas) return { kind: 'limit', hash, limit: 'maxTxGas' };
  const rivals = verdict.provides.flatMap((tag) => [...index.providers.of(tag)]).sort((a, b) => a.seq - b.seq);
  if (rivals[0] !== undefined) return { kind: 'conflict', hash, with: rivals[0].hash };
  if (verdict.provides.some((tag) => index.satisfied.has(tag))) return { kind: 'conflict', hash, with: null };
  return refusedBySender(index, entry);
}

function refusedBySender({ limits, totals }: PoolIndex, { hash, verdict }: Entry): BundleRefusal | null {
  const limit = Math.min(verdict.senderLimit ?? Number.POSITIVE_INFINITY, limits.maxPerSender);
  const isFull = verdict.sender !== '' && (totals.senders.get(verdict.sender) ?? 0) >= limit;
  return isFull ? { kind: 'sender-limit', hash, limit } : null;
}

function admitTogether(index: PoolIndex, node: PoolNode): readonly PlacedNode[] | BundleRefusal {
  const { hash } = node;
  const limited = (limit: LimitName): BundleRefusal => ({ kind: 'limit', hash, limit });
  if (closesCycle(index, node)) return { kind: 'cycle', hash };
  const { maxAncestors } = index.limits;
  const ancestors = ancestorsOf(index, node, maxAncestors);
  if (ancestors.size > maxAncestors) return limited('maxAncestors');
  settle(index);
  const { place } = node as PlacedNode;
  if (!place.ready) return { kind: 'not-ready', hash };
  if (hasTooManyDescendants(index, node, ancestors)) return limited('maxDescendants');
  if (burdensDescendants(index, node)) return limited('maxAncestors');
  const newcomer = { place, isProtected: false, ancestors, before: 0 };
  const victims = victimsFor(index, newcomer, excessOf(index, nothingMore));
  if (victims === null) return { kind: 'full', hash };
  for (const victim of victims) index.move(victim, 'Dropped');
  settle(index);
  return victims;
}
