import {
  type BlockEvent,
  causes,
  type DropReason,
  type KnownStage,
  knownStages,
  type LaggedEvent,
  type MempoolEvent,
  type PlaceEvent,
  poolReasons,
  type Stage,
  type TransactionEvent,
  type Usage,
} from 'mempool-core';
import { readCursor } from 'mempool-core/backend';
import {
  type Bucket,
  finalityBoundsMs,
  fromStages,
  type Gap,
  hourRule,
  liveStages,
  maxAppReasonLength,
  maxAppReasons,
  maxGaps,
  maxSlots,
  minuteRule,
  otherReason,
  type Series,
  type SeriesRule,
  type Slot,
  slotMs,
  type Tally,
  timelineLength,
  trailStep,
} from './tally.ts';

const rowOf = indexOf<Stage>(fromStages);
const columnOf = indexOf<KnownStage>(knownStages);
const liveOf = indexOf<Stage>(liveStages);
const causeOf = indexOf<string>(causes);
const reasonOf = indexOf<string>(poolReasons);

/**
 * Counts one event. The tally depends only on the events, not on clocks or saves, so two monitors that read the same events
 * have the same tally. At a `restarted` event, the caller must begin a fresh tally.
 */
export function fold(tally: Tally, event: MempoolEvent): void {
  tally.cursor = event.cursor;
  if (event.kind === 'lagged') lose(tally, event);
  else count(tally, event);
}

/** Sets the counts of live transactions to the pool's own, which must be those at the tally's cursor. */
export function setCounts(tally: Tally, { pending, propagated, acknowledged, confirmed }: Usage): void {
  const counts = [pending, propagated, acknowledged, confirmed];
  // A pool that was restored from a dump has transactions of which no event tells.
  if (tally.lagged === 0 && counts.some((count, i) => count !== tally.live[i])) tally.incompleteSince ??= 0;
  tally.live.splice(0, liveStages.length, ...counts);
  tally.needsCounts = false;
  notePending(tally);
}

/** Whether a Pending transaction is ready or parked moves no number. */
function count(tally: Tally, event: TransactionEvent | BlockEvent | PlaceEvent): void {
  tally.seq = event.eventSeq;
  advance(tally, event.at);
  if (event.kind === 'block') countBlock(tally, event);
  if (event.kind === 'transaction') countTransaction(tally, event);
}

function lose(tally: Tally, { missed, cursor }: LaggedEvent): void {
  const from = tally.at ?? 0;
  tally.seq = readCursor('events', cursor)?.number ?? tally.seq;
  tally.lagged += 1;
  tally.missed += missed;
  tally.incompleteSince ??= from;
  tally.needsCounts = true;
  const last = tally.gaps.at(-1);
  if (last?.to === null) last.missed += missed;
  else addGap(tally, { from, to: null, missed });
}

/** Adds a gap. If there are too many, the two oldest become one. */
export function addGap({ gaps }: Tally, gap: Gap): void {
  if (gap.to === null) gaps.push({ ...gap });
  else gaps.unshift({ ...gap });
  const [first, second] = gaps;
  if (gaps.length <= maxGaps || first === undefined || second === undefined) return;
  const to = first.to === null || second.to === null ? null : Math.max(first.to, second.to);
  gaps.splice(0, 2, { from: Math.min(first.from, second.from), to, missed: first.missed + second.missed });
}

/** A time that fell, after the store lost commits, counts as the latest one: closed buckets never change. */
function advance(tally: Tally, at: number | null): void {
  if (at === null) return;
  const gap = tally.gaps.at(-1);
  if (tally.at === null || at > tally.at) tally.at = at;
  if (gap?.to === null) gap.to = tally.at;
}

function countBlock(tally: Tally, { action }: BlockEvent): void {
  tally[action] += 1;
  for (const bucket of openBuckets(tally)) bucket[action] += 1;
}

function countTransaction(tally: Tally, event: TransactionEvent): void {
  const { stage, previous, cause } = event;
  const buckets = openBuckets(tally);
  const slot = openSlot(tally);
  move(tally, previous.stage, stage);
  bump(tally.causes, causeOf.get(cause) ?? 0);
  if (cause === 'received') raise(buckets, slot, 'received');
  if (cause === 'rolled-back') for (const bucket of buckets) bucket.rolledBack += 1;
  if (stage === 'Finalized') countFinalized(tally, buckets, slot, event);
  if (stage === 'Dropped') countDropped(tally, buckets, slot, event.reason);
  notePending(tally);
  tally.moved += 1;
  if (tally.moved % trailStep !== 0) return;
  tally.trail.push(tally.cursor);
  if (tally.trail.length > timelineLength / trailStep + 1) tally.trail.shift();
}

