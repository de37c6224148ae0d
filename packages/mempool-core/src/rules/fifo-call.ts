import type { Cause } from '../contract/cause.ts';
import { type Facts, noFacts, pending, staleReason, type TxState } from '../contract/lifecycle.ts';
import { fifoLimits, type Limits } from '../contract/limits.ts';
import type { CheckedBudget } from '../contract/pool-driver.ts';
import type { ClaimRecord, FifoStep } from '../contract/pool-entry.ts';
import type { Candidate } from '../contract/pool-verbs.ts';
import type { CallPlan, Named } from './call-plan.ts';
import { bySeq, type Change, planDrop, planMove } from './change.ts';
import { candidateOf, type FifoEntry, overdueBut, reapFifo } from './fifo-step.ts';
import { type PoolView, type Step, stepOf } from './step.ts';

/** The reads of a fifo pool that the rules need in addition to `PoolView`. */
export interface FifoPool {
  readonly maxTxs: number;
  /** Iterates over the Pending transactions that are not held back, by seq. */
  pending(): Iterable<FifoEntry>;
  /** Returns the transactions held back until `nowMs` or earlier: the earliest time first, then by seq. */
  due(nowMs: number, limit: number): FifoEntry[];
  /** Returns the hashes under claims that ended before `nowMs`: the earliest end first, then by seq. */
  ended(nowMs: number, limit: number): string[];
  /** Returns the end of a claim and its number of transactions; `null` if it has none. */
  claim(id: string): { readonly untilMs: number; readonly held: number } | null;
}

/** One call on a fifo pool while it is planned. In a fifo pool nothing is parked, expires or is evicted. */
export class FifoCall implements CallPlan {
  readonly #view: PoolView;
  readonly #pool: FifoPool;
  readonly #changes: Change[] = [];
  readonly #woken = new Map<string, FifoEntry>();
  readonly #returned = new Set<string>();
  readonly #facts = new Map<string, Facts | undefined>();
  #fifo: FifoStep = { taken: null, extended: null, maxTxs: null };

  constructor(view: PoolView, pool: FifoPool) {
    this.#view = view;
    this.#pool = pool;
  }

  get limits(): Limits {
    return { ...fifoLimits, maxTxs: this.#fifo.maxTxs ?? this.#pool.maxTxs };
  }

  set limits({ maxTxs }: Limits) {
    if (maxTxs !== this.#pool.maxTxs) this.#fifo = { ...this.#fifo, maxTxs };
  }

  reap(budget: CheckedBudget): Candidate[] {
    const found = reapFifo(this.#woken.size === 0 ? this.#pool.pending() : this.#merged(), budget);
    for (const { hash, facts } of found) this.#facts.set(hash, facts);
    return found.map(candidateOf);
  }

  pending(): Iterable<Named> {
    return [...this.#pool.pending(), ...this.#pool.due(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY)];
  }

  ended(nowMs: number, limit: number): string[] {
    return this.#pool.ended(nowMs, limit);
  }

  due(nowMs: number, limit: number): FifoEntry[] {
    return this.#pool.due(nowMs, limit);
  }

  expired(): Named[] {
    return [];
  }

  overdue(before: number, limit: number): TxState[] {
    return overdueBut(this.#view, before, limit, this.#returned);
  }

  evict(): string[] {
    return [];
  }

  isOverLimits(): boolean {
    return false;
  }

  claim(id: string): { readonly untilMs: number; readonly held: number } | null {
    return this.#pool.claim(id);
  }

  extend(id: string, untilMs: number): void {
    this.#fifo = { ...this.#fifo, extended: { id, untilMs } };
  }

  take({ hash, seq }: Named, claim: ClaimRecord): Facts {
    this.#fifo = { ...this.#fifo, taken: claim };
    this.#woken.delete(hash);
    const change = planMove('markInflight', this.#pending(hash, seq), this.#tick, { cause: 'taken' });
    this.#note(change);
    return change?.after.facts ?? noFacts;
  }

  release(hash: string): void {
    const txState = this.#view.txState(hash);
    this.#returned.add(hash);
    if (txState !== null) this.#note(planMove('release', txState, this.#tick, { cause: 'claim-ended' }));
  }

  wake(one: FifoEntry): void {
    this.#woken.set(one.hash, one);
  }

  end({ hash, seq }: Named, cause: Cause): void {
    this.#note(planDrop(this.#pending(hash, seq), cause, this.#tick, cause));
  }

  expire(txState: TxState): void {
    this.#note(planDrop(txState, staleReason, this.#tick, 'expired'));
  }

  step<Outcome>(outcome: Outcome): Step<Outcome> {
    const clamped = Array.from(this.#woken.values(), ({ hash, seq }) => this.#pending(hash, seq));
    const step = stepOf(this.#view, outcome, bySeq(this.#changes), { clamped });
    const changes = Object.values(this.#fifo).some((change) => change !== null);
    return changes ? { ...step, fifo: this.#fifo } : step;
  }

  get #tick(): number {
    return this.#view.currentTip.tick;
  }

  /** A Pending transaction that is not held back. */
  #pending(hash: string, seq: number): TxState {
    const facts = this.#facts.get(hash) ?? this.#view.txState(hash)?.facts ?? noFacts;
    return pending(hash, seq, undefined, facts);
  }

  #note(change: Change | null): void {
    if (change !== null) this.#changes.push(change);
  }

  /** The Pending transactions with those that this call has woken, by seq. */
  *#merged(): Generator<FifoEntry, undefined> {
    const woken = [...this.#woken.values()].sort((a, b) => a.seq - b.seq);
    let next = 0;
    for (const one of this.#pool.pending()) {
      for (; (woken[next]?.seq ?? Number.POSITIVE_INFINITY) < one.seq; next++) yield woken[next] as FifoEntry;
      yield one;
    }
    yield* woken.slice(next);
  }
}
