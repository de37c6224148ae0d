import type { DropReason, Mempool, MempoolEvent, Stage, TransactionEvent, Usage } from 'mempool-core';

/** How many submissions of an epoch are where, at one place in the events of its pool. */
export interface SubmissionCounts {
  /** The place in the events. */
  readonly cursor: string;
  /** All that were stored; a duplicate is not stored. */
  readonly received: number;
  /** Not taken by a dequeuer. */
  readonly pending: number;
  /** A dequeuer has them. */
  readonly checking: number;
  /** Checked and counted, final ones included. */
  readonly counted: number;
  /** The counted ones that are final on the chain. */
  readonly finalized: number;
  /** Refused, by reason. */
  readonly dropped: Readonly<Record<string, number>>;
  /** Events that the pool trimmed before any server counted them: the reasons of that time are `unknown`. */
  readonly missed: number;
}

/** Before the first event. */
export const noSubmissions: SubmissionCounts = {
  cursor: 'origin',
  ...{ received: 0, pending: 0, checking: 0, counted: 0, finalized: 0 },
  dropped: {},
  missed: 0,
};

/** The most reasons that are counted by name; further ones count as `other`. */
const maxReasons = 16;

type Field = 'pending' | 'checking' | 'counted' | 'finalized';

/** The count that a stage belongs to. */
const fields: Readonly<Record<Stage, readonly Field[]>> = {
  Pending: ['pending'],
  Propagated: ['checking'],
  Acknowledged: ['counted'],
  Confirmed: ['counted'],
  Finalized: ['counted', 'finalized'],
  Dropped: [],
  Unknown: [],
};

/** Counts one event that follows the place of the counts. */
function counted(counts: SubmissionCounts, event: MempoolEvent): SubmissionCounts {
  const { cursor } = event;
  if (event.kind === 'lagged') {
    // The pool was created again, or went back with its store: the old counts are void.
    if (event.restarted) return { ...noSubmissions, cursor, missed: event.missed };
    return event.missed === 0 ? noSubmissions : { ...counts, cursor, missed: counts.missed + event.missed };
  }
  return event.kind === 'transaction' ? { ...moved(counts, event), cursor } : { ...counts, cursor };
}

function moved(counts: SubmissionCounts, { previous, stage, cause, reason }: TransactionEvent): SubmissionCounts {
  const next: { -readonly [K in keyof SubmissionCounts]: SubmissionCounts[K] } = { ...counts };
  if (cause === 'received') next.received += 1;
  for (const field of fields[previous.stage]) next[field] -= 1;
  for (const field of fields[stage]) next[field] += 1;
  if (stage === 'Dropped') next.dropped = withReason(counts.dropped, reason);
  return next;
}

function withReason(dropped: SubmissionCounts['dropped'], reason: DropReason | null): SubmissionCounts['dropped'] {
  const text = typeof reason === 'object' ? (reason?.app ?? 'unknown') : reason;
  const isKnown = Object.hasOwn(dropped, text) || Object.keys(dropped).length < maxReasons;
  const name = isKnown ? text.slice(0, 64) : 'other';
  return { ...dropped, [name]: (Object.hasOwn(dropped, name) ? (dropped[name] ?? 0) : 0) + 1 };
}

/** The pool's own numbers replace the lost events; a transaction without a known reason was dropped. */
function corrected(counts: SubmissionCounts, usage: Usage): SubmissionCounts {
  if (counts.missed === 0) return counts;
  const { pending, propagated: checking, acknowledged, confirmed, lastSeq: received } = usage;
  const { unknown: _, ...dropped } = counts.dropped;
  const known = Object.values(dropped).reduce((sum, each) => sum + each, 0);
  const inPool = acknowledged + confirmed + counts.finalized;
  const unknown = Math.max(0, received - pending - checking - inPool - known);
  return { ...counts, received, pending, checking, counted: inPool, dropped: { ...dropped, unknown } };
}

/** Counts the events from the place of the counts up to now. */
export async function countedUpToNow(
  pool: Pick<Mempool, 'usage' | 'subscribe'>,
  before: SubmissionCounts,
  signal: AbortSignal,
): Promise<SubmissionCounts> {
  const usage = await pool.usage({ signal });
  const { events: end } = usage.cursors;
  if (usage.lastEventSeq === 0 && before.cursor === 'origin') return before;
  let counts = before;
  if (counts.cursor !== end)
    for await (const event of await pool.subscribe({ after: counts.cursor, signal })) {
      // A stream from the beginning does not report the events trimmed before it.
      if (counts.cursor === 'origin' && event.kind !== 'lagged') counts = { ...counts, missed: event.eventSeq - 1 };
      counts = counted(counts, event);
      // Newer events are counted next time: these are the numbers of `usage`.
      if (counts.cursor === end || counts.cursor === 'origin') break;
      if (event.kind !== 'lagged' && event.eventSeq >= usage.lastEventSeq) break;
    }
  return corrected(counts, usage);
}