function move({ live, transitions }: Tally, from: Stage, to: KnownStage): void {
  bump(transitions, (rowOf.get(from) ?? 0) * knownStages.length + (columnOf.get(to) ?? 0));
  const [left, entered] = [liveOf.get(from), liveOf.get(to)];
  if (left !== undefined) bump(live, left, -1);
  if (entered !== undefined) bump(live, entered);
}

function countFinalized(
  tally: Tally,
  buckets: readonly Bucket[],
  slot: Slot | null,
  { receivedAt, at }: TransactionEvent,
): void {
  raise(buckets, slot, 'finalized');
  if (receivedAt === null || at === null) return;
  const tookMs = Math.max(0, at - receivedAt);
  const bound = boundOf(tookMs);
  bump(tally.finality, bound);
  tally.finalitySumMs += tookMs;
  for (const { finality } of buckets) bump(finality, bound);
}

function countDropped(tally: Tally, buckets: readonly Bucket[], slot: Slot | null, reason: DropReason | null): void {
  const code = codeOf(tally, reason);
  bump(tally.dropped, code);
  for (const { dropped } of buckets) bump(dropped, code);
  if (slot !== null) slot.dropped += 1;
}

/** The code of a reason. The application's texts get codes until there are too many. */
function codeOf({ appReasons }: Tally, reason: DropReason | null): number {
  if (reason === null) return otherReason;
  if (typeof reason === 'string') return reasonOf.get(reason) ?? otherReason;
  const known = appReasons.indexOf(reason.app);
  if (known >= 0) return otherReason + 1 + known;
  if (appReasons.length === maxAppReasons || reason.app.length > maxAppReasonLength) return otherReason;
  return otherReason + appReasons.push(reason.app);
}

function raise(buckets: readonly Bucket[], slot: Slot | null, what: 'received' | 'finalized'): void {
  for (const bucket of buckets) bucket[what] += 1;
  if (slot !== null) slot[what] += 1;
}

/** While counts are off after a loss, they may seem negative. */
function notePending(tally: Tally): void {
  const pending = Math.max(0, tally.live[0] ?? 0);
  for (const { buckets } of [tally.minutes, tally.hours]) {
    const bucket = buckets.at(-1);
    if (bucket === undefined) continue;
    bucket.pendingLast = pending;
    if (pending > bucket.pendingHigh) bucket.pendingHigh = pending;
  }
}

/** The minute and the hour of the latest time. None before the first event with a time. */
function openBuckets(tally: Tally): Bucket[] {
  if (tally.at === null) return [];
  return [openBucket(tally, tally.minutes, minuteRule, tally.at), openBucket(tally, tally.hours, hourRule, tally.at)];
}

function openBucket(tally: Tally, { buckets }: Series, { widthMs, keptMs }: SeriesRule, at: number): Bucket {
  const index = Math.floor(at / widthMs);
  const last = buckets.at(-1);
  if (last !== undefined && last.index >= index) return last;
  const pending = Math.max(0, tally.live[0] ?? 0);
  const opened: Bucket = {
    index,
    received: 0,
    finalized: 0,
    rolledBack: 0,
    applied: 0,
    undone: 0,
    pendingHigh: pending,
    pendingLast: pending,
    dropped: [],
    finality: [],
  };
  buckets.push(opened);
  while (((buckets[0]?.index ?? index) + 1) * widthMs <= at - keptMs) buckets.shift();
  while ((tally.gaps[0]?.to ?? at) < at - hourRule.keptMs) tally.gaps.shift();
  return opened;
}

function openSlot(tally: Tally): Slot | null {
  if (tally.at === null) return null;
  const index = Math.floor(tally.at / slotMs);
  const last = tally.slots.at(-1);
  if (last !== undefined && last.index >= index) return last;
  const opened: Slot = { index, received: 0, finalized: 0, dropped: 0 };
  tally.slots.push(opened);
  if (tally.slots.length > maxSlots) tally.slots.shift();
  return opened;
}

function boundOf(tookMs: number): number {
  const bound = finalityBoundsMs.findIndex((each) => tookMs <= each);
  return bound < 0 ? finalityBoundsMs.length : bound;
}

/** Adds to an element of a list, whose end may be missing. */
function bump(list: number[], index: number, by = 1): void {
  while (list.length < index) list.push(0);
  list[index] = (list[index] ?? 0) + by;
}

function indexOf<Word>(words: readonly Word[]): ReadonlyMap<Word, number> {
  return new Map(words.map((word, i) => [word, i]));
}
