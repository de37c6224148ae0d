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
  /** Of a log entry. */
  readonly logSeq?: number;
}

/** A log entry as read from the store. */
export interface LoggedRecord extends ReadRecord {
  readonly logSeq: number;
}

/** The limit of a page: what the caller asks for, clamped to 1–1,000 (O6). */
export function clampLimit(limit: number | undefined): number {
  return Math.min(maxPageEntries, Math.max(1, limit ?? defaultPageEntries));
}

/** A page, with the damaged records that it passed over. */
export interface Cut<R> {
  readonly records: R[];
  readonly damaged: R[];
  /** The last record on the page, damaged or not. */
  readonly last: R | undefined;
}

/** The longest page that can be returned (O6, M2). It ends before the record that would exceed `maxPageBytes`. */
export function cutPage<R extends ReadRecord>(found: Iterable<R>, intact: (record: R) => boolean): Cut<R> {
  const records: R[] = [];
  const damaged: R[] = [];
  let bytes = 0;
  let last: R | undefined;
  for (const record of found) {
    const isIntact = intact(record);
    if (isIntact) bytes += record.payload.length;
    if (bytes > maxPageBytes && records.length > 0) break;
    (isIntact ? records : damaged).push(record);
    last = record;
  }
  return { records, damaged, last };
}

/** The error for a damaged record (M2). */
export function corrupt({ hash, seq, logSeq }: Omit<ReadRecord, 'payload'>): MempoolError {
  const place = logSeq === undefined ? { hash, seq } : { hash, seq, logSeq };
  return new MempoolError('ERR_MEMPOOL_CORRUPT', `the record of ${hash} (seq ${seq}) is damaged`, place);
}
