import { invalid } from '../contract/errors.ts';
import type { MoveVerb } from '../contract/lifecycle.ts';
import type { Limits } from '../contract/limits.ts';
import type { CheckedRevision, CheckedTake } from '../contract/pool-driver.ts';
import type { Claim, LimitName, ReviseOutcome, Sweep } from '../contract/pool-verbs.ts';
import { type CheckedVerdict, isRefusal } from '../contract/verdict.ts';
import { claimEnd } from '../rules/pool-clock.ts';
import type { Step } from '../rules/step.ts';
import type { AdmissionTime } from './admission.ts';
import { excessOf } from './eviction.ts';
import { ancestorsOf, burdensDescendants, closesCycle, hasTooManyDescendants } from './graph.ts';
import { settle } from './placement.ts';
import type { PoolIndex } from './pool-index.ts';
import { isReady, type PoolNode } from './pool-node.ts';
import { reapFrom } from './selection.ts';
import { type Planning, StepBuilder } from './step-builder.ts';

/** The most transactions that one `sweep` moves. */
const maxSwept = 1_000;

/** L3, L4: plans a move. A parked transaction cannot be marked in flight. The outcome has the moved hashes. */
export function movePoolStep(pool: Planning, verb: MoveVerb, hashes: readonly string[]): Step<string[]> {
  const builder = new StepBuilder(pool);
  const moved = hashes.filter((hash) => {
    const node = builder.index.node(hash);
    if (verb === 'markInflight' && (node === undefined || !isReady(node))) return false;
    return builder.moveBy(verb, hash);
  });
  return builder.step(moved);
}

/** L10: plans a drop. The outcome has the dropped hashes. */
export function dropPoolStep(pool: Planning, hashes: readonly string[], reason: string): Step<string[]> {
  const builder = new StepBuilder(pool);
  return builder.step(hashes.filter((hash) => builder.drop(hash, reason)));
}

/** Plans a `take`: selects transactions within the budget and marks them in flight under one claim. */
export function takeStep(pool: Planning, take: CheckedTake, { nowMs }: AdmissionTime): Step<Claim> {
  const { claimId, owner, claimMs, budget } = take;
  const builder = new StepBuilder(pool);
  const claim = { id: claimId, owner, untilMs: claimEnd(nowMs, claimMs) };
  const transactions = reapFrom(builder.index, budget);
  for (const { hash } of transactions) builder.moveBy('markInflight', hash, claim);
  return builder.step({ claimId, owner, untilMs: claim.untilMs, transactions });
}

/** True if a sweep would change nothing. */
export function isSwept(index: PoolIndex, moment: AdmissionTime): boolean {
  return !isOver(index) && endedIn(index, moment, 1).length === 0 && expiredIn(index, moment, 1).length === 0;
}

function endedIn({ ages }: PoolIndex, { nowMs }: AdmissionTime, limit: number): PoolNode[] {
  return firstOf(ages.leased.list, limit, ({ entry }) => (entry.claim?.untilMs ?? 0) < nowMs);
}

/** Plans a sweep: returns transactions whose claim ended, drops expired ones, then evicts down to the limits. */
export function sweepStep(pool: Planning, moment: AdmissionTime): Step<Sweep> {
  const builder = new StepBuilder(pool);
  const { index } = builder;
  const returned = endedIn(index, moment, maxSwept).map(({ hash }) => hash);
  for (const hash of returned) builder.moveBy('release', hash);
  settle(index);
  const expired = expiredIn(index, moment, maxSwept - returned.length);
  for (const hash of expired) builder.drop(hash, 'expired');
  settle(index);
  const evicted: string[] = [];
  while (isOver(index) && evicted.length + expired.length + returned.length < maxSwept) {
    const worst = index.order.last;
    if (worst === undefined) break;
    evicted.push(worst.hash);
    builder.drop(worst.hash, 'evicted');
  }
  const isCut = evicted.length + expired.length + returned.length === maxSwept;
  return builder.step({ returned, expired, evicted, more: isCut && !isSwept(index, moment) });
}

