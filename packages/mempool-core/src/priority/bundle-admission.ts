import type { BundleOutcome, BundleRefusal } from '../contract/bundle-verbs.ts';
import { arriving, live, type Thresholds } from '../contract/lifecycle.ts';
import type { CheckedSubmission } from '../contract/pool-driver.ts';
import type { Entry } from '../contract/pool-entry.ts';
import type { CallMoment } from '../rules/call-plan.ts';
import { countedInclusion, type Step } from '../rules/step.ts';
import { newEntry } from './admission.ts';
import { evictFor } from './eviction.ts';
import { ancestorsWithin, exceededBelow, refusedFor } from './graph.ts';
import { settle } from './placement.ts';
import type { PoolIndex } from './pool-index.ts';
import type { PlacedNode, PoolNode } from './pool-node.ts';
import {
  gateOf,
  refusedAtOnce,
  refusedBySender,
  refusedByTags,
  refusedByVerdict,
  rivalsOf,
  withFloor,
} from './refusals.ts';
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
  const gate = gateOf(index, ['kind' in admitted ? admitted : { kind: 'received' }], moment.nowMs);
  if ('kind' in admitted) {
    index.undo();
    return { ...builder.step({ kind: 'refused', refusal: withFloor(index, admitted) } as const), ...gate };
  }
  index.keep();
  const befores = submissions.map(({ hash }) => pool.view.txState(hash));
  for (const [i, submission] of submissions.entries())
    builder.begin(befores[i] ?? null, live(submission.hash, bundle + i, 'Pending', 0, arriving), submission);
  for (const victim of admitted) builder.evict(victim);
  const transactions = submissions.map(({ hash }, i) => ({ hash, seq: bundle + i }));
  return { ...builder.step({ kind: 'received', bundle, transactions } as const), ...gate };
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
  const { hash } = entry;
  const refusal = refusedAtOnce(index, hash, builder.txState(hash), moment.nowMs);
  if (refusal !== null) return refusal;
  if (countedInclusion(builder.view, hash, thresholds) !== null) return { kind: 'conflict', hash, with: null };
  const [rival] = rivalsOf(index, entry);
  return refusedByVerdict(index, entry) ?? refusedByTags(index, entry, rival) ?? refusedBySender(index, entry);
}

function admitTogether(index: PoolIndex, node: PoolNode): readonly PlacedNode[] | BundleRefusal {
  const { hash } = node;
  const ancestors = ancestorsWithin(index, node);
  if (typeof ancestors === 'string') return refusedFor(ancestors, hash);
  settle(index);
  const { place } = node as PlacedNode;
  if (!place.ready) return { kind: 'not-ready', hash };
  const exceeded = exceededBelow(index, node, ancestors);
  if (exceeded !== null) return refusedFor(exceeded, hash);
  return evictFor(index, { place, isProtected: false, ancestors, before: 0 }) ?? { kind: 'full', hash };
}
