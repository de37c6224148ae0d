import { dropCause } from '../contract/drop-reason.ts';
import { invalid } from '../contract/errors.ts';
import type { MoveVerb } from '../contract/lifecycle.ts';
import type { CheckedRevision } from '../contract/pool-driver.ts';
import type { Entry } from '../contract/pool-entry.ts';
import type { LimitName, ReviseOutcome, SenderDrop } from '../contract/pool-verbs.ts';
import { type CheckedVerdict, isRefusal } from '../contract/verdict.ts';
import { type CallMoment, maxSweep } from '../rules/call-plan.ts';
import { type MoveGuard, type Step, stillPending, underClaim } from '../rules/step.ts';
import { ancestorsWithin, type NoPlace, refusedFor } from './graph.ts';
import { settle } from './placement.ts';
import type { PoolIndex } from './pool-index.ts';
import { isReady, type PoolNode } from './pool-node.ts';
import { type Planning, StepBuilder } from './step-builder.ts';
import { WaitingRoom } from './waiting-room.ts';

/** Plans a move (L3, L4, L15, P19, P20). A parked transaction cannot be marked in flight. The outcome has the moved hashes. */
export function movePoolStep(
  pool: Planning,
  nowMs: number,
  verb: MoveVerb,
  hashes: readonly string[],
  { claim, notBefore }: MoveGuard = {},
): Step<string[]> {
  const builder = new StepBuilder(pool, nowMs);
  const moved = underClaim(hashes, claim, (hash) => claimOf(builder, hash)).filter((hash) => {
    const node = builder.index.node(hash);
    if (verb === 'markInflight' && (node === undefined || !isReady(node))) return false;
    return builder.moveBy(verb, hash, { notBefore });
  });
  return builder.step(moved);
}

/**
 * L10, P19, P23: plans a drop. The outcome has the dropped hashes: those that the call names in its order, then their
 * descendants by seq.
 */
export function dropPoolStep(
  pool: Planning,
  nowMs: number,
  hashes: readonly string[],
  reason: string,
  { claim, descendants, pendingSeqs }: MoveGuard = {},
): Step<string[]> {
  const builder = new StepBuilder(pool, nowMs);
  const pending = stillPending(hashes, pendingSeqs, (hash) => builder.txState(hash));
  const guarded = underClaim(pending, claim, (hash) => claimOf(builder, hash));
  const cause = dropCause(reason);
  const named = guarded.filter((hash) => builder.drop(hash, cause, reason));
  if (descendants === undefined) return builder.step(named);
  const mayDrop = ({ stage, hash }: PoolNode): boolean =>
    stage === 'Pending' || claim === undefined || claimOf(builder, hash) === claim;
  const further = dropDependents(builder, named, (node) => mayDrop(node) && builder.drop(node.hash, cause, reason));
  return builder.step([...named, ...further.sort((a, b) => a.seq - b.seq).map(({ hash }) => hash)]);
}

/** P23: drops what depends on those that left, directly or not. `drop` returns false for what stays. */
function dropDependents(
  { index }: StepBuilder,
  left: readonly string[],
  drop: (node: PoolNode) => boolean,
): PoolNode[] {
  const gone = new Set<PoolNode>();
  const walk = left.flatMap((hash) => index.node(hash) ?? []);
  for (const { entry } of walk)
    for (const tag of entry.verdict.provides) {
      if (index.satisfied.has(tag) || index.providers.has(tag)) continue;
      for (const dependent of [...index.dependents.of(tag)]) {
        if (gone.has(dependent) || !drop(dependent)) continue;
        gone.add(dependent);
        walk.push(dependent);
      }
    }
  return [...gone];
}

/** Plans the drop of a sender's transactions, by seq (P23). */
export function dropSenderStep(pool: Planning, nowMs: number, sender: string, reason: string): Step<SenderDrop> {
  const builder = new StepBuilder(pool, nowMs);
  const own = [...builder.index.senders.of(sender)].filter(({ stage }) => stage !== 'Confirmed');
  const first = own.sort((a, b) => a.seq - b.seq).slice(0, maxSweep);
  const cause = dropCause(reason);
  const dropped = first.map(({ hash }) => hash).filter((hash) => builder.drop(hash, cause, reason));
  return builder.step({ dropped, more: own.length > first.length });
}

