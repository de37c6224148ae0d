import type { Cause, DropReason, LiveStage, Ordering, PoolReason } from 'mempool-core';
import type { TxState } from '../life.ts';
import * as pools from '../pool.ts';
import type { Entry, Limits } from './entry.ts';
import { type Graph, isAway, isBelowFloor, type Member, orderOf, parkedIn } from './graph.ts';

/** The lives of a pool, and what it keeps beside them. */
export interface PriorityState {
  readonly ordering: Ordering;
  readonly pool: pools.PoolState;
  readonly entries: Map<string, Entry>;
  /** With the tick of the block. */
  readonly satisfied: Map<string, number>;
  limits: Limits;
  lastGossipSeq: number;
}

export function emptyState(ordering: Ordering, limits: Limits): PriorityState {
  return { ordering, pool: pools.emptyPool(), entries: new Map(), satisfied: new Map(), limits, lastGossipSeq: 0 };
}

/** `callMs`: the time that the caller gave, or the pool's. */
export interface CallEnd {
  readonly maxFinalized: number;
  readonly nowMs: number;
  readonly callMs: number;
}

type Parked = 'no' | 'waiting' | 'below' | 'held';

export interface BeforeCall {
  readonly pool: pools.Before;
  /** Lives that gossip covers, by seq, and whether their verdict lets them propagate. */
  readonly gossipable: ReadonlyMap<number, boolean>;
  /** All lives that the pool has, by seq, and whether they are parked or held back. */
  readonly parked: ReadonlyMap<number, Parked>;
}

export function lookBefore(state: PriorityState): BeforeCall {
  const graph = graphOf(state);
  const gossipable = new Map(gossipableOf(graph).map(({ seq, verdict }) => [seq, verdict.propagate]));
  const waiting = parkedSeqs(graph);
  const seqs = [...state.entries.keys()].map((hash) => pools.currentLife(state.pool, hash)?.seq ?? 0);
  const parked = new Map(seqs.map((seq): [number, Parked] => [seq, waiting.get(seq) ?? 'no']));
  return { pool: pools.lookBefore(state.pool), gossipable, parked };
}

/**
 * Events, log, gossip numbers and removals, all from the difference between two states. So a hash that was evicted and received
 * again in one call has one event (E1), and no log entry for the life in between.
 */
export function endCall(state: PriorityState, before: BeforeCall, { maxFinalized, nowMs, callMs }: CallEnd): void {
  for (const [hash, entry] of state.entries) if (state.pool.live.get(hash)?.stage !== 'Propagated') entry.claim = null;
  const places = state.ordering === 'fifo' ? [] : placesSince(state, before);
  pools.endCall(state.pool, before.pool, maxFinalized, nowMs, places);
  for (const hash of state.entries.keys())
    if (pools.currentLife(state.pool, hash) === undefined) state.entries.delete(hash);
  forgetTags(state);
  timeParked(state, before, callMs);
  for (const { hash, seq, verdict } of gossipableOf(graphOf(state))) {
    const wasTold = before.gossipable.get(seq);
    if (wasTold === verdict.propagate || wasTold) continue;
    state.lastGossipSeq += 1;
    entryOf(state, hash).gossipSeq = state.lastGossipSeq;
  }
}

/** P24: by seq, those that are parked now and were not, and the ready ones that were parked. */
function placesSince(state: PriorityState, { parked }: BeforeCall): pools.Place[] {
  const waiting = parkedSeqs(graphOf(state));
  const pending = [...state.pool.live.values()].filter(({ stage }) => stage === 'Pending');
  const places = pending.flatMap(({ hash, seq }): pools.Place[] => {
    const isNow = waiting.get(seq);
    const wasParked = (parked.get(seq) ?? 'no') !== 'no';
    if (wasParked === (isNow !== undefined)) return [];
    if (isNow === undefined) return [{ kind: 'ready', hash, seq }];
    return [{ kind: 'parked', hash, seq, reason: reasons[isNow] }];
  });
  return places.sort((a, b) => a.seq - b.seq);
}

