import { damaged } from '../codec/codec.ts';
import { encodeOutcome } from '../codec/outcome-record.ts';
import type { ClaimContext, WriteContext } from '../contract/call-options.ts';
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
import type { FifoStep, PoolStep, RecordStep } from '../contract/pool-entry.ts';
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
 * The state of a pool before a call, as the rules read it. A backend with asynchronous reads first loads the states
 * that the call names, and then implements this interface with the loaded data.
 */
export interface PoolView {
  readonly currentTip: Tip;
  /** The first tick whose point is kept. */
  readonly floor: number;
  readonly maxRollback: number;
  readonly lastSeq: number;
  readonly lastEventSeq: number;
  /** The state of the live record or of the latest log entry; `null` if there is neither. */
  txState(hash: string): TxState | null;
  /** The id of the claim on a transaction; `null` if there is none. For a pool that has `take`. */
  claimOf?(hash: string): string | null;
  /** The point stored with a Confirmed or Finalized record. */
  confirmedAt(hash: string): ChainPoint | null;
  /** The tick of the first kept block that carried the hash (L13). */
  inclusion(hash: string): number | null;
  /** The point of a tick; `null` if it is not kept. */
  pointAt(tick: number): ChainPoint | null;
  /** The tick of a point; `null` if the point is not kept. */
  tickOf(point: ChainPoint): number | null;
  /** Confirmed with a tick up to `finalizable`; Propagated and Acknowledged with a tick up to `droppable`. */
  aged(finalizable: number, droppable: number): Iterable<TxState>;
  /** Confirmed and Finalized with a greater tick. Of Finalized, only those in the latest log entry of their hash. */
  confirmedAfter(tick: number): Iterable<TxState>;
  /** Propagated and Acknowledged with a greater tick. */
  waitingAfter(tick: number): Iterable<TxState>;
}

/** A record to write. If its stage is final, it is also a new entry of the terminal log. */
export interface Write {
  readonly after: TxState;
  readonly point: ChainPoint | null;
  /** `null`: payload and payload type do not change. */
  readonly body: Transaction | null;
}

/** The change of the kept blocks. */
export type ChainStep =
  | {
      readonly kind: 'applied';
      readonly tick: number;
      /** Points and inclusions of lower ticks are deleted. */
      readonly floor: number;
      readonly point: ChainPoint;
      /** Hashes whose inclusion is stored with this tick, unless one is stored already (L13). */
      readonly seen: readonly string[];
      /** Hashes whose inclusion is deleted. */
      readonly unseen: readonly string[];
    }
  /** Points and inclusions of greater ticks are deleted. */
  | { readonly kind: 'undone'; readonly tick: number };

/** All writes of one call, as one atomic step (X1). It does not depend on the storage of a backend. */
export interface Step<Outcome> {
  readonly outcome: Outcome;
  /** Ordered by seq, which is the order of new log entries. */
  readonly writes: readonly Write[];
  readonly events: readonly StoreEvent[];
  readonly chain: ChainStep | null;
  readonly operation: OperationRecord | null;
  /** Changes that only a priority pool has. */
  readonly pool?: PoolStep | null;
  /** Changes of `take` and `setLimits` in a fifo pool. */
  readonly fifo?: FifoStep | null;
  /** The change of a record. */
  readonly record?: RecordStep | null;
}

/** The outcome of a call, stored under its operation id (X2). It is encoded, so that no caller can change it. */
export interface OperationRecord {
  readonly id: string;
  readonly record: Uint8Array;
}

/** Adds the record of the outcome to the step if the caller gave an operation id (X2). */
export function recorded<Outcome>(
  planned: Step<Outcome>,
  verb: string,
  { operationId, digest }: Pick<WriteContext, 'operationId' | 'digest'>,
): Step<Outcome> {
  if (operationId === undefined) return planned;
  return { ...planned, operation: { id: operationId, record: encodeOutcome(verb, planned.outcome, digest) } };
}

/** The step of `receive` (L1, L2, L13). */
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

/** The tick of a block that carried the hash and still confirms a transaction received now; else `null` (L13). */
export function countedInclusion(view: PoolView, hash: string, thresholds: Thresholds): number | null {
  const inclusion = view.inclusion(hash);
  return inclusion !== null && inclusionCounts(inclusion, view.currentTip.tick, thresholds) ? inclusion : null;
}

/** What a call of `move` or `drop` is bound to (P19, P20). */
export interface MoveGuard {
  readonly claim?: string | undefined;
  /** Hold what returns to Pending back until this time. */
  readonly notBefore?: number | undefined;
}

/** The guard of a call that is made at `nowMs`. A time that has come holds nothing back. */
export function guardOf({ claim, notBeforeMs }: ClaimContext, nowMs: number): MoveGuard {
  const isAhead = notBeforeMs !== undefined && notBeforeMs > nowMs;
  return { claim, notBefore: isAhead ? notBeforeMs : undefined };
}

