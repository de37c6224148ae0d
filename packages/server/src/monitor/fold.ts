import type { DropReason, LaggedEvent, LiveStage, MempoolEvent, Stage, TransactionEvent, Usage } from 'mempool-core';
import { readCursor, reasonText } from 'mempool-core/backend';
import { type Bucket, bucketAt, type Counts, noCounts, type SeriesName, seriesNames, seriesRules } from './bucket.ts';
import { boundOf } from './histogram.ts';

/** The numbers of a pool: the result of `fold` on its events up to `cursor`. They do not depend on a clock. */
export interface Fold {
  cursor: string;
  /** The number of the last event that was counted or lost; 0 before the first. */
  seq: number;
  /** The latest `at` of the events. */
  at: number | null;
  /**
   * Events that nobody counted, because the pool no longer had them: the times of the last event before them (0: none) and of
   * the first one after them (`null`: none yet). The totals count from there on.
   */
  lost: { readonly from: number; to: number | null } | null;
  /** Number of transactions in each live stage. */
  live: Record<LiveStage, number>;
  /** True if events were lost and `live` is wrong until the pool's own counts are set. */
  needsCounts: boolean;
  totals: Counts;
  readonly series: Readonly<Record<SeriesName, Bucket[]>>;
}

const maxAppReasons = 16;
const maxAppReasonLength = 64;

/** Returns the numbers before the first event. */
export function freshFold(cursor: string): Fold {
  const live = { Pending: 0, Propagated: 0, Acknowledged: 0, Confirmed: 0 };
  const series = { minutes: [], tenMinutes: [], hours: [] };
  return { cursor, seq: 0, at: null, lost: null, live, needsCounts: false, totals: noCounts(), series };
}

/** Counts one event. */
export function fold(state: Fold, event: MempoolEvent): void {
  state.cursor = event.cursor;
  if (event.kind === 'lagged') {
    lose(state, event);
    return;
  }
  state.seq = event.eventSeq;
  advance(state, event.at);
  const buckets = openBuckets(state);
  if (event.kind === 'block') for (const each of [state.totals, ...buckets]) each[event.action] += 1;
  if (event.kind === 'transaction') countTransaction(state, buckets, event);
}

/**
 * Sets the counts of live transactions to those of the pool at the fold's cursor. The levels since the end of the loss
 * were relative to an unknown number.
 */
export function setCounts(state: Fold, { pending, propagated, acknowledged, confirmed }: Usage): void {
  const by = pending - state.live.Pending;
  const since = state.lost?.to ?? Number.POSITIVE_INFINITY;
  state.live = { Pending: pending, Propagated: propagated, Acknowledged: acknowledged, Confirmed: confirmed };
  state.needsCounts = false;
  for (const name of seriesNames)
    for (const bucket of state.series[name]) {
      if (bucket.index < Math.floor(since / seriesRules[name].widthMs)) continue;
      bucket.pendingHigh += by;
      bucket.pendingLast += by;
    }
}

function lose(state: Fold, { cursor }: LaggedEvent): void {
  state.seq = readCursor('events', cursor)?.number ?? state.seq;
  state.lost = { from: state.lost?.from ?? state.at ?? 0, to: null };
  state.totals = noCounts();
  state.needsCounts = true;
}

/** A time that fell counts as the latest one, so a closed bucket never changes. */
function advance(state: Fold, at: number): void {
  if (state.at === null || at > state.at) state.at = at;
  if (state.lost !== null) state.lost.to ??= state.at;
}

function countTransaction(state: Fold, buckets: readonly Bucket[], event: TransactionEvent): void {
  const { stage, previous, cause, reason } = event;
  move(state.live, previous.stage, stage);
  const counted = [state.totals, ...buckets];
  if (cause === 'received') for (const each of counted) each.received += 1;
  if (cause === 'rolled-back') for (const each of counted) each.rolledBack += 1;
  if (stage === 'Finalized') {
    for (const each of counted) each.finalized += 1;
    noteFinality(buckets, event);
  }
  const name = stage === 'Dropped' ? nameOf(state.totals.dropped, reason ?? 'damaged') : null;
  if (name !== null) for (const { dropped } of counted) dropped[name] = (dropped[name] ?? 0) + 1;
  notePending(buckets, state.live.Pending);
}

function move(live: Partial<Record<Stage, number>>, from: Stage, to: Stage): void {
  if (live[from] !== undefined) live[from] -= 1;
  if (live[to] !== undefined) live[to] += 1;
}

function noteFinality(buckets: readonly Bucket[], { receivedAt, at }: TransactionEvent): void {
  if (receivedAt === null) return;
  const bound = boundOf(Math.max(0, at - receivedAt));
  for (const { took } of buckets) {
    while (took.length <= bound) took.push(0);
    took[bound] = (took[bound] ?? 0) + 1;
  }
}

/** The application's reasons have names of their own until there are too many. */
function nameOf(dropped: Counts['dropped'], reason: DropReason): string {
  const name = reasonText(reason);
  if (typeof reason === 'string' || dropped[name] !== undefined) return name;
  const known = Object.keys(dropped).filter((each) => each.startsWith('app:'));
  return known.length < maxAppReasons && reason.app.length <= maxAppReasonLength ? name : 'other';
}

function notePending(buckets: readonly Bucket[], pending: number): void {
  for (const bucket of buckets) {
    bucket.pendingLast = pending;
    bucket.pendingHigh = Math.max(bucket.pendingHigh, pending);
  }
}

/** The running bucket of each series. None before the first event with a time. */
function openBuckets({ at, live, series }: Fold): Bucket[] {
  if (at === null) return [];
  return seriesNames.map((name) => bucketAt(series[name], seriesRules[name], at, live.Pending));
}
