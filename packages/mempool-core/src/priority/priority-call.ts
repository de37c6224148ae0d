import type { Cause } from '../contract/cause.ts';
import { type Facts, noFacts, overdueBefore, staleReason, type TxState } from '../contract/lifecycle.ts';
import type { Limits } from '../contract/limits.ts';
import type { CheckedBudget } from '../contract/pool-driver.ts';
import type { ClaimRecord, Entry } from '../contract/pool-entry.ts';
import type { Candidate } from '../contract/pool-verbs.ts';
import type { CallMoment, CallPlan, Named, SweepTargets } from '../rules/call-plan.ts';
import { overdueBut } from '../rules/fifo-step.ts';
import type { Step } from '../rules/step.ts';
import { overLimits } from './over-limits.ts';
import { settle } from './placement.ts';
import type { PoolIndex } from './pool-index.ts';
import { isOut, type PoolNode } from './pool-node.ts';
import { reapFrom } from './selection.ts';
import { type Planning, StepBuilder } from './step-builder.ts';

/** One call on a priority pool while it is planned, for the rules that pools of both orderings share. */
export class PriorityCall implements CallPlan {
  readonly #builder: StepBuilder;

  /** `nowMs`: the time of the call. */
  constructor(pool: Planning, nowMs: number) {
    this.#builder = new StepBuilder(pool, nowMs);
  }

  get limits(): Limits {
    return this.#builder.index.limits;
  }

  set limits(limits: Limits) {
    this.#builder.index.limits = limits;
  }

  reap(budget: CheckedBudget): Candidate[] {
    return reapFrom(this.#settled, budget);
  }

  pending(): Iterable<Named> {
    return this.#builder.index.order;
  }

  ended(nowMs: number, limit: number): string[] {
    return endedIn(this.#builder.index, nowMs, limit).map(({ hash }) => hash);
  }

  due(nowMs: number, limit: number): Named[] {
    return dueIn(this.#builder.index, nowMs, limit);
  }

  expired(moment: CallMoment, limit: number): Named[] {
    const index = this.#settled;
    // What this call parks or wakes has not waited yet, however old it is.
    this.#builder.timeParked();
    return expiredIn(index, moment, limit);
  }

  overdue(before: number, limit: number): TxState[] {
    const moved = this.#builder.changes().filter(({ after }) => !isOut(after.stage));
    return overdueBut(this.#builder.view, before, limit, new Set(moved.map(({ after }) => after.hash)));
  }

  evict(limit: number): string[] {
    const evicted: string[] = [];
    for (const node of overLimits(this.#settled)) {
      if (evicted.length === limit) break;
      evicted.push(node.hash);
      this.end(node, 'evicted');
      settle(this.#builder.index);
    }
    return evicted;
  }

  isOverLimits(): boolean {
    return !overLimits(this.#settled).next().done;
  }

  claim(id: string): { readonly untilMs: number; readonly held: number } | null {
    const nodes = this.#builder.index.claims.of(id);
    const [first] = nodes;
    return first === undefined ? null : { untilMs: first.entry.claim?.untilMs ?? 0, held: nodes.size };
  }

  extend(id: string, untilMs: number): void {
    const { index } = this.#builder;
    for (const node of [...index.claims.of(id)]) {
      const { entry, stage } = node;
      if (entry.claim !== null) index.move(node, stage, { ...entry, claim: { ...entry.claim, untilMs } });
    }
  }

  take({ hash }: Named, claim: ClaimRecord): Facts {
    this.#builder.moveBy('markInflight', hash, { claim, cause: 'taken' });
    return this.#builder.txState(hash)?.facts ?? noFacts;
  }

  release(hash: string): void {
    this.#builder.moveBy('release', hash, { cause: 'claim-ended' });
  }

  wake({ hash }: Named): void {
    this.#builder.wake(hash);
  }

  end({ hash }: Named, cause: Cause): void {
    this.#builder.drop(hash, cause);
  }

  expire({ hash }: TxState): void {
    this.#builder.drop(hash, 'expired', staleReason);
  }

  step<Outcome>(outcome: Outcome): Step<Outcome> {
    return this.#builder.step(outcome);
  }

  /** The index after all changes so far. */
  get #settled(): PoolIndex {
    settle(this.#builder.index);
    return this.#builder.index;
  }
}

/** True if a sweep with these options would change nothing. */
export function isSwept(
  { view, index }: Planning,
  moment: CallMoment,
  { overLimits: isAsked, inflightTtlMs }: SweepTargets,
): boolean {
  const { nowMs } = moment;
  const overdue = overdueBut(view, overdueBefore(nowMs, inflightTtlMs), 1, new Set());
  const isLate = [endedIn(index, nowMs, 1), dueIn(index, nowMs, 1), overdue, expiredIn(index, moment, 1)];
  return isLate.every(({ length }) => length === 0) && (!isAsked || overLimits(index).next().done === true);
}

function endedIn({ ages }: PoolIndex, nowMs: number, limit: number): PoolNode[] {
  return [...gathered(new Set(), ages.leased, limit, ({ entry }) => (entry.claim?.untilMs ?? 0) < nowMs)];
}

function dueIn({ ages }: PoolIndex, nowMs: number, limit: number): PoolNode[] {
  return [...gathered(new Set(), ages.held, limit, ({ entry }) => (entry.notBefore ?? 0) <= nowMs)];
}

/** Adds transactions from the first on, as long as they are due. Ends at `limit` in all. */
function gathered(
  found: Set<PoolNode>,
  list: Iterable<PoolNode>,
  limit: number,
  isDue: (node: PoolNode) => boolean,
): Set<PoolNode> {
  for (const node of list) {
    if (found.size >= limit || !isDue(node)) break;
    found.add(node);
  }
  return found;
}

/** The transactions that may wait no longer (P22 for those that are parked), by seq. */
function expiredIn({ ages, limits }: PoolIndex, { nowMs, height }: CallMoment, limit: number): PoolNode[] {
  const found = new Set<PoolNode>();
  const gather = (list: Iterable<PoolNode>, isDue: (entry: Entry) => boolean): unknown =>
    gathered(found, list, limit, ({ entry }) => isDue(entry));
  gather(ages.expiring, ({ verdict }) => (verdict.expiresAt ?? nowMs) < nowMs);
  // The next block has the height after this one.
  gather(ages.expiringHeight, ({ verdict }) => (verdict.expiresAtHeight ?? height + 1) <= height);
  gather(ages.admitted, ({ admittedAt }) => nowMs - admittedAt > limits.ttlMs);
  gather(ages.parked, ({ parkedAt, admittedAt }) => nowMs - (parkedAt ?? admittedAt) > limits.parkedTtlMs);
  gather(ages.admittedHeight, ({ admittedHeight }) => height - admittedHeight > limits.ttlBlocks);
  return [...found].sort((a, b) => a.seq - b.seq);
}
