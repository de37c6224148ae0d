import { damaged } from '../codec/codec.ts';
import { encodeOutcome } from '../codec/outcome-record.ts';
import type { ClaimContext, WriteContext } from '../contract/call-options.ts';
import type { CheckedBlock } from '../contract/driver.ts';
import { dropCause } from '../contract/drop-reason.ts';
import type { ParkedEvent, ReadyEvent, StepEvent } from '../contract/events.ts';
import type { Lease } from '../contract/lease.ts';
import {
  droppableTick,
  finalizableTick,
  inclusionCounts,
  isInBlock,
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
  /** The time of the last call with events (E5), or 0. It is 0 on a backend whose store sets the time of a call. */
  readonly lastAt: number;
  /** Returns the state of the live record or of the latest log entry; `null` if there is neither. */
  txState(hash: string): TxState | null;
  /** Returns the id of the claim on a transaction; `null` if there is none. A pool without `take` lacks this method. */
  claimOf?(hash: string): string | null;
  /** Returns the point stored with a Confirmed or Finalized record. */
  confirmedAt(hash: string): ChainPoint | null;
  /** Returns the tick of the first kept block that carried the hash (L13). */
  inclusion(hash: string): number | null;
  /** Returns the point of a tick; `null` if it is not kept. */
  pointAt(tick: number): ChainPoint | null;
  /** Returns the tick of a point; `null` if the point is not kept. */
  tickOf(point: ChainPoint): number | null;
  /** Returns Confirmed transactions with a tick up to `finalizable`, Propagated and Acknowledged ones with one up to `droppable`. */
  aged(finalizable: number, droppable: number): Iterable<TxState>;
  /** Returns Confirmed and Finalized transactions with a greater tick; a Finalized one only if its log entry is the hash's latest. */
  confirmedAfter(tick: number): Iterable<TxState>;
  /** Returns Propagated and Acknowledged transactions with a greater tick. */
  waitingAfter(tick: number): Iterable<TxState>;
  /**
   * Returns up to `limit` Propagated and Acknowledged transactions that were sent before a time: the earliest first, then by
   * seq. It leaves out those whose time of sending is not known (L14).
   */
  sentBefore(ms: number, limit: number): Iterable<TxState>;
}

/** A record to write. If its stage is final, it is also a new entry of the terminal log. */
export interface Write {
  readonly after: TxState;
  readonly point: ChainPoint | null;
  /** The new payload and payload type; `null` if they do not change. */
  readonly body: Transaction | null;
}

/** The change of the kept blocks. */
export type ChainStep =
  | {
      readonly kind: 'applied';
      readonly tick: number;
      /** The first tick that is kept. Points and inclusions of lower ticks are deleted. */
      readonly floor: number;
      readonly point: ChainPoint;
      /** Hashes whose inclusion is stored with this tick, if none is stored yet (L13). */
      readonly seen: readonly string[];
      /** Hashes whose inclusion is deleted. */
      readonly unseen: readonly string[];
    }
  /** Points and inclusions of greater ticks are deleted. */
  | { readonly kind: 'undone'; readonly tick: number };

