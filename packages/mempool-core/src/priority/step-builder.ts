import type { Cause } from '../contract/cause.ts';
import { dropped, type MoveVerb, noFacts, pending, type TxState } from '../contract/lifecycle.ts';
import { type Entry, heldUntil, type PoolStep, parkedSince } from '../contract/pool-entry.ts';
import type { Transaction } from '../contract/transaction.ts';
import { changeOf, type MoveWay, planDrop, planMove } from '../rules/change.ts';
import { type PoolView, type Step, type StepParts, stepOf } from '../rules/step.ts';
import { placeEvents } from './place-events.ts';
import { settle } from './placement.ts';
import type { PoolIndex } from './pool-index.ts';
import { isGossipable, isParked, type PoolNode } from './pool-node.ts';
import type { UndoEntry } from './undo-log.ts';

/** The pool that a call is planned on. */
export interface Planning {
  readonly view: PoolView;
  /** Changes while a call is planned. The caller of the plan keeps or reverts the changes. */
  readonly index: PoolIndex;
}

interface Transition {
  readonly before: TxState | null;
  readonly after: TxState;
  readonly body: Transaction | null;
  /** The cause of the last change in this call. */
  readonly cause: Cause;
  /** The hash of the transaction that replaced it, if the last change was a replacement. */
  readonly replacedBy?: string | undefined;
}

/** The optional parameters of a move. */
interface Moving extends MoveWay {
  readonly claim?: Entry['claim'];
}

/** One call while it is planned: at most one transition per transaction, and the index with all changes. */
export class StepBuilder {
  readonly index: PoolIndex;
  readonly view: PoolView;
  /** The tick at which counters are computed. */
  readonly tick: number;
  readonly #nowMs: number;
  readonly #transitions = new Map<string, Transition>();
  readonly #clamped = new Map<string, TxState>();
  #lastSeq: number;

  /** `nowMs`: the time of the call. */
  constructor({ view, index }: Planning, nowMs: number, tick: number = view.currentTip.tick) {
    this.view = view;
    this.index = index;
    this.tick = tick;
    this.#nowMs = Math.floor(nowMs);
    this.#lastSeq = view.lastSeq;
    this.#forgetIdleTags();
  }

  get nextSeq(): number {
    return this.#lastSeq + 1;
  }

  /** Returns the current state within this call. For a Pending transaction, the index has the whole state. */
  txState(hash: string): TxState | null {
    const node = this.index.node(hash);
    if (node === undefined) return null;
    if (node.stage === 'Pending') return this.#pendingState(node);
    return this.#transitions.get(hash)?.after ?? this.#clamped.get(hash) ?? this.view.txState(hash);
  }

