import { damaged } from '../codec/codec.ts';
import { encodeOutcome } from '../codec/outcome-record.ts';
import type { CheckedBlock } from '../contract/driver.ts';
import type { BlockEvent, StoreEvent } from '../contract/events.ts';
import {
  droppableTick,
  finalizableTick,
  inclusionCounts,
  keptFrom,
  type MoveVerb,
  type Thresholds,
  type TxState,
} from '../contract/lifecycle.ts';
import type { FifoStep, PoolStep } from '../contract/pool-entry.ts';
import type { ConfirmOutcome, ReceiveOutcome, RollbackOutcome } from '../contract/store.ts';
import type { ChainPoint, KnownStage, Tip, Transaction } from '../contract/transaction.ts';
import { appliedOutcome } from './answers.ts';
import {
  bySeq,
  type Change,
  changeEvent,
  clampTick,
  planBlock,
  planDrop,
  planMove,
  planReceive,
  planRollback,
} from './change.ts';

/**
 * What the rules ask of a store, before a call. Whoever cannot answer at once loads first what the call names and puts the
 * loaded lives behind this.
 */
export interface PoolView {
  readonly currentTip: Tip;
  /** First tick whose point is kept. */
  readonly floor: number;
  readonly maxRollback: number;
  readonly lastSeq: number;
  readonly lastEventSeq: number;
  /** The live record or the latest log entry. */
  txState(hash: string): TxState | null;
  /** The point stored with a Confirmed or Finalized record. */
  confirmedAt(hash: string): ChainPoint | null;
  /** The tick of a kept block that carried the hash first (L13). */
  inclusion(hash: string): number | null;
  /** Kept points only. */
  pointAt(tick: number): ChainPoint | null;
  /** Kept points only. */
  tickOf(point: ChainPoint): number | null;
  /** Confirmed with a tick of at most the one, Propagated and Acknowledged with a tick of at most the other. */
  aged(finalizable: number, droppable: number): Iterable<TxState>;
  /** Confirmed, and Finalized with the latest log entry of their hash, with a greater tick. */
  confirmedAfter(tick: number): Iterable<TxState>;
  /** Propagated and Acknowledged with a greater tick. */
  waitingAfter(tick: number): Iterable<TxState>;
}

/** A record to write. One with a final stage is an entry of the log too. */
export interface Write {
  readonly after: TxState;
  readonly point: ChainPoint | null;
  /** `null`: payload and type stay as they are. */
  readonly body: Transaction | null;
}

/** What happens to the kept blocks. */
export type ChainStep =
  | {
      readonly kind: 'applied';
      readonly tick: number;
      /** Points and sightings of ticks below are forgotten. */
      readonly floor: number;
      readonly point: ChainPoint;
      /** Remembered with this tick, unless they are already (L13). */
      readonly seen: readonly string[];
      /** Remembered no more. */
      readonly unseen: readonly string[];
    }
  /** Points and sightings of greater ticks are forgotten. */
  | { readonly kind: 'undone'; readonly tick: number };

/** All that one call writes, in one atomic step (X1). Nothing in it depends on how a store keeps it. */
export interface Step<Outcome> {
  readonly outcome: Outcome;
  /** By seq: the order of new log entries. */
  readonly writes: readonly Write[];
  readonly events: readonly StoreEvent[];
  readonly chain: ChainStep | null;
  readonly operation: OperationRecord | null;
  /** Of a priority pool; else `null`. */
  readonly pool?: PoolStep | null;
  /** Of a pool in order of arrival, where somebody takes or sets a limit. */
  readonly fifo?: FifoStep | null;
}

/** A call's outcome, kept under its operation id (X2): bytes, so that no caller can alter it. */
export interface OperationRecord {
  readonly id: string;
  readonly record: Uint8Array;
}

