import { type Cause, causes, type KnownStage } from 'mempool-core';
import { addHistogram, percentile } from './histogram.ts';
import { stageCounts } from './stored-totals.ts';
import { minuteRule, reasonNames, type Slot, slotMs, type Tally } from './tally.ts';

/** The average number of events of a kind per second, over the last minute and over the last five minutes. */
export interface Rate {
  readonly perSecond1m: number;
  readonly perSecond5m: number;
}

/** The monitor's numbers at one event of the pool. The totals include all events up to `cursor`. */
export interface Summary {
  /** The `at` of the last event counted, in milliseconds since 1970; `null` before the first event with a time. */
  readonly at: number | null;
  /** The pool's clock when the summary was made, in milliseconds since 1970. Ages and rates are as of that time. */
  readonly now: number;
  /** The position after the last event counted. */
  readonly cursor: string;
  /** For the live stages, the present number of transactions. For Finalized and Dropped, the number of transitions into them. */
  readonly stages: Readonly<Record<KnownStage, number>>;
  /** Number of transactions received. One that is received again after its end counts again. */
  readonly received: number;
  /** Transitions by their cause. */
  readonly causes: Readonly<Record<Cause, number>>;
  /**
   * Drops by reason: a pool reason, `app:` and the application's text, or `other` for texts of the application that are too
   * long or too many. Reasons that did not occur are left out.
   */
  readonly reasons: Readonly<Record<string, number>>;
  readonly blocks: { readonly applied: number; readonly undone: number };
  readonly rates: { readonly received: Rate; readonly finalized: Rate; readonly dropped: Rate };
  /** The time from being received to Finalized, over the last hour. `null` if nothing became Finalized. */
  readonly finality: { readonly count: number; readonly p50Ms: number | null; readonly p95Ms: number | null };
  /** The time from which the totals lack events, in milliseconds since 1970; 0 for the beginning; `null` if they lack none. */
  readonly incompleteSince: number | null;
  /** How many events the totals lack. */
  readonly missed: number;
  /** The `at` of the last saved state; `null` if none is saved yet. It does not advance while the store accepts no writes. */
  readonly savedAt: number | null;
}

const finalityWindowMs = 3_600_000;

/** Returns the summary of a tally. `now` is the pool's clock, for rates and other numbers of a recent time. */
export function summaryOf(tally: Tally, savedAt: number | null, now: number): Summary {
  const { at, cursor, applied, undone, incompleteSince, missed } = tally;
  const byCause = causes.map((cause, i) => [cause, tally.causes[i] ?? 0] as const);
  const names = reasonNames(tally);
  const byReason = tally.dropped.map((count, code) => [names[code] ?? 'other', count] as const);
  const rate = (of: (slot: Slot) => number): Rate => ({
    perSecond1m: perSecond(tally, now, 60_000, of),
    perSecond5m: perSecond(tally, now, 300_000, of),
  });
  return {
    at,
    now,
    cursor,
    stages: stageCounts(tally),
    received: tally.causes[causes.indexOf('received')] ?? 0,
    causes: Object.fromEntries(byCause) as Record<Cause, number>,
    reasons: Object.fromEntries(byReason.filter(([, count]) => count > 0)),
    blocks: { applied, undone },
    rates: {
      received: rate((slot) => slot.received),
      finalized: rate((slot) => slot.finalized),
      dropped: rate((slot) => slot.dropped),
    },
    finality: recentFinality(tally, now),
    incompleteSince,
    missed,
    savedAt,
  };
}

function recentFinality({ minutes }: Tally, now: number): Summary['finality'] {
  const since = Math.floor((now - finalityWindowMs) / minuteRule.widthMs);
  const counts: number[] = [];
  for (const { index, finality } of minutes.buckets) if (index > since) addHistogram(counts, finality);
  const count = counts.reduce((sum, each) => sum + each, 0);
  return { count, p50Ms: percentile(counts, 0.5), p95Ms: percentile(counts, 0.95) };
}

function perSecond({ slots }: Tally, now: number, windowMs: number, of: (slot: Slot) => number): number {
  const since = Math.floor((now - windowMs) / slotMs);
  const recent = slots.filter(({ index }) => index > since);
  return recent.reduce((sum, slot) => sum + of(slot), 0) / (windowMs / 1_000);
}