/** P19: the hashes that are under the claim, or all if there is no guard. */
export function underClaim(
  hashes: readonly string[],
  claim: string | undefined,
  claimOf: ((hash: string) => string | null) | undefined,
): readonly string[] {
  return claim === undefined ? hashes : hashes.filter((hash) => claimOf?.(hash) === claim);
}

/** The step of `markInflight`, `markAcknowledged` or `release` (L3, L4, P19, P20). */
export function moveStep(
  view: PoolView,
  verb: MoveVerb,
  hashes: readonly string[],
  { claim, notBefore }: MoveGuard = {},
): Step<string[]> {
  const guarded = underClaim(hashes, claim, (hash) => view.claimOf?.(hash) ?? null);
  return eachStep(view, guarded, (txState) => planMove(verb, txState, view.currentTip.tick, notBefore));
}

/** The step of `drop` (L10, P19). */
export function dropStep(
  view: PoolView,
  hashes: readonly string[],
  reason: string,
  { claim }: MoveGuard = {},
): Step<string[]> {
  const guarded = underClaim(hashes, claim, (hash) => view.claimOf?.(hash) ?? null);
  return eachStep(view, guarded, (txState) => planDrop(txState, reason, view.currentTip.tick));
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
 * The plan of `confirm` or `rollback`: an answer if nothing changes, else the changes of the chain and the
 * transactions.
 */
export type ChainPlan<Outcome> =
  | { readonly answer: Outcome }
  | {
      readonly chain: ChainStep;
      readonly events: BlockEvent[];
      readonly changes: Change[];
      readonly clamped: TxState[];
    };

/** Plans a block (L5, L6, X3). */
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

/** The step of `confirm`. */
export function confirmStep(view: PoolView, block: CheckedBlock): Step<ConfirmOutcome> {
  const plan = planConfirm(view, block);
  if ('answer' in plan) return stepOf(view, plan.answer, []);
  const tip = { point: { ...block.point }, tick: plan.chain.tick };
  return stepOf(view, appliedOutcome(plan.changes, tip), plan.changes, plan);
}

/**
 * Plans a rollback to `point` (L9). `null`: to before the first kept block.
 *
 * @throws `ERR_MEMPOOL_CORRUPT` if a point is damaged
 */
export function planUndo(view: PoolView, point: ChainPoint | null): ChainPlan<RollbackOutcome> {
  const { currentTip: tip, floor } = view;
  const target = point === null ? floor - 1 : view.tickOf(point);
  if (target === null) return { answer: { kind: 'unknown-point', tip, oldest: view.pointAt(floor) } };
  if (target === tip.tick) return { answer: { kind: 'unchanged', tip } };
  const changes = planRollback(view.confirmedAfter(target), tip.tick, target);
  const clamped = Array.from(view.waitingAfter(target), (txState) => clampTick(txState, target));
  return { chain: { kind: 'undone', tick: target }, events: undoneEvents(view, target), changes, clamped };
}

/** The step of `rollback`. */
export function rollbackStep(view: PoolView, point: ChainPoint | null): Step<RollbackOutcome> {
  const plan = planUndo(view, point);
  if ('answer' in plan) return stepOf(view, plan.answer, []);
  return stepOf(view, undoneOutcome(view, point, plan.chain.tick, plan.changes.length), plan.changes, plan);
}

/** The outcome of a rollback that undid blocks. */
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
    // Each undone block needs an event (E1). Without its point there is none, so the rollback fails.
    if (point === null) throw damaged('chain point');
    const eventSeq = view.lastEventSeq + events.length + 1;
    events.push({ kind: 'block', eventSeq, action: 'undone', point, tick });
  }
  return events;
}

function txStates(view: PoolView, hashes: readonly string[]): TxState[] {
  return hashes.map((hash) => view.txState(hash)).filter((txState) => txState !== null);
}

/** The optional parts of a step. */
export interface StepParts {
  /** One element for each change if the call brings payloads. */
  readonly bodies?: readonly (Transaction | null)[];
  readonly events?: readonly BlockEvent[];
  /** States with a lowered tick, or that are held back no longer. They have no events. */
  readonly clamped?: readonly TxState[];
  readonly chain?: ChainStep;
}

/** Makes the step of these changes, with their events. `changes` must be ordered by seq. */
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

/** The confirming block of a state (E1). This step may apply that block, or it may be too old for `pointAt`. */
function pointOf(view: PoolView, { hash, stage, tick }: TxState, chain?: ChainStep): ChainPoint | null {
  if (stage !== 'Confirmed' && stage !== 'Finalized') return null;
  if (chain?.kind === 'applied' && chain.tick === tick) return chain.point;
  return view.pointAt(tick) ?? view.confirmedAt(hash);
}