/** X2: the step with the record of its outcome in it, where the caller gave an id. */
export function recorded<Outcome>(
  planned: Step<Outcome>,
  verb: string,
  operationId: string | undefined,
): Step<Outcome> {
  if (operationId === undefined) return planned;
  return { ...planned, operation: { id: operationId, record: encodeOutcome(verb, planned.outcome) } };
}

/** L1, L2, L13. */
export function receiveStep(
  view: PoolView,
  transactions: readonly Transaction[],
  thresholds: Thresholds,
): Step<ReceiveOutcome[]> {
  const { tick } = view.currentTip;
  const fresh = new Set<string>();
  const changes: Change[] = [];
  const bodies: Transaction[] = [];
  const outcome = transactions.map((body): ReceiveOutcome => {
    const { hash } = body;
    const before = view.txState(hash);
    const seq = view.lastSeq + changes.length + 1;
    const change = planReceive(before, hash, seq, tick, countedInclusion(view, hash, thresholds));
    if (change === null) return { kind: 'duplicate', hash, stage: before?.stage as Duplicate };
    const stage = change.after.stage as 'Pending' | 'Confirmed';
    if (fresh.size === fresh.add(hash).size) return { kind: 'duplicate', hash, stage };
    changes.push(change);
    bodies.push(body);
    return { kind: 'received', hash, seq, stage };
  });
  return stepOf(view, outcome, changes, { bodies });
}

type Duplicate = Exclude<KnownStage, 'Dropped'>;

/** L13: the tick of a block that still counts for a transaction received now. */
export function countedInclusion(view: PoolView, hash: string, thresholds: Thresholds): number | null {
  const inclusion = view.inclusion(hash);
  return inclusion !== null && inclusionCounts(inclusion, view.currentTip.tick, thresholds) ? inclusion : null;
}

/** L3, L4. */
export function moveStep(view: PoolView, verb: MoveVerb, hashes: readonly string[]): Step<string[]> {
  return eachStep(view, hashes, (txState) => planMove(verb, txState, view.currentTip.tick));
}

/** L10. */
export function dropStep(view: PoolView, hashes: readonly string[], reason: string): Step<string[]> {
  return eachStep(view, hashes, (txState) => planDrop(txState, reason, view.currentTip.tick));
}

function eachStep(
  view: PoolView,
  hashes: readonly string[],
  plan: (txState: TxState) => Change | null,
): Step<string[]> {
  const changes = txStates(view, hashes)
    .map(plan)
    .filter((change) => change !== null);
  const moved = changes.map(({ after }) => after.hash);
  return stepOf(view, moved, bySeq(changes));
}

/**
 * What a block or an undoing comes to before its transactions are looked at: an answer, or what happens to the chain.
 */
export type ChainPlan<Outcome> =
  | { readonly answer: Outcome }
  | {
      readonly chain: ChainStep;
      readonly events: BlockEvent[];
      readonly changes: Change[];
      readonly clamped: TxState[];
    };

/** L5, L6, X3. */
export function planConfirm(view: PoolView, block: CheckedBlock): ChainPlan<ConfirmOutcome> {
  const { currentTip: tip } = view;
  const { point, parent, seen, unseen, thresholds } = block;
  if (view.tickOf(point) !== null) return { answer: { kind: 'duplicate', tip } };
  if (tip.point !== null && parent !== null && parent !== tip.point.hash) return { answer: { kind: 'gap', tip } };
  const tick = tip.tick + 1;
  const touched = {
    seen: txStates(view, seen),
    unseen: txStates(view, unseen),
    aged: view.aged(finalizableTick(tick, thresholds), droppableTick(tick, thresholds)),
  };
  const changes = planBlock(touched, tick, thresholds);
  const floor = keptFrom(tick, view.maxRollback, view.floor);
  const events: BlockEvent[] = [{ kind: 'block', eventSeq: view.lastEventSeq + 1, action: 'applied', point, tick }];
  return { chain: { kind: 'applied', tick, floor, point, seen, unseen }, events, changes, clamped: [] };
}

