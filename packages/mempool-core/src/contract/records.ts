import type { Awaitable, ChainContext, ChainOptions, PageQuery, ReadContext } from './call-options.ts';

/** The most bytes of one record's value: 1 MiB (K3). */
export const maxRecordBytes: number = 1024 * 1024;
/** The most bytes of all names and values of a pool's records: 64 MiB (K3). */
export const maxPoolRecordBytes: number = 64 * 1024 * 1024;

/** A record: a small value that an application stores in a pool under a name. */
export interface PoolValue {
  /** Assigned from a counter of the pool, from 1. No two values share a version, even after a deletion (K1). */
  readonly version: number;
  /** The bytes. The caller owns them. */
  readonly value: Uint8Array;
}

/** A record with its name. */
export interface NamedValue extends PoolValue {
  readonly name: string;
}

/** Options of `putRecord`. */
export interface PutOptions extends ChainOptions {
  /**
   * The version that the record must have now; 0 means that it must not exist. Without this option, the call replaces any
   * record of that name (K1).
   */
  readonly version?: number | undefined;
}

/** The outcome of `putRecord`. Only `stored` means that the pool changed. */
export type PutOutcome =
  /**
   * `version` is that of the new value, or 0 after a deletion. Pass it to the next `putRecord` of this name. `at` is the time of
   * the call by the pool's clock, in milliseconds since 1970: no later call has an earlier one (E5).
   */
  | { readonly kind: 'stored'; readonly version: number; readonly at: number }
  /** The record does not have the version that was given. `version` is its present one, or 0 if there is no record. */
  | { readonly kind: 'conflict'; readonly version: number }
  /** The lease is not the live one (K2). Nothing is recorded under an operation id. */
  | { readonly kind: 'fenced' }
  /** The records of the pool would exceed 64 MiB (K3). */
  | { readonly kind: 'full' };

/** Options of `listRecords`. */
export interface RecordQuery extends PageQuery {
  /** The name to start after. A record of that name need not exist. By default, the page starts at the beginning. */
  readonly after?: string | undefined;
}

/** A page of `listRecords`, in the order of the names' UTF-8 bytes. If it is empty, there are no more. */
export interface RecordPage {
  readonly records: readonly NamedValue[];
  /** The last name of this page. Give it as `after` to get the next page. */
  readonly next: string;
}

/** The arguments of `putRecord` after the checks. */
export interface CheckedPut {
  readonly name: string;
  /** The bytes, which the backend owns; `null` deletes the record. */
  readonly value: Uint8Array | null;
  /** The version that the record must have; `null` accepts any. */
  readonly version: number | null;
}

/** The arguments of `listRecords` after the checks. */
export interface CheckedRecordQuery {
  readonly prefix: string;
  /** The name to start after; '' starts at the beginning. */
  readonly after: string;
  readonly limit: number;
}

/** The verbs of a driver for records. A driver without them leaves out all three. */
export interface RecordDriver {
  getRecord(name: string, context: ReadContext): Awaitable<PoolValue | null>;
  putRecord(put: CheckedPut, context: ChainContext): Awaitable<PutOutcome>;
  listRecords(query: CheckedRecordQuery, context: ReadContext): Awaitable<RecordPage>;
}
