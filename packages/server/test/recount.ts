import type { KnownStage, MempoolEvent, TransactionEvent } from 'mempool-core';
import { reasonText } from 'mempool-core/backend';
import { expect } from 'vitest';
import { statsOf } from '../src/monitor/stats.ts';
import { storedTotals } from '../src/monitor/stored-totals.ts';
import { summaryOf } from '../src/monitor/summary.ts';
import { type Bucket, hourRule, minuteRule, type Tally } from '../src/monitor/tally.ts';

/** What one minute or hour has, by its index. */
export interface RecountedBucket {
  readonly index: number;
  readonly received: number;
  readonly finalized: number;
  readonly dropped: number;
  readonly rolledBack: number;
  readonly applied: number;
  readonly undone: number;
  readonly pendingHigh: number;
  readonly finality: number;
}

/** The totals of a pool's whole history, counted anew from its raw events, in the plainest way. */
export function recount(events: readonly MempoolEvent[]) {
  const moves = events.filter((event): event is TransactionEvent & MempoolEvent => event.kind === 'transaction');
  const stageOf = new Map<string, KnownStage>();
  for (const { hash, stage } of moves) stageOf.set(hash, stage);
  const live = (stage: KnownStage): number => [...stageOf.values()].filter((each) => each === stage).length;
  const blocks = (action: string): number =>
    events.filter((event) => event.kind === 'block' && event.action === action).length;
  const drops = moves.filter(({ stage }) => stage === 'Dropped');
  return {
    received: moves.filter(({ cause }) => cause === 'received').length,
    causes: countBy(moves.map(({ cause }) => cause)),
    stages: {
      Pending: live('Pending'),
      Propagated: live('Propagated'),
      Acknowledged: live('Acknowledged'),
      Confirmed: live('Confirmed'),
      Finalized: moves.filter(({ stage }) => stage === 'Finalized').length,
      Dropped: drops.length,
    },
    transitions: countBy(moves.map(({ previous, stage }) => `${previous.stage} → ${stage}`)),
    reasons: countBy(drops.map(nameOf(drops))),
    blocks: { applied: blocks('applied'), undone: blocks('undone') },
  };
}

/** Counts anew what happened in each minute or hour. */
export function recountBuckets(events: readonly MempoolEvent[], widthMs: number): RecountedBucket[] {
  const buckets = new Map<number, { -readonly [K in keyof RecountedBucket]: number }>();
  const pending = new Set<string>();
  for (const event of events) {
    if (event.kind === 'lagged' || event.at === null) continue;
    const index = Math.floor(event.at / widthMs);
    const none = { received: 0, finalized: 0, dropped: 0, rolledBack: 0, applied: 0, undone: 0, finality: 0 };
    const bucket = buckets.get(index) ?? { index, ...none, pendingHigh: pending.size };
    buckets.set(index, bucket);
    if (event.kind === 'block') {
      bucket[event.action] += 1;
      continue;
    }
    if (event.kind !== 'transaction') continue;
    if (event.stage === 'Pending') pending.add(event.hash);
    else pending.delete(event.hash);
    bucket.pendingHigh = Math.max(bucket.pendingHigh, pending.size);
    if (event.cause === 'received') bucket.received += 1;
    if (event.cause === 'rolled-back') bucket.rolledBack += 1;
    if (event.stage === 'Dropped') bucket.dropped += 1;
    if (event.stage !== 'Finalized') continue;
    bucket.finalized += 1;
    if (event.receivedAt !== null) bucket.finality += 1;
  }
  return [...buckets.values()];
}

/** The totals and all buckets of the tally are those of the events. */
export function assertRecount(tally: Tally, events: readonly MempoolEvent[]): void {
  const { transitions, causes, ...totals } = recount(events);
  const now = tally.at ?? 0;
  const summary = summaryOf(tally, null, now);
  expect(summary).toMatchObject({ ...totals, causes, incompleteSince: null });
  const stored = storedTotals(tally).transitions.map(({ from, to, count }) => [`${from} → ${to}`, count]);
  expect(Object.fromEntries(stored)).toEqual(transitions);
  for (const [{ buckets }, { widthMs, keptMs }] of [
    [tally.minutes, minuteRule],
    [tally.hours, hourRule],
  ] as const) {
    const first = Math.floor((now - keptMs) / widthMs) + 1;
    const recent = recountBuckets(events, widthMs).filter(({ index }) => index >= first);
    expect(buckets.filter(({ index }) => index >= first).map(plainBucket)).toEqual(recent);
  }
  const { received, finalized } = statsOf(tally, { range: '30d' }, now);
  expect(sumOf(received)).toBe(totals.received);
  expect(sumOf(finalized)).toBe(totals.stages.Finalized);
}

function plainBucket({ dropped, finality, pendingLast: _, ...counts }: Bucket): RecountedBucket {
  return { ...counts, dropped: sumOf(dropped), finality: sumOf(finality) };
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

/** The first 16 short texts of the application have names of their own. */
function nameOf(drops: readonly TransactionEvent[]): (event: TransactionEvent) => string {
  const texts = drops.map(({ reason }) => reasonText(reason ?? 'damaged')).filter((text) => text.startsWith('app:'));
  const named = new Set([...new Set(texts.filter((text) => text.length <= 64 + 'app:'.length))].slice(0, 16));
  return ({ reason }) => {
    const text = reasonText(reason ?? 'damaged');
    return text.startsWith('app:') && !named.has(text) ? 'other' : text;
  };
}

function countBy(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}