/** P22: one that was in the pool before, and that this call parked, or woke and left parked, is parked since this call. */
function timeParked({ pool, ...state }: PriorityState, before: BeforeCall, callMs: number): void {
  const waiting = parkedSeqs(graphOf({ pool, ...state }));
  for (const [hash, entry] of state.entries) {
    const seq = pools.currentLife(pool, hash)?.seq ?? 0;
    const wasParked = before.parked.get(seq);
    if (!waiting.has(seq)) entry.parkedAt = null;
    else if (wasParked === 'no' || (wasParked === 'held' && waiting.get(seq) !== 'held')) entry.parkedAt = callMs;
  }
}

function parkedSeqs(graph: Graph): ReadonlyMap<number, Exclude<Parked, 'no'>> {
  return new Map(parkedIn(graph).map((one) => [one.seq, whyParked(graph, one)]));
}

function whyParked(graph: Graph, one: Member): Exclude<Parked, 'no'> {
  if (one.isHeld) return 'held';
  return isBelowFloor(graph, one) ? 'below' : 'waiting';
}

const reasons = { held: 'held', below: 'below-floor', waiting: 'missing' } as const;

/** Forgets tags of blocks that are no longer kept, if nothing requires the tag and no Finalized transaction of the log provides it. */
function forgetTags({ pool, entries, satisfied }: PriorityState): void {
  const floor = pool.forgotten + 1;
  const asked = new Set([...entries.values()].flatMap(({ verdict }) => verdict.requires));
  for (const [hash, { verdict }] of entries)
    if (pools.currentLife(pool, hash)?.stage === 'Finalized') for (const tag of verdict.provides) asked.add(tag);
  for (const [tag, tick] of satisfied) if (tick < floor && !asked.has(tag)) satisfied.delete(tag);
}

export function satisfy({ satisfied }: PriorityState, tags: readonly string[], tick: number): void {
  for (const tag of tags) satisfied.set(tag, Math.min(tick, satisfied.get(tag) ?? tick));
}

/** The tick of a block that was applied and not undone. */
export function tickOf({ pool }: PriorityState, txState: TxState): number {
  const [block] = txState.confirmedBy;
  return block === undefined ? 0 : pool.chain.lastIndexOf(block) + 1;
}

export function entryOf({ entries }: PriorityState, hash: string): Entry {
  const entry = entries.get(hash);
  if (entry === undefined) throw new Error(`the model has lost ${hash}`);
  return entry;
}

export function isLiving(txState: TxState | undefined): txState is TxState & { readonly stage: LiveStage } {
  return txState !== undefined && txState.stage !== 'Finalized' && txState.stage !== 'Dropped';
}

export function graphOf(state: PriorityState): Graph {
  const txStates = [...state.pool.live.values()].filter(isLiving).sort((a, b) => a.seq - b.seq);
  return {
    members: txStates.map((txState) => memberOf(state, txState)),
    satisfied: new Set(state.satisfied.keys()),
    least: state.limits.minPriority,
  };
}

function memberOf(
  state: PriorityState,
  { hash, seq, stage, notBefore }: TxState & { readonly stage: LiveStage },
): Member {
  const { bytes, verdict } = entryOf(state, hash);
  return { hash, seq, stage, bytes, verdict, isHeld: notBefore !== undefined };
}

/** In flight and ready ones by depth, then seq; what is in flight has no parent to wait for. */
export function gossipableOf(graph: Graph): Member[] {
  const ready = orderOf(graph).filter(({ place }) => place.ready);
  const depths = new Map(ready.map(({ hash, place }) => [hash, place.depth]));
  const depthOf = ({ hash }: Member): number => depths.get(hash) ?? 0;
  const told = graph.members.filter((one) => isAway(one) || depths.has(one.hash));
  return told.sort((a, b) => depthOf(a) - depthOf(b) || a.seq - b.seq);
}

/** A check on an undone block does not count any more, as far as heights show it. */
export function uncheck({ entries }: PriorityState, tick: number, undone: number): void {
  const highest = Math.max(0, ...Array.from(entries.values(), ({ checkedHeight }) => checkedHeight));
  const fork = Math.max(tick, highest - undone);
  for (const entry of entries.values()) if (entry.checkedHeight > fork) entry.checkedHeight = Math.max(0, fork - 1);
}

/** The reason is named like the cause, except in a `drop` call. */
export function drop(txState: TxState, cause: Cause, reason: DropReason = cause as PoolReason): void {
  Object.assign(txState, { stage: 'Dropped', reason, cause, notBefore: undefined });
}
