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

/** The limit of a page: what the caller asks for, clamped to 1–1,000 (O6). */
export function clampLimit(limit: number | undefined): number {
  return Math.min(maxPageEntries, Math.max(1, limit ?? defaultPageEntries));
}

/**
 * The longest page that can be returned (O6, M2). It ends before the entry that would exceed `maxPageBytes`, or before a
 * damaged entry. If the first entry is damaged, there is no page.
 *
 * @throws `ERR_MEMPOOL_CORRUPT` naming the hash and seq of the first entry, if that one is damaged
 */
export function cutPage<R extends ReadRecord>(records: Iterable<R>, intact: (record: R) => boolean): R[] {
  const page: R[] = [];
  let bytes = 0;
  for (const record of records) {
    if (!intact(record)) {
      if (page.length === 0) throw corrupt(record);
      break;
    }
    bytes += record.payload.length;
    if (bytes > maxPageBytes && page.length > 0) break;
    page.push(record);
  }
  return page;
}

/** The error for a damaged record (M2). */
export function corrupt({ hash, seq, logSeq }: Omit<ReadRecord, 'payload'>): MempoolError {
  const place = logSeq === undefined ? { hash, seq } : { hash, seq, logSeq };
  return new MempoolError('ERR_MEMPOOL_CORRUPT', `the record of ${hash} (seq ${seq}) is damaged`, place);
}
