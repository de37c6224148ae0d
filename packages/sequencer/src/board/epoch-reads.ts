import type { DropReason, LogEntry, Mempool, StoredTransaction } from 'mempool-core';
import { readStored } from '../codec/message.ts';
import type { EpochRecord } from '../contract/epoch.ts';
import type { EpochGap } from '../rules/gaps.ts';
import { phaseAliases } from '../rules/phases.ts';
import { Epochs } from '../store/epochs.ts';
import type { EpochBoard } from './epoch-board.ts';
import { type ShownSubmissions, shownCounts } from './epoch-views.ts';
import { onPoolOf } from './row-reader.ts';

/** The record of an epoch, the present numbers of its pool, and its counts. */
export interface EpochStatus extends EpochRecord {
  readonly alias: string;
  /** `null`: it is too old to be counted, or was not read yet. */
  readonly submissions: ShownSubmissions | null;
  readonly batches: readonly string[];
  readonly included: readonly string[] | null;
  readonly gaps: readonly EpochGap[];
  readonly pool: {
    readonly pending: number;
    readonly propagated: number;
    readonly acknowledged: number;
    readonly confirmed: number;
    /** Entries of the log of the final ones that are kept. */
    readonly logged: number;
  };
}

/** One submission in a list. */
interface ShownSubmission {
  readonly hash: string;
  readonly stage: string;
  readonly reason: DropReason | null;
  /** From the envelope; `null` if it cannot be read. */
  readonly slot: number | null;
  readonly peer: string | null;
  /** When a gateway took it, by its clock. */
  readonly at: number | null;
  readonly project: string | null;
  readonly cid: string | null;
}

/** A page of submissions; `next` is `null` after the last one. */
export interface SubmissionPage {
  readonly items: readonly ShownSubmission[];
  readonly next: string | null;
}

export interface PageRange {
  readonly limit: number;
  /** The `next` of the page before. */
  readonly after: string | null;
}

/** Reads from the store at the time of the request; `null`: there is no such epoch. */
export async function epochStatus(board: EpochBoard, epoch: number): Promise<EpochStatus | null> {
  return onKnown(board, epoch, async (record, mempool) => {
    const { pending, propagated, acknowledged, confirmed, logged } = await mempool.usage();
    const row = board.rows().find((each) => each.epoch === epoch);
    return {
      ...record,
      alias: phaseAliases[record.phase],
      submissions: row === undefined ? null : shownCounts(row.counts),
      batches: row?.batches ?? [],
      included: row?.included ?? null,
      gaps: board.gapsOf(record),
      pool: { pending, propagated, acknowledged, confirmed, logged },
    };
  });
}

async function onKnown<T>(
  { namespace }: EpochBoard,
  epoch: number,
  work: (record: EpochRecord, pool: Mempool) => Promise<T>,
): Promise<T | null> {
  const record = await new Epochs(namespace).find(epoch);
  return record === null ? null : onPoolOf(namespace, record, (pool) => work(record, pool));
}

/** The lists of a pool, in the order in which a submission goes through them. */
const lists = ['pending', 'inflight', 'final'] as const;
type List = (typeof lists)[number];

/** A place in one of the lists; `null`: this is none. */
export function submissionPlace(after: string): { readonly list: List; readonly from: string } | null {
  const [, name, from] = /^(pending|inflight|final):(.{1,180})$/.exec(after) ?? [];
  const list = lists.find((each) => each === name);
  return list === undefined || from === undefined ? null : { list, from };
}

/**
 * A page of an epoch's submissions: the waiting ones, the checked or counted ones, the final ones. One that goes on meanwhile
 * may be there twice, or not at all. `null`: there is no such epoch.
 */
export function epochSubmissions(board: EpochBoard, epoch: number, range: PageRange): Promise<SubmissionPage | null> {
  const place = range.after === null ? null : submissionPlace(range.after);
  return onKnown(board, epoch, async (_, pool) => {
    let from = place?.from;
    for (const list of lists.slice(place === null ? 0 : lists.indexOf(place.list))) {
      const { items, next } = await pages[list](pool, range.limit, from);
      if (items.length > 0)
        return { items: items.map(shownSubmission), next: next === null ? null : `${list}:${next}` };
      from = undefined;
    }
    return { items: [], next: null };
  });
}

interface RawPage {
  readonly items: readonly (StoredTransaction | LogEntry)[];
  readonly next: string | null;
}

const pages: Readonly<Record<List, (pool: Mempool, limit: number, after?: string) => Promise<RawPage>>> = {
  pending: async (pool, limit, after) => livePage(await pool.peekPending({ limit, after })),
  inflight: async (pool, limit, after) => livePage(await pool.peekInflight({ limit, after })),
  final: async (pool, limit, cursor) => {
    const { entries, hasMore, cursor: next } = await pool.dumpFinalized({ cursor, limit });
    return { items: entries, next: hasMore ? next : null };
  },
};

function livePage(page: { readonly transactions: readonly StoredTransaction[]; readonly next: string }): RawPage {
  return { items: page.transactions, next: page.next };
}

function shownSubmission(found: StoredTransaction | LogEntry): ShownSubmission {
  const { hash, stage, payload } = found;
  const submission = readStored(payload);
  return {
    hash,
    stage,
    reason: 'reason' in found ? found.reason : null,
    slot: submission?.slot ?? null,
    peer: submission?.peer ?? null,
    at: submission?.at ?? null,
    project: submission?.project ?? null,
    cid: submission?.cid ?? null,
  };
}
