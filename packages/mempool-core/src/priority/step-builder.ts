import { dropped, live, type MoveVerb, type TxState } from '../contract/lifecycle.ts';
import type { Entry, PoolStep } from '../contract/pool-entry.ts';
import type { Transaction } from '../contract/transaction.ts';
import { changeOf, planDrop, planMove } from '../rules/change.ts';
import { type PoolView, type Step, type StepParts, stepOf } from '../rules/step.ts';
import { settle } from './placement.ts';
import type { PoolIndex } from './pool-index.ts';
import { isGossipable, type PoolNode, type UndoEntry } from './pool-node.ts';

/** What a plan is made on. */
export interface Planning {
  readonly view: PoolView;
  /** Changed while the plan is made; whoever asked for it says whether that stays. */
  readonly index: PoolIndex;
}

interface Transition {
  readonly before: TxState | null;
  readonly after: TxState;
  readonly body: Transaction | null;
}

/** One call while it is planned: what becomes of each life, each at most once, and the index as it will be. */
export class StepBuilder {
  readonly index: PoolIndex;
  readonly view: PoolView;
  /** The tick that counters are told at. */
  readonly tick: number;
  readonly #transitions = new Map<string, Transition>();
  readonly #clamped = new Map<string, TxState>();
  #lastSeq: number;

  constructor({ view, index }: Planning, tick: number = view.currentTip.tick) {
    this.view = view;
    this.index = index;
    this.tick = tick;
    this.#lastSeq = view.lastSeq;
    this.#forgetIdleTags();
  }

  get nextSeq(): number {
    return this.#lastSeq + 1;
  }

  /** As it is by now. The index knows every transaction, and all there is to know of one that waits. */
  txState(hash: string): TxState | null {
    const node = this.index.node(hash);
    if (node === undefined) return null;
    if (node.stage === 'Pending') return pendingState(node);
    return this.#transitions.get(hash)?.after ?? this.#clamped.get(hash) ?? this.view.txState(hash);
  }

  /**
   * A new life, whose node is in the index, after one that ended or none. One that this very call has ended was not
   * over before it.
   */
  begin(before: TxState | null, after: TxState, body: Transaction): void {
    this.#lastSeq = after.seq;
    const known = this.#transitions.get(after.hash);
    this.#transitions.set(after.hash, { before: known === undefined ? before : known.before, after, body });
  }

  /** The end of one that waited, and that is Dropped in the index. */
  end(node: PoolNode, reason: string): void {
    const txState = pendingState(node);
    this.#note(txState, dropped(txState, this.tick, reason));
  }

  /** The next stage of a life. What is no longer Propagated is under no claim. */
  move(before: TxState, after: TxState, claim: Entry['claim'] = null): void {
    this.#note(before, after);
    const node = this.index.node(after.hash);
    if (node === undefined) return;
    const { entry } = node;
    const kept = after.stage === 'Propagated' ? claim : null;
    this.index.move(node, after.stage, entry.claim === kept ? entry : { ...entry, claim: kept });
  }

  /** Whether the stage allowed it. */
  moveBy(verb: MoveVerb, hash: string, claim: Entry['claim'] = null): boolean {
    const txState = this.txState(hash);
    const change = txState === null ? null : planMove(verb, txState, this.tick);
    if (txState === null || change === null) return false;
    this.move(txState, change.after, claim);
    return true;
  }

  /** Whether the stage allowed it. */
  drop(hash: string, reason: string): boolean {
    const txState = this.txState(hash);
    const change = txState === null ? null : planDrop(txState, reason, this.tick);
    if (txState === null || change === null) return false;
    this.move(txState, change.after);
    return true;
  }

  /** L9: with a lower tick, and no event. */
  clamp(txState: TxState): void {
    this.#clamped.set(txState.hash, txState);
  }

  /** What became of whom, for counts. */
  changes(): { readonly before: TxState | null; readonly after: TxState }[] {
    return [...this.#transitions.values()];
  }

  step<Outcome>(outcome: Outcome, parts: Pick<StepParts, 'events' | 'chain'> = {}): Step<Outcome> {
    settle(this.index);
    this.#forgetIdleTags();
    this.#numberGossip();
    const { tick } = this.view.currentTip;
    const transitions = [...this.#transitions.values()].sort((a, b) => a.after.seq - b.after.seq);
    const changes = transitions.map(({ before, after }) => changeOf(before, after, tick, this.tick));
    const bodies = transitions.map(({ body }) => body);
    const clamped = [...this.#clamped.values()].filter(({ hash }) => !this.#transitions.has(hash));
    return { ...stepOf(this.view, outcome, changes, { ...parts, bodies, clamped }), pool: this.#poolStep() };
  }

  /** Of several changes the first one knows what was before the call. */
  #note(txState: TxState, after: TxState): void {
    const known = this.#transitions.get(after.hash);
    if (known === undefined) {
      const before = this.#clamped.has(after.hash) ? this.view.txState(after.hash) : txState;
      this.#transitions.set(after.hash, { before, after, body: null });
    } else this.#transitions.set(after.hash, { ...known, after });
  }

  #forgetIdleTags(): void {
    for (const tag of this.index.satisfied.idle()) this.index.forget(tag);
  }

  /** What became ready, or may be told from now on, is new to peers: parents first, then in the order of arrival. */
  #numberGossip(): void {
    const fresh: UndoEntry[] = [];
    for (const trace of this.index.touched()) {
      const { node, before } = trace;
      if (!isGossipable(node)) continue;
      if (before === null || before.entry.seq !== node.seq || !isGossipable(before)) fresh.push(trace);
      else if (node.entry.verdict.propagate && !before.entry.verdict.propagate) fresh.push(trace);
    }
    fresh.sort(({ node: a }, { node: b }) => (a.place?.depth ?? 0) - (b.place?.depth ?? 0) || a.seq - b.seq);
    for (const { node, before } of fresh) {
      if (node.entry === before?.entry) this.index.move(node, node.stage, { ...node.entry });
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

function pendingState({ hash, seq }: PoolNode): TxState {
  return live(hash, seq, 'Pending', 0);
}