/** All writes of one call, as one atomic step (X1). It does not depend on the storage of a backend. */
export interface Step<Outcome> {
  readonly outcome: Outcome;
  /** The records to write, ordered by seq, which is the order of new log entries. */
  readonly writes: readonly Write[];
  readonly events: readonly StepEvent[];
  readonly chain: ChainStep | null;
  readonly operation: OperationRecord | null;
  /** The time of the call, to store with its events (E5). It is `null` in a plan until `recorded` completes it. */
  readonly at: number | null;
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

/**
 * Completes a plan. It adds the time of the call by `eventTime` (E5), and the record of the outcome if the call has an
 * operation id (X2).
 */
export function recorded<Outcome>(
  planned: Step<Outcome>,
  verb: string,
  { operationId, digest }: Pick<WriteContext, 'operationId' | 'digest'>,
  at: number | null,
): Step<Outcome> {
  if (operationId === undefined || isOfNothing(verb, planned.outcome)) return { ...planned, at };
  return { ...planned, at, operation: { id: operationId, record: encodeOutcome(verb, planned.outcome, digest) } };
}

/** A call that was given nothing keeps its id free: it only looks whether the id is known. */
function isOfNothing(verb: string, outcome: unknown): boolean {
  return verb === 'receive' && Array.isArray(outcome) && outcome.length === 0;
}

/**
 * Returns the step of `receive` (L1, L2, L13). It receives transactions for which there is room, in order. Duplicates and
 * transactions that the last blocks carried need no room. `room` may be negative.
 */
export function receiveStep(
  view: PoolView,
  transactions: readonly Transaction[],
  thresholds: Thresholds,
  room: number = Number.POSITIVE_INFINITY,
): Step<ReceiveOutcome[]> {
  const fresh = new Set<string>();
  let waiting = 0;
  const changes: Change[] = [];
  const bodies: Transaction[] = [];
  const outcome = transactions.map((body): ReceiveOutcome => {
    const { hash } = body;
    const before = view.txState(hash);
    const seq = view.lastSeq + changes.length + 1;
    const inclusion = countedInclusion(view, hash, thresholds);
    // An unknown one that becomes Pending has no counters: a tip that cannot be read does not matter to it (M2).
    const tick = before === null && inclusion === null ? 0 : view.currentTip.tick;
    const change = planReceive(before, hash, seq, tick, inclusion);
    if (change === null) return { kind: 'duplicate', hash, stage: before?.stage as Duplicate };
    const stage = change.after.stage as 'Pending' | 'Confirmed';
    if (fresh.has(hash)) return { kind: 'duplicate', hash, stage };
    const needed = stage === 'Pending' ? 1 : 0;
    if (waiting + needed > Math.max(0, room)) return { kind: 'full', hash };
    waiting += needed;
    fresh.add(hash);
    changes.push(change);
    bodies.push(body);
    return { kind: 'received', hash, seq, stage };
  });
  return stepOf(view, outcome, changes, { bodies });
}

type Duplicate = Exclude<KnownStage, 'Dropped'>;

/** Returns the tick of a block that carried the hash and still confirms a transaction received now; else `null` (L13). */
export function countedInclusion(view: PoolView, hash: string, thresholds: Thresholds): number | null {
  const inclusion = view.inclusion(hash);
  return inclusion !== null && inclusionCounts(inclusion, view.currentTip.tick, thresholds) ? inclusion : null;
}

/** The options of a `move` or `drop` call (P19, P20, P23). */
export interface MoveGuard {
  readonly claim?: string | undefined;
  /** The time until which transactions that return to Pending are held back. */
  readonly notBefore?: number | undefined;
  /** For a drop in a priority pool: also drop the descendants (P23). */
  readonly descendants?: true | undefined;
  /** For a drop: only those that are Pending with the seq in the same place of this list (M2). */
  readonly pendingSeqs?: readonly number[] | undefined;
}

/** Returns the guard of a call at `nowMs`. A `notBeforeMs` that has come already is ignored. */
export function guardOf({ claim, notBeforeMs }: ClaimContext, nowMs: number): MoveGuard {
  const isAhead = notBeforeMs !== undefined && notBeforeMs > nowMs;
  return { claim, notBefore: isAhead ? notBeforeMs : undefined };
}

/** Returns the hashes that are under the claim, or all if the guard has no claim (P19). */
export function underClaim(
  hashes: readonly string[],
  claim: string | undefined,
  claimOf: ((hash: string) => string | null) | undefined,
): readonly string[] {
  return claim === undefined ? hashes : hashes.filter((hash) => claimOf?.(hash) === claim);
}

/** Returns the hashes that are Pending with the seq in the same place of the list, or all if there is no list (M2). */
export function stillPending(
  hashes: readonly string[],
  seqs: readonly number[] | undefined,
  txState: (hash: string) => TxState | null,
): readonly string[] {
  if (seqs === undefined) return hashes;
  return hashes.filter((hash, i) => {
    const found = txState(hash);
    return found?.stage === 'Pending' && found.seq === seqs[i];
  });
}

/** Returns the step of a verb that moves (L3, L4, L15, P19, P20). */
export function moveStep(
  view: PoolView,
  verb: MoveVerb,
  hashes: readonly string[],
  { claim, notBefore }: MoveGuard = {},
): Step<string[]> {
  const guarded = underClaim(hashes, claim, (hash) => view.claimOf?.(hash) ?? null);
  return eachStep(view, guarded, (txState) => planMove(verb, txState, view.currentTip.tick, { notBefore }));
}

/** Returns the step of `drop` (L10, P19). `reason` is its stored text. */
export function dropStep(
  view: PoolView,
  hashes: readonly string[],
  reason: string,
  { claim, pendingSeqs }: MoveGuard = {},
): Step<string[]> {
  const named = stillPending(hashes, pendingSeqs, (hash) => view.txState(hash));
  const guarded = underClaim(named, claim, (hash) => view.claimOf?.(hash) ?? null);
  return eachStep(view, guarded, (txState) => planDrop(txState, reason, view.currentTip.tick, dropCause(reason)));
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
 * The plan of `confirm` or `rollback`: the outcome if nothing changes, else the changes of the chain and the transactions.
 */
export type ChainPlan<Outcome> =
  | { readonly answer: Outcome }
  | {
      readonly chain: ChainStep;
      readonly events: BlockStep[];
      readonly changes: Change[];
      readonly clamped: TxState[];
    };

/** Plans a block (L5, L6, X3). `lease` is that of the call. */
export function planConfirm(view: PoolView, block: CheckedBlock, lease: Lease | null): ChainPlan<ConfirmOutcome> {
  const { currentTip: tip } = view;
  const { point, seen, unseen, thresholds } = block;
  if (view.tickOf(point) !== null) return { answer: { kind: 'duplicate', tip } };
  if (tip.point !== null && !follows(block, tip.point)) return { answer: { kind: 'gap', tip } };
  const tick = tip.tick + 1;
  const touched = {
    seen: txStates(view, seen),
    unseen: txStates(view, unseen),
    aged: view.aged(finalizableTick(tick, thresholds), droppableTick(tick, thresholds)),
  };
  const changes = planBlock(touched, tick, thresholds);
  const floor = keptFrom(tick, view.maxRollback, view.floor);
  const events = [blockEvent(view.lastEventSeq + 1, 'applied', { point, tick }, lease)];
  return { chain: { kind: 'applied', tick, floor, point, seen, unseen }, events, changes, clamped: [] };
}

/** X3: by its parent; without one by its slot, which two blocks may share. */
function follows({ point, parent }: CheckedBlock, tip: ChainPoint): boolean {
  return parent === null ? point.slot >= tip.slot : parent === tip.hash;
}

/** Returns the step of `confirm`. `lease` is that of the call. */
export function confirmStep(view: PoolView, block: CheckedBlock, lease: Lease | null): Step<ConfirmOutcome> {
  const plan = planConfirm(view, block, lease);
  if ('answer' in plan) return stepOf(view, plan.answer, []);
  const tip = { point: { ...block.point }, tick: plan.chain.tick };
  return stepOf(view, appliedOutcome(plan.changes, tip), plan.changes, plan);
}

/**
 * Plans a rollback to `point`, or to before the first kept block if it is `null` (L9). `lease` is that of the call.
 *
 * @throws `ERR_MEMPOOL_CORRUPT` if a point is damaged
 */
export function planUndo(view: PoolView, point: ChainPoint | null, lease: Lease | null): ChainPlan<RollbackOutcome> {
  const { currentTip: tip, floor } = view;
  const target = point === null ? floor - 1 : view.tickOf(point);
  if (target === null) return { answer: { kind: 'unknown-point', tip, oldest: view.pointAt(floor) } };
  if (target === tip.tick) return { answer: { kind: 'unchanged', tip } };
  const changes = planRollback(view.confirmedAfter(target), tip.tick, target);
  const clamped = Array.from(view.waitingAfter(target), (txState) => clampTick(txState, target));
  return { chain: { kind: 'undone', tick: target }, events: undoneEvents(view, target, lease), changes, clamped };
}

/** Returns the step of `rollback`. `lease` is that of the call. */
export function rollbackStep(view: PoolView, point: ChainPoint | null, lease: Lease | null): Step<RollbackOutcome> {
  const plan = planUndo(view, point, lease);
  if ('answer' in plan) return stepOf(view, plan.answer, []);
  return stepOf(view, undoneOutcome(view, point, plan.chain.tick, plan.changes.length), plan.changes, plan);
}

/** Returns the outcome of a rollback that undid blocks. */
export function undoneOutcome(
  view: PoolView,
  point: ChainPoint | null,
  tick: number,
  returned: number,
): RollbackOutcome {
  return { kind: 'rolled-back', tip: { point, tick }, undone: view.currentTip.tick - tick, returned };
}

type BlockStep = Extract<StepEvent, { kind: 'block' }>;

/** E1: the event names the leader, if the call came with a lease. */
function blockEvent(
  eventSeq: number,
  action: BlockStep['action'],
  { point, tick }: Pick<BlockStep, 'point' | 'tick'>,
  lease: Lease | null,
): BlockStep {
  const { nodeId = null, term = null } = lease ?? {};
  return { kind: 'block', eventSeq, action, point, tick, nodeId, term };
}

function undoneEvents(view: PoolView, target: number, lease: Lease | null): BlockStep[] {
  const events: BlockStep[] = [];
  for (let tick = view.currentTip.tick; tick > target; tick--) {
    const point = view.pointAt(tick);
    // Each undone block needs an event (E1). Without its point there is none, so the rollback fails.
    if (point === null) throw damaged('chain point');
    events.push(blockEvent(view.lastEventSeq + events.length + 1, 'undone', { point, tick }, lease));
  }
  return events;
}

function txStates(view: PoolView, hashes: readonly string[]): TxState[] {
  return hashes.map((hash) => view.txState(hash)).filter((txState) => txState !== null);
}

/** The optional parts of a step. */
export interface StepParts {
  /** The payloads, one element for each change, if the call has any. */
  readonly bodies?: readonly (Transaction | null)[];
  readonly events?: readonly BlockStep[];
  /** States whose tick was lowered or whose hold ended. They make no events. */
  readonly clamped?: readonly TxState[];
  readonly chain?: ChainStep;
  /** The `ready` and `parked` events, which come last (P24). `stepOf` numbers them. */
  readonly places?: readonly PlaceStep[];
}

/** A `ready` or `parked` event before it is numbered. */
export type PlaceStep = Omit<ReadyEvent, 'at' | 'eventSeq'> | Omit<ParkedEvent, 'at' | 'eventSeq'>;

/** Returns the step of these changes, with their events. `changes` must be ordered by seq. */
export function stepOf<Outcome>(
  view: PoolView,
  outcome: Outcome,
  changes: readonly Change[],
  { bodies = [], events = [], clamped = [], chain, places = [] }: StepParts = {},
): Step<Outcome> {
  const all: StepEvent[] = [...events];
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
  for (const place of places) all.push({ ...place, eventSeq: ++lastEventSeq });
  return { outcome, writes, events: all, chain: chain ?? null, operation: null, at: null };
}

/** The confirming block of a state (E1); `null` if it has none. This step may apply that block, or it may be too old for `pointAt`. */
function pointOf(view: PoolView, txState: TxState, chain?: ChainStep): ChainPoint | null {
  if (!isInBlock(txState)) return null;
  const { hash, tick } = txState;
  if (chain?.kind === 'applied' && chain.tick === tick) return chain.point;
  return view.pointAt(tick) ?? view.confirmedAt(hash);
}