export function confirmStep(view: PoolView, block: CheckedBlock): Step<ConfirmOutcome> {
  const plan = planConfirm(view, block);
  if ('answer' in plan) return stepOf(view, plan.answer, []);
  const tip = { point: { ...block.point }, tick: plan.chain.tick };
  return stepOf(view, appliedOutcome(plan.changes, tip), plan.changes, plan);
}

/** L9. */
export function planUndo(view: PoolView, point: ChainPoint | null): ChainPlan<RollbackOutcome> {
  const { currentTip: tip, floor } = view;
  const target = point === null ? floor - 1 : view.tickOf(point);
  if (target === null) return { answer: { kind: 'unknown-point', tip, oldest: view.pointAt(floor) } };
  if (target === tip.tick) return { answer: { kind: 'unchanged', tip } };
  const changes = planRollback(view.confirmedAfter(target), tip.tick, target);
  const clamped = Array.from(view.waitingAfter(target), (txState) => clampTick(txState, target));
  return { chain: { kind: 'undone', tick: target }, events: undoneEvents(view, target), changes, clamped };
}

export function rollbackStep(view: PoolView, point: ChainPoint | null): Step<RollbackOutcome> {
  const plan = planUndo(view, point);
  if ('answer' in plan) return stepOf(view, plan.answer, []);
  return stepOf(view, undoneOutcome(view, point, plan.chain.tick, plan.changes.length), plan.changes, plan);
}

export function undoneOutcome(
  view: PoolView,
  point: ChainPoint | null,
  tick: number,
  returned: number,
): RollbackOutcome {
  return { kind: 'rolled-back', tip: { point, tick }, undone: view.currentTip.tick - tick, returned };
}

function undoneEvents(view: PoolView, target: number): BlockEvent[] {
  const events: BlockEvent[] = [];
  for (let tick = view.currentTip.tick; tick > target; tick--) {
    const point = view.pointAt(tick);
    // Every block undone is told (E1): one that cannot be is not undone.
    if (point === null) throw damaged('chain point');
    const eventSeq = view.lastEventSeq + events.length + 1;
    events.push({ kind: 'block', eventSeq, action: 'undone', point, tick });
  }
  return events;
}

function txStates(view: PoolView, hashes: readonly string[]): TxState[] {
  return hashes.map((hash) => view.txState(hash)).filter((txState) => txState !== null);
}

export interface StepParts {
  /** One per change, where payloads come with them. */
  readonly bodies?: readonly (Transaction | null)[];
  readonly events?: readonly BlockEvent[];
  /** Lives with a lowered tick: no events. */
  readonly clamped?: readonly TxState[];
  readonly chain?: ChainStep;
}

/** The step of these changes, which are by seq: events and log entries follow from them. */
export function stepOf<Outcome>(
  view: PoolView,
  outcome: Outcome,
  changes: readonly Change[],
  { bodies = [], events = [], clamped = [], chain }: StepParts = {},
): Step<Outcome> {
  const all: StoreEvent[] = [...events];
  const writes: Write[] = [];
  let { lastEventSeq } = view;
  lastEventSeq += events.length;
  for (const change of changes) {
    const { after } = change;
    const point = pointOf(view, after, chain);
    all.push(changeEvent(++lastEventSeq, change, point));
    writes.push({ after, point, body: bodies[writes.length] ?? null });
  }
  for (const after of clamped) writes.push({ after, point: null, body: null });
  return { outcome, writes, events: all, chain: chain ?? null, operation: null };
}

/** E1: the confirming block, which may be the one that this step applies, or too old to be kept. */
function pointOf(view: PoolView, { hash, stage, tick }: TxState, chain?: ChainStep): ChainPoint | null {
  if (stage !== 'Confirmed' && stage !== 'Finalized') return null;
  if (chain?.kind === 'applied' && chain.tick === tick) return chain.point;
  return view.pointAt(tick) ?? view.confirmedAt(hash);
}