  /**
   * Records a new transaction whose node is in the index. `before` is the final state of an earlier life of its hash, or
   * `null`. If this call ended that life, the state before the call counts.
   */
  begin(before: TxState | null, after: TxState, body: Transaction): void {
    this.#lastSeq = after.seq;
    const known = this.#transitions.get(after.hash);
    this.#transitions.set(after.hash, {
      before: known === undefined ? before : known.before,
      after,
      body,
      cause: 'received',
    });
  }

  /** Records that another transaction replaced a Pending one. The caller moves it in the index. */
  replace(node: PoolNode, replacedBy: string): void {
    const txState = this.#pendingState(node);
    this.#note(txState, dropped(txState, this.tick, 'replaced'), 'replaced', replacedBy);
  }

  /** Records that a Pending transaction was evicted. In the index it is Dropped already. */
  evict(node: PoolNode): void {
    const txState = this.#pendingState(node);
    this.#note(txState, dropped(txState, this.tick, 'evicted'), 'evicted');
  }

  /** Moves a transaction to its next stage. It keeps a claim only if it is Propagated. */
  move(before: TxState, after: TxState, cause: Cause, claim: Entry['claim'] = null): void {
    this.#note(before, after, cause);
    const node = this.index.node(after.hash);
    if (node === undefined) return;
    const { entry } = node;
    const kept = after.stage === 'Propagated' ? claim : null;
    const claimed = entry.claim === kept ? entry : { ...entry, claim: kept };
    const isSame = entry.notBefore === after.notBefore;
    this.index.move(node, after.stage, isSame ? claimed : heldUntil(claimed, after.notBefore));
  }

  /** Moves a transaction. Returns false if it is unknown or its stage does not allow it. */
  moveBy(verb: MoveVerb, hash: string, { claim = null, ...way }: Moving = {}): boolean {
    const txState = this.txState(hash);
    const change = txState === null ? null : planMove(verb, txState, this.tick, way);
    if (txState === null || change === null) return false;
    this.move(txState, change.after, change.cause, claim);
    if (change.after.stage === 'Finalized') this.satisfyBy(change.after);
    return true;
  }

  /** The tags of a Finalized transaction stay satisfied after it leaves the pool (P12). */
  satisfyBy({ hash, tick }: TxState): void {
    for (const tag of this.index.node(hash)?.entry.verdict.provides ?? []) this.index.satisfy(tag, tick);
  }

  /**
   * Drops a transaction. Returns false if it is unknown or its stage does not allow it. The reason has the same name as the
   * cause, except in a `drop` call.
   */
  drop(hash: string, cause: Cause, reason: string = cause): boolean {
    const txState = this.txState(hash);
    const change = txState === null ? null : planDrop(txState, reason, this.tick, cause);
    if (txState === null || change === null) return false;
    this.move(txState, change.after, cause);
    return true;
  }

  /** Lowers the tick of a transaction, without an event (L9). */
  clamp(txState: TxState): void {
    this.#clamped.set(txState.hash, txState);
  }

  /** Ends the hold on a Pending transaction, without an event (P20). */
  wake(hash: string): void {
    const node = this.index.node(hash);
    if (node === undefined) return;
    this.clamp(pending(hash, node.seq, undefined, this.#pendingState(node).facts));
    this.index.move(node, 'Pending', heldUntil(node.entry, undefined));
  }

  /** Returns all transitions of this call, for counting them. */
  changes(): { readonly before: TxState | null; readonly after: TxState }[] {
    return [...this.#transitions.values()];
  }

  /** Completes the plan: settles the index, numbers new gossip and returns the step. */
  step<Outcome>(outcome: Outcome, parts: Pick<StepParts, 'events' | 'chain'> = {}): Step<Outcome> {
    settle(this.index);
    this.#forgetIdleTags();
    this.timeParked();
    this.#numberGossip();
    const { tick } = this.view.currentTip;
    const transitions = [...this.#transitions.values()].sort((a, b) => a.after.seq - b.after.seq);
    const changes = transitions.map(({ before, after, cause, replacedBy }) => {
      const change = changeOf(before, after, cause, tick, this.tick);
      return replacedBy === undefined ? change : { ...change, replacedBy };
    });
    const bodies = transitions.map(({ body }) => body);
    const clamped = [...this.#clamped.values()].filter(({ hash }) => !this.#transitions.has(hash));
    const places = placeEvents(this.index);
    return { ...stepOf(this.view, outcome, changes, { ...parts, bodies, clamped, places }), pool: this.#poolStep() };
  }

  /** The state of a Pending node, or of one that this call has just ended in the index. */
  #pendingState({ hash, seq, entry }: PoolNode): TxState {
    const after = this.#transitions.get(hash)?.after;
    const { facts } = (after?.seq === seq ? after : this.view.txState(hash)) ?? { facts: noFacts };
    return pending(hash, seq, entry.notBefore, facts);
  }

  /** Adds a transition. If the transaction has one already, its state before the call stays. */
  #note(txState: TxState, after: TxState, cause: Cause, replacedBy?: string): void {
    const known = this.#transitions.get(after.hash);
    if (known === undefined) {
      const before = this.#clamped.has(after.hash) ? this.view.txState(after.hash) : txState;
      this.#transitions.set(after.hash, { before, after, body: null, cause, replacedBy });
    } else this.#transitions.set(after.hash, { ...known, after, cause, replacedBy });
  }

  #forgetIdleTags(): void {
    for (const tag of this.index.satisfied.idle()) this.index.forget(tag);
  }

  /**
   * Records the time for each transaction that was in the pool before and that this call parked, or woke without making it
   * ready (P20, P22). A new transaction counts as parked since its admission. Call it on a settled index.
   */
  timeParked(): void {
    for (const { node, before } of this.index.touched()) {
      const { entry } = node;
      const isNow = isParked(node);
      if (!isNow && entry.parkedAt !== undefined) this.index.move(node, node.stage, parkedSince(entry, undefined));
      const isKnown = before !== null && before.entry.seq === node.seq;
      if (!isNow || !isKnown) continue;
      // What was ready for a moment in this call, such as between a wake and an expiry, has been parked all the time.
      const hasWaited = isParked(before) && !isWoken(node, before);
      const since = hasWaited ? before.entry.parkedAt : this.#nowMs;
      if (entry.parkedAt !== since) this.index.move(node, node.stage, parkedSince(entry, since));
    }
  }

  /** Numbers the transactions that peers may be told of from now on: parents first, then by seq. */
  #numberGossip(): void {
    const fresh: UndoEntry[] = [];
    for (const trace of this.index.touched()) {
      const { node, before } = trace;
      if (!isGossipable(node)) continue;
      if (before === null || before.entry.seq !== node.seq || !isGossipable(before)) fresh.push(trace);
      else if (node.entry.verdict.propagate && !before.entry.verdict.propagate) fresh.push(trace);
    }
    fresh.sort(({ node: a }, { node: b }) => (a.place?.depth ?? 0) - (b.place?.depth ?? 0) || a.seq - b.seq);
    for (const { node } of fresh) {
      this.index.lastGossipSeq += 1;
      this.index.number(node, this.index.lastGossipSeq);
    }
  }

  #poolStep(): PoolStep {
    const { index } = this;
    const entries: Entry[] = [];
    for (const { node, before } of index.touched()) if (node.entry !== before?.entry) entries.push(node.entry);
    const satisfied: [string, number][] = [];
    const forgotten: string[] = [];
    for (const [tag, before] of index.touchedTags()) {
      const tick = index.satisfied.tick(tag);
      if (tick === undefined && before !== undefined) forgotten.push(tag);
      if (tick !== undefined && tick !== before) satisfied.push([tag, tick]);
    }
    const limits = index.limitsTouched ? index.limits : null;
    return { entries, satisfied, forgotten, limits, lastGossipSeq: index.lastGossipSeq };
  }
}

function isWoken({ entry }: PoolNode, before: Pick<PoolNode, 'entry'>): boolean {
  return before.entry.notBefore !== undefined && entry.notBefore === undefined;
}
