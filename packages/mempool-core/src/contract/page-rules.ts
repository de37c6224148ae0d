import type { DamageReport } from './damage.ts';
import { MempoolError } from './errors.ts';

/** The most entries in a page (O6). */
const maxPageEntries = 1_000;
/** A page ends before its payloads exceed this many bytes (O6). */
export const maxPageBytes: number = 8 * 1024 * 1024;
/** Entries in a page if the caller names no limit. */
const defaultPageEntries = 100;

/** A record as read from the store, before its integrity is checked. */
export interface ReadRecord {
  readonly hash: string;
  readonly seq: number;
  readonly payload: Uint8Array;
  /** The number of the entry, if the record is a log entry. */
  readonly logSeq?: number;
}

/** A log entry as read from the store. */
export interface LoggedRecord extends ReadRecord {
  readonly logSeq: number;
}

/** Returns the limit of a page: the given limit clamped to 1–1,000, or the default (O6). */
export function clampLimit(limit: number | undefined): number {
  return Math.min(maxPageEntries, Math.max(1, limit ?? defaultPageEntries));
}

/** A page without the damaged records in its range. */
export interface Cut<R> {
  readonly records: R[];
  /** The last record on the page, damaged or not. */
  readonly last: R | undefined;
}

/**
 * Returns the longest page from the start of `found` (O6, M2). It ends before the record that would exceed `maxPageBytes`. It skips
 * damaged records and reports them.
 */
export function cutPage<R extends ReadRecord>(
  found: Iterable<R>,
  intact: (record: R) => boolean = () => true,
  damage: DamageReport = () => undefined,
): Cut<R> {
  const records: R[] = [];
  let bytes = 0;
  let last: R | undefined;
  for (const record of found) {
    const isIntact = intact(record);
    if (isIntact) bytes += record.payload.length;
    if (bytes > maxPageBytes && records.length > 0) break;
    if (isIntact) records.push(record);
    else damage(record);
    last = record;
  }
  return { records, last };
}

/** Returns the error for a damaged record, `ERR_MEMPOOL_CORRUPT` (M2). */
export function corrupt({ hash, seq, logSeq }: Omit<ReadRecord, 'payload'>): MempoolError {
  const place = logSeq === undefined ? { hash, seq } : { hash, seq, logSeq };
  return new MempoolError('ERR_MEMPOOL_CORRUPT', `the record of ${hash} (seq ${seq}) is damaged`, place);
}