function isOver(index: PoolIndex): boolean {
  const { transactions, bytes } = excessOf(index, { transactions: 0, bytes: 0 });
  return transactions > 0 || bytes > 0;
}

function firstOf(list: Iterable<PoolNode>, limit: number, isDue: (node: PoolNode) => boolean): PoolNode[] {
  const found: PoolNode[] = [];
  for (const node of list) {
    if (found.length >= limit || !isDue(node)) break;
    found.push(node);
  }
  return found;
}

/** The hashes of transactions that are strictly older than allowed. Builds no list that no limit needs. */
function expiredIn(index: PoolIndex, { nowMs, height }: AdmissionTime, limit: number): string[] {
  const { ages, limits } = index;
  const found = new Set<PoolNode>();
  const gather = (list: Iterable<PoolNode>, isDue: (node: PoolNode) => boolean): void => {
    for (const node of list) {
      if (found.size >= limit || !isDue(node)) return;
      found.add(node);
    }
  };
  gather(ages.expiring.list, ({ entry }) => (entry.verdict.expiresAt ?? nowMs) < nowMs);
  gather(ages.expiringHeight.list, ({ entry }) => (entry.verdict.expiresAtHeight ?? height) < height);
  if (Number.isFinite(limits.ttlMs)) gather(ages.admitted.list, ({ entry }) => nowMs - entry.admittedAt > limits.ttlMs);
  if (Number.isFinite(limits.ttlBlocks))
    gather(ages.admittedHeight.list, ({ entry }) => height - entry.admittedHeight > limits.ttlBlocks);
  return [...found].sort((a, b) => a.seq - b.seq).map(({ hash }) => hash);
}

/** Plans new verdicts, in the order given. @throws `ERR_MEMPOOL_INVALID` if the sender or a provided tag changes */
export function reviseStep(
  pool: Planning,
  revisions: readonly CheckedRevision[],
  { height }: AdmissionTime,
): Step<ReviseOutcome[]> {
  const builder = new StepBuilder(pool);
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
  if (isRefusal(answer)) {
    builder.drop(hash, 'invalid');
    settle(index);
    return { kind: 'dropped', hash };
  }
  if (answer.gas > index.limits.maxTxGas) return { kind: 'limit', hash, limit: 'maxTxGas' };
  const verdict = { ...answer, provides: entry.verdict.provides };
  const next = { ...entry, verdict, version: version + 1, checkedHeight: height };
  const parkedBefore = index.parked.length;
  index.begin();
  const refusal = refusedByGraph(index, index.put(next, 'Pending'), parkedBefore);
  if (refusal === null) index.keep();
  else index.undo();
  if (refusal === 'cycle') return { kind: 'cycle', hash };
  if (refusal !== null) return { kind: 'limit', hash, limit: refusal };
  return { kind: 'revised', hash, version: version + 1 };
}

function refusedByGraph(index: PoolIndex, node: PoolNode, parkedBefore: number): LimitName | 'cycle' | null {
  const { maxAncestors, maxParked } = index.limits;
  if (closesCycle(index, node)) return 'cycle';
  const ancestors = ancestorsOf(index, node, maxAncestors);
  if (ancestors.size > maxAncestors) return 'maxAncestors';
  settle(index);
  if (index.parked.length > Math.max(maxParked, parkedBefore)) return 'maxParked';
  if (hasTooManyDescendants(index, node, ancestors)) return 'maxDescendants';
  return burdensDescendants(index, node) ? 'maxAncestors' : null;
}

/** Plans the drop of all Pending transactions, parked ones included. The outcome is their number. */
export function flushStep(pool: Planning): Step<number> {
  const builder = new StepBuilder(pool);
  const waiting = Array.from(builder.index.order, ({ hash }) => hash);
  for (const hash of waiting) builder.drop(hash, 'flushed');
  return builder.step(waiting.length);
}

/** Plans a change of limits. It evicts nothing: `sweep` does that. */
export function limitsStep(pool: Planning, named: Partial<Limits>): Step<Limits> {
  const builder = new StepBuilder(pool);
  builder.index.limits = { ...builder.index.limits, ...named };
  return builder.step({ ...builder.index.limits });
}
