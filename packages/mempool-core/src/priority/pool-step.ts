import { dropCause } from '../contract/drop-reason.ts';
import { invalid } from '../contract/errors.ts';
import type { MoveVerb } from '../contract/lifecycle.ts';
import type { CheckedRevision } from '../contract/pool-driver.ts';
import type { Entry } from '../contract/pool-entry.ts';
import type { ReviseOutcome, SenderDrop } from '../contract/pool-verbs.ts';
import { type CheckedVerdict, isRefusal } from '../contract/verdict.ts';
import { type CallMoment, maxSweep } from '../rules/call-plan.ts';
import { isLostEntry } from '../rules/damage.ts';
import { type MoveGuard, type Step, underClaim } from '../rules/step.ts';
import { ancestorsWithin, type NoPlace, refusedFor } from './graph.ts';
import { settle } from './placement.ts';
import type { PoolIndex } from './pool-index.ts';
import { isReady, type PoolNode } from './pool-node.ts';
import { exceededBySender } from './refusals.ts';
import { type Planning, StepBuilder } from './step-builder.ts';
import { WaitingRoom } from './waiting-room.ts';

/** Plans a move (L3, L4, P19, P20). A parked transaction cannot be marked in flight. The outcome has the moved hashes. */
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
  { claim, descendants }: MoveGuard = {},
): Step<string[]> {
  const builder = new StepBuilder(pool, nowMs);
  const guarded = underClaim(hashes, claim, (hash) => claimOf(builder, hash));
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
    if (!isLostEntry(node.entry)) checkIdentity(`revisions[${i}].answer`, node.entry.verdict, answer);
  }
  return builder.step(revisions.map((revision) => revise(builder, revision, { nowMs, height })));
}

function checkIdentity(place: string, before: CheckedVerdict, after: CheckedVerdict): void {
  if (after.sender !== before.sender) throw invalid(`${place}.sender`, 'the sender of the current verdict');
  const provided = new Set(before.provides);
  if (after.provides.length !== provided.size || !after.provides.every((tag) => provided.has(tag)))
    throw invalid(`${place}.provides`, 'the tags of the current verdict');
}

function revise(
  builder: StepBuilder,
  { hash, version, answer }: CheckedRevision,
  { nowMs, height }: CallMoment,
): ReviseOutcome {
  const { index } = builder;
  const node = index.node(hash);
  if (node?.stage !== 'Pending') return { kind: 'skipped', hash };
  const { entry } = node;
  const isLost = isLostEntry(entry);
  if (entry.version !== version) return { kind: 'superseded', hash, version: entry.version };
  if (isRefusal(answer)) return dropIn(builder, hash, 'invalid');
  if (isLost && hasRival(index, answer.provides)) return dropIn(builder, hash, 'conflict');
  const limit = refusedByVerdict(index, entry, answer);
  if (limit !== null) return { kind: 'limit', hash, limit };
  const verdict = { ...answer, provides: isLost ? answer.provides : entry.verdict.provides };
  // M2: when it was admitted is lost with its verdict. Its time begins again.
  const since = isLost ? { admittedAt: nowMs, admittedHeight: height } : null;
  const next = { ...entry, ...since, verdict, version: version + 1, checkedHeight: height };
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

/** M2: only a verdict after a damaged one names a sender anew. */
function refusedByVerdict(
  index: PoolIndex,
  entry: Entry,
  verdict: CheckedVerdict,
): Extract<ReviseOutcome, { readonly kind: 'limit' }>['limit'] | null {
  const { limits, totals } = index;
  if (verdict.gas > limits.maxTxGas) return 'maxTxGas';
  const isNewlyProtected = verdict.protected && !entry.verdict.protected;
  if (isNewlyProtected && totals.protected >= limits.maxProtected) return 'maxProtected';
  return isLostEntry(entry) && exceededBySender(index, { verdict }) !== null ? 'maxPerSender' : null;
}

function dropIn(builder: StepBuilder, hash: string, cause: 'invalid' | 'conflict'): ReviseOutcome {
  builder.drop(hash, cause);
  settle(builder.index);
  return { kind: 'dropped', hash };
}

/** M2: true if a live transaction or the chain has a tag of one whose own tags were not known. */
function hasRival({ providers, satisfied }: PoolIndex, tags: readonly string[]): boolean {
  return tags.some((tag) => providers.has(tag) || satisfied.has(tag));
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
