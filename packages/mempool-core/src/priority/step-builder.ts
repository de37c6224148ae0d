import { dropped, type Life, live, type MoveVerb } from '../contract/lifecycle.ts';
import type { Entry, PoolStep } from '../contract/pool-entry.ts';
import type { Transaction } from '../contract/transaction.ts';
import { changeOf, planDrop, planMove } from '../rules/change.ts';
import { type PoolView, type Step, type StepParts, stepOf } from '../rules/step.ts';
import { settle } from './placement.ts';
import type { PoolIndex } from './pool-index.ts';
import { isGossipable, type PoolNode, type Trace } from './pool-node.ts';

/** What a plan is made on. */
export interface Planning {
  readonly view: PoolView;
  /** Changed while the plan is made; whoever asked for it says whether that stays. */
  readonly index: PoolIndex;
}

interface Note {
  readonly before: Life | null;
  readonly after: Life;
  readonly body: Transaction | null;
}

/** One call while it is planned: what becomes of each life, each at most once, and the index as it will be. */
export class Draft {
  readonly index: PoolIndex;
  readonly view: PoolView;
  /** The tick that counters are told at. */
  readonly tick: number;
  readonly #notes = new Map<string, Note>();
  readonly #clamped = new Map<string, Life>();
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
  life(hash: string): Life | null {
    const node = this.index.node(hash);
    if (node === undefined) return null;
    if (node.stage === 'Pending') return pendingLife(node);
    return this.#notes.get(hash)?.after ?? this.#clamped.get(hash) ?? this.view.life(hash);
  }

  /** A new life, whose node is in the index, after one that ended or none. One that this very call has ended was not over before it. */
  begin(before: Life | null, after: Life, body: Transaction): void {
    this.#lastSeq = after.seq;
    const known = this.#notes.get(after.hash);
    this.#notes.set(after.hash, { before: known === undefined ? before : known.before, after, body });
  }

  /** The end of one that waited, and that is Dropped in the index. */
  end(node: PoolNode, reason: string): void {
    const life = pendingLife(node);
    this.#note(life, dropped(life, this.tick, reason));
  }

  /** The next stage of a life. What is no longer Propagated is under no lease. */
  move(before: Life, after: Life, lease: Entry['lease'] = null): void {
    this.#note(before, after);
    const node = this.index.node(after.hash);
    if (node === undefined) return;
    const { entry } = node;
    const kept = after.stage === 'Propagated' ? lease : null;
    this.index.move(node, after.stage, entry.lease === kept ? entry : { ...entry, lease: kept });
  }

  /** Whether the stage allowed it. */
  moveBy(verb: MoveVerb, hash: string, lease: Entry['lease'] = null): boolean {
    const life = this.life(hash);
    const change = life === null ? null : planMove(verb, life, this.tick);
    if (life === null || change === null) return false;
    this.move(life, change.after, lease);
    return true;
  }

  /** Whether the stage allowed it. */
  drop(hash: string, reason: string): boolean {
    const life = this.life(hash);
    const change = life === null ? null : planDrop(life, reason, this.tick);
    if (life === null || change === null) return false;
    this.move(life, change.after);
    return true;
  }

  /** L9: with a lower tick, and no event. */
  clamp(life: Life): void {
    this.#clamped.set(life.hash, life);
  }

  /** What became of whom, for counts. */
  changes(): { readonly before: Life | null; readonly after: Life }[] {
    return [...this.#notes.values()];
  }

  step<Outcome>(outcome: Outcome, parts: Pick<StepParts, 'events' | 'chain'> = {}): Step<Outcome> {
    settle(this.index);
    this.#forgetIdleTags();
    this.#numberGossip();
    const { tick } = this.view.currentTip;
    const notes = [...this.#notes.values()].sort((a, b) => a.after.seq - b.after.seq);
    const changes = notes.map(({ before, after }) => changeOf(before, after, tick, this.tick));
    const bodies = notes.map(({ body }) => body);
    const clamped = [...this.#clamped.values()].filter(({ hash }) => !this.#notes.has(hash));
    return { ...stepOf(this.view, outcome, changes, { ...parts, bodies, clamped }), pool: this.#poolStep() };
  }

  /** Of several changes the first one knows what was before the call. */
  #note(life: Life, after: Life): void {
    const known = this.#notes.get(after.hash);
    if (known === undefined) {
      const before = this.#clamped.has(after.hash) ? this.view.life(after.hash) : life;
      this.#notes.set(after.hash, { before, after, body: null });
    } else this.#notes.set(after.hash, { ...known, after });
  }

  #forgetIdleTags(): void {
    for (const tag of this.index.satisfied.idle()) this.index.forget(tag);
  }

  /** What became ready, or may be told from now on, is new to peers: parents first, then in the order of arrival. */
  #numberGossip(): void {
    const fresh: Trace[] = [];
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

function pendingLife({ hash, seq }: PoolNode): Life {
  return live(hash, seq, 'Pending', 0);
}
