import { MempoolError } from './errors.ts';

/** O6: entries in a page at the most. */
export const maxPageEntries = 1_000;
/** O6: payload bytes after which a page ends. */
export const maxPageBytes: number = 8 * 1024 * 1024;
export const defaultPageEntries = 100;

/** A record as read back, before it is trusted. */
export interface ReadRecord {
  readonly hash: string;
  readonly seq: number;
  readonly payload: Uint8Array;
  /** For log entries. */
  readonly logSeq?: number;
}

/** O6: a limit asked for, clamped. */
export function clampLimit(limit: number | undefined): number {
  return Math.min(maxPageEntries, Math.max(1, limit ?? defaultPageEntries));
}

/**
 * Where a page ends (O6, M2): at the first entry that would pass `maxPageBytes`, or before a damaged one, so that all that
 * can be read is read; a page that would begin with a damaged entry is refused.
 *
 * @throws `ERR_MEMPOOL_CORRUPT` naming the hash and seq of the first entry when that one is damaged.
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