function claimOf({ index }: StepBuilder, hash: string): string | null {
  return index.node(hash)?.entry.claim?.id ?? null;
}

/** Plans new verdicts of different hashes, in the order given. @throws `ERR_MEMPOOL_INVALID` if the sender or a provided tag changes */
export function reviseStep(
  pool: Planning,
  revisions: readonly CheckedRevision[],
  { nowMs, height }: CallMoment,
): Step<ReviseOutcome[]> {
  const builder = new StepBuilder(pool, nowMs);
  for (const [i, { hash, version, answer }] of revisions.entries()) {
    const node = builder.index.node(hash);
    if (node?.stage !== 'Pending' || node.entry.version !== version || isRefusal(answer)) continue;
    checkIdentity(`revisions[${i}].answer`, node.entry.verdict, answer);
  }
  return builder.step(revisions.map((revision) => revise(builder, revision, height)));
}

function checkIdentity(place: string, before: CheckedVerdict, after: CheckedVerdict): void {
  if (after.sender !== before.sender) throw invalid(`${place}.sender`, 'the sender of the current verdict');
  const provided = new Set(before.provides);
  if (after.provides.length !== provided.size || !after.provides.every((tag) => provided.has(tag)))
    throw invalid(`${place}.provides`, 'the tags of the current verdict');
}

function revise(builder: StepBuilder, { hash, version, answer }: CheckedRevision, height: number): ReviseOutcome {
  const { index } = builder;
  const node = index.node(hash);
  if (node?.stage !== 'Pending') return { kind: 'skipped', hash };
  const { entry } = node;
  if (entry.version !== version) return { kind: 'superseded', hash, version: entry.version };
  if (isRefusal(answer)) return dropInvalid(builder, hash);
  const limit = refusedByVerdict(index, entry, answer);
  if (limit !== null) return { kind: 'limit', hash, limit };
  const verdict = { ...answer, provides: entry.verdict.provides };
  const next = { ...entry, verdict, version: version + 1, checkedHeight: height };
  const parkedBefore = index.parkedCount;
  index.begin();
  const left = makePlace(index, index.put(next, 'Pending'), { parkedBefore, required: entry.verdict.requires });
  if (typeof left === 'string') {
    index.undo();
    return refusedFor(left, hash);
  }
  index.keep();
  for (const one of left) builder.evict(one);
  return { kind: 'revised', hash, version: version + 1 };
}

function refusedByVerdict({ limits, totals }: PoolIndex, entry: Entry, verdict: CheckedVerdict): LimitName | null {
  if (verdict.gas > limits.maxTxGas) return 'maxTxGas';
  const isNewlyProtected = verdict.protected && !entry.verdict.protected;
  if (isNewlyProtected && totals.protected >= limits.maxProtected) return 'maxProtected';
  return null;
}

function dropInvalid(builder: StepBuilder, hash: string): ReviseOutcome {
  builder.drop(hash, 'invalid');
  settle(builder.index);
  return { kind: 'dropped', hash };
}

/** Those that leave for a revised transaction, or why it has no place. For one that is parked only those leave that wait for it. */
function makePlace(
  index: PoolIndex,
  node: PoolNode,
  { parkedBefore, required }: { readonly parkedBefore: number; readonly required: readonly string[] },
): readonly PoolNode[] | NoPlace {
  const ancestors = ancestorsWithin(index, node);
  if (typeof ancestors === 'string') return ancestors;
  const room = new WaitingRoom(index, { node, ancestors, evictions: 0, required });
  const exceeded = room.make();
  if (exceeded !== null) return exceeded;
  settle(index);
  return index.parkedCount > Math.max(index.limits.maxParked, parkedBefore) ? 'maxParked' : room.left;
}
