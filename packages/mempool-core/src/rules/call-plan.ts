import type { Cause } from '../contract/cause.ts';
import { overdueBefore, type TxState } from '../contract/lifecycle.ts';
import type { Limits } from '../contract/limits.ts';
import type { CheckedBudget, CheckedExtension, CheckedTake } from '../contract/pool-driver.ts';
import type { ClaimRecord } from '../contract/pool-entry.ts';
import type { Candidate, Claim, ExtendOutcome, Sweep, TakenCandidate } from '../contract/pool-verbs.ts';
import type { LifeFacts } from '../contract/transaction.ts';
import { claimEnd } from './pool-clock.ts';
import type { Step } from './step.ts';

/** The maximum number of transactions that one `sweep` moves, and that one `take` wakes. */
export const maxSweep = 1_000;

/** The time of a call: the pool's clock in milliseconds since 1970, and the height of the chain. */
export interface CallMoment {
  readonly nowMs: number;
  readonly height: number;
}

/** A transaction by its hash and seq. */
export interface Named {
  readonly hash: string;
  readonly seq: number;
}

/**
 * One call on a pool while it is planned, for the rules that pools of both orderings share. Later reads see the changes
 * planned before. `step` completes the plan.
 */
export interface CallPlan {
  /** All limits. An assignment plans a change of them. */
  limits: Limits;
  /** Returns the ready transactions that fit the budget, in the pool's order. */
  reap(budget: CheckedBudget): Candidate[];
  /** Iterates over all Pending transactions, including parked and held ones. */
  pending(): Iterable<Named>;
  /** Returns the hashes under claims that ended before `nowMs`: the earliest end first, then by seq. */
  ended(nowMs: number, limit: number): string[];
  /** Returns the transactions held back until `nowMs` or earlier: the earliest time first, then by seq (P20). */
  due(nowMs: number, limit: number): Named[];
  /** Returns the Pending transactions that waited too long, by seq (P9). */
  expired(moment: CallMoment, limit: number): Named[];
  /** Returns those in flight that were sent before a time and not returned by this call: the earliest first, then by seq. */
  overdue(before: number, limit: number): TxState[];
  /** Drops transactions from the end of the order until the limits hold, at most `limit`. Returns the hashes. */
  evict(limit: number): string[];
  isOverLimits(): boolean;
  /** Returns the end of a claim and its number of transactions; `null` if it has none. */
  claim(id: string): { readonly untilMs: number; readonly held: number } | null;
  extend(id: string, untilMs: number): void;
  /** Moves a Pending transaction to Propagated, under the claim. Returns its new facts. */
  take(one: Named, claim: ClaimRecord): LifeFacts;
  /** Moves a Propagated transaction to Pending, because its claim ended. */
  release(hash: string): void;
  /** Ends the hold on a Pending transaction. */
  wake(one: Named): void;
  /** Drops a Pending transaction. The reason has the same name as the cause. */
  end(one: Named, cause: Cause): void;
  /** Drops a Propagated or Acknowledged transaction with the reason `stale` (L14). */
  expire(one: TxState): void;
  step<Outcome>(outcome: Outcome): Step<Outcome>;
}

/** Returns the step of `take` (P8, P20): selects transactions within the budget and puts them in flight under one claim. */
export function takeStep(plan: CallPlan, { claimId, owner, claimMs, budget }: CheckedTake, nowMs: number): Step<Claim> {
  for (const one of plan.due(nowMs, maxSweep)) plan.wake(one);
  const untilMs = claimEnd(nowMs, claimMs);
  const claim: ClaimRecord = { id: claimId, owner, untilMs };
  const transactions = plan.reap(budget).map((one) => takenOf(one, plan.take(one, claim)));
  return plan.step({ claimId, owner, untilMs, transactions });
}

/** Returns a candidate as `take` returns it. */
export function takenOf(one: Candidate, { receivedAt, attempts }: LifeFacts): TakenCandidate {
  return { ...one, receivedAt, attempts };
}

/** Returns the step of `extendClaim` (P19). It never makes a claim end earlier. */
export function extendStep(plan: CallPlan, { claimId, claimMs }: CheckedExtension, nowMs: number): Step<ExtendOutcome> {
  const claim = plan.claim(claimId);
  if (claim === null) return plan.step({ kind: 'ended' });
  const untilMs = Math.max(claim.untilMs, claimEnd(nowMs, claimMs));
  if (untilMs > claim.untilMs) plan.extend(claimId, untilMs);
  return plan.step({ kind: 'extended', untilMs, held: claim.held });
}

/**
 * Returns the step of `sweep` (P9). It ends claims, wakes held transactions, and drops those that were in flight too long
 * (L14), those that expired and, with `overLimits`, those that exceed the limits.
 */
export function sweepStep(
  plan: CallPlan,
  moment: CallMoment,
  { overLimits, inflightTtlMs }: SweepTargets,
): Step<Sweep> {
  let room = maxSweep;
  let isUnfinished = false;
  // One more than there is room for is asked for: it tells that there may be more.
  const fitting = <One>(find: (limit: number) => readonly One[]): readonly One[] => {
    const found = find(room + 1);
    isUnfinished ||= found.length > room;
    const kept = found.slice(0, room);
    room -= kept.length;
    return kept;
  };
  const returned = fitting((limit) => plan.ended(moment.nowMs, limit));
  for (const hash of returned) plan.release(hash);
  const woken = fitting((limit) => plan.due(moment.nowMs, limit));
  for (const one of woken) plan.wake(one);
  const overdue = fitting((limit) => plan.overdue(overdueBefore(moment.nowMs, inflightTtlMs), limit));
  for (const one of overdue) plan.expire(one);
  const expired = fitting((limit) => plan.expired(moment, limit));
  for (const one of expired) plan.end(one, 'expired');
  const evicted = overLimits ? plan.evict(room) : [];
  const isOver = overLimits && evicted.length >= room && plan.isOverLimits();
  const more = isOver || isUnfinished;
  return plan.step({
    returned,
    woken: woken.map(hashOf),
    expired: [...overdue, ...expired].map(hashOf),
    evicted,
    more,
  });
}

/** The options that select the transactions to drop in a sweep. */
export interface SweepTargets {
  readonly overLimits: boolean;
  /** How long a transaction may be in flight, in milliseconds (L14). `Infinity` means no limit. */
  readonly inflightTtlMs: number;
}

/** Returns the step of `flush`, which drops all Pending transactions. The outcome is their number. */
export function flushStep(plan: CallPlan): Step<number> {
  const waiting = [...plan.pending()];
  for (const one of waiting) plan.end(one, 'flushed');
  return plan.step(waiting.length);
}

/** Returns the step of `setLimits`. It evicts nothing. The outcome is all limits. */
export function limitsStep(plan: CallPlan, named: Partial<Limits>): Step<Limits> {
  const names = Object.keys(named) as (keyof Limits)[];
  if (names.some((name) => named[name] !== plan.limits[name])) plan.limits = { ...plan.limits, ...named };
  return plan.step({ ...plan.limits });
}

function hashOf({ hash }: Named): string {
  return hash;
}
