import { invalid } from '../contract/errors.ts';
import type { MoveVerb } from '../contract/lifecycle.ts';
import type { Limits } from '../contract/limits.ts';
import type { CheckedRevision, CheckedTake } from '../contract/pool-driver.ts';
import type { LimitName, Lot, ReviseOutcome, Sweep } from '../contract/pool-verbs.ts';
import type { CheckedVerdict } from '../contract/verdict.ts';
import { leaseEnd } from '../rules/pool-clock.ts';
import type { Step } from '../rules/step.ts';
import type { PoolMoment } from './admission.ts';
import { excessOf } from './eviction.ts';
import { ancestorsOf, burdensDescendants, closesCycle, hasTooManyDescendants } from './graph.ts';
import { settle } from './placement.ts';
import type { PoolIndex } from './pool-index.ts';
import { isReady, type PoolNode } from './pool-node.ts';
import { reapFrom } from './selection.ts';
import { Draft, type Planning } from './step-builder.ts';

/** What one `sweep` moves at the most. */
const maxSwept = 1_000;

/** L3, L4: what is parked is not marked. */
export function movePoolStep(pool: Planning, verb: MoveVerb, hashes: readonly string[]): Step<string[]> {
  const draft = new Draft(pool);
  const moved = hashes.filter((hash) => {
    const node = draft.index.node(hash);
    if (verb === 'markInflight' && (node === undefined || !isReady(node))) return false;
    return draft.moveBy(verb, hash);
  });
  return draft.step(moved);
}

/** L10. */
export function dropPoolStep(pool: Planning, hashes: readonly string[], reason: string): Step<string[]> {
  const draft = new Draft(pool);
  return draft.step(hashes.filter((hash) => draft.drop(hash, reason)));
}

/** Reaps and marks in flight under one lease. */
export function takeStep(pool: Planning, take: CheckedTake, { nowMs }: PoolMoment): Step<Lot> {
  const { leaseId, owner, leaseMs, budget } = take;
  const draft = new Draft(pool);
  const lease = { id: leaseId, owner, untilMs: leaseEnd(nowMs, leaseMs) };
  const transactions = reapFrom(draft.index, budget);
  for (const { hash } of transactions) draft.moveBy('markInflight', hash, lease);
  return draft.step({ leaseId, owner, untilMs: lease.untilMs, transactions });
}

/** Whether a sweep would find nothing. */
export function isSwept(index: PoolIndex, moment: PoolMoment): boolean {
  return !isOver(index) && endedIn(index, moment, 1).length === 0 && expiredIn(index, moment, 1).length === 0;
}

function endedIn({ ages }: PoolIndex, { nowMs }: PoolMoment, limit: number): PoolNode[] {
  return firstOf(ages.leased.list, limit, ({ entry }) => (entry.lease?.untilMs ?? 0) < nowMs);
}

/** Ends leases, then what waited too long, then what is over the limits. */
export function sweepStep(pool: Planning, moment: PoolMoment): Step<Sweep> {
  const draft = new Draft(pool);
  const { index } = draft;
  const returned = endedIn(index, moment, maxSwept).map(({ hash }) => hash);
  for (const hash of returned) draft.moveBy('release', hash);
  settle(index);
  const expired = expiredIn(index, moment, maxSwept - returned.length);
  for (const hash of expired) draft.drop(hash, 'expired');
  settle(index);
  const evicted: string[] = [];
  while (isOver(index) && evicted.length + expired.length + returned.length < maxSwept) {
    const worst = index.order.last;
    if (worst === undefined) break;
    evicted.push(worst.hash);
    draft.drop(worst.hash, 'evicted');
  }
  const isCut = evicted.length + expired.length + returned.length === maxSwept;
  return draft.step({ returned, expired, evicted, more: isCut && !isSwept(index, moment) });
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

/** Strictly older than allowed. A list that no limit asks for is not made. */
function expiredIn(index: PoolIndex, { nowMs, height }: PoolMoment, limit: number): string[] {
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

/** Verdicts given again, in the order given. @throws `ERR_MEMPOOL_INVALID` where one is another transaction's */
export function reviseStep(
  pool: Planning,
  revisions: readonly CheckedRevision[],
  { height }: PoolMoment,
): Step<ReviseOutcome[]> {
  const draft = new Draft(pool);
  for (const [i, { hash, version, answer }] of revisions.entries()) {
    const node = draft.index.node(hash);
    if (node?.stage !== 'Pending' || node.entry.version !== version || 'refusal' in answer) continue;
    checkIdentity(`revisions[${i}].answer`, node.entry.verdict, answer.verdict);
  }
  return draft.step(revisions.map((revision) => revise(draft, revision, height)));
}

function checkIdentity(place: string, before: CheckedVerdict, after: CheckedVerdict): void {
  if (after.sender !== before.sender) throw invalid(`${place}.sender`, 'the sender it was taken in with');
  const provided = new Set(before.provides);
  if (after.provides.length !== provided.size || !after.provides.every((tag) => provided.has(tag)))
    throw invalid(`${place}.provides`, 'the tags it was taken in with');
}

function revise(draft: Draft, { hash, version, answer }: CheckedRevision, height: number): ReviseOutcome {
  const { index } = draft;
  const node = index.node(hash);
  if (node?.stage !== 'Pending') return { kind: 'skipped', hash };
  const { entry } = node;
  if (entry.version !== version) return { kind: 'superseded', hash, version: entry.version };
  if ('refusal' in answer) {
    draft.drop(hash, 'invalid');
    settle(index);
    return { kind: 'dropped', hash };
  }
  if (answer.verdict.gas > index.limits.maxTxGas) return { kind: 'limit', hash, limit: 'maxTxGas' };
  const verdict = { ...answer.verdict, provides: entry.verdict.provides };
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

/** All that waits, parked or not. */
export function flushStep(pool: Planning): Step<number> {
  const draft = new Draft(pool);
  const waiting = Array.from(draft.index.order, ({ hash }) => hash);
  for (const hash of waiting) draft.drop(hash, 'flushed');
  return draft.step(waiting.length);
}

/** Evicts nothing: that is for `sweep`. */
export function limitsStep(pool: Planning, named: Partial<Limits>): Step<Limits> {
  const draft = new Draft(pool);
  draft.index.limits = { ...draft.index.limits, ...named };
  return draft.step({ ...draft.index.limits });
}
