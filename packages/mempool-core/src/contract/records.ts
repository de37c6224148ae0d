import type { Awaitable, ChainContext, ChainOptions, PageQuery, ReadContext, ReadOptions } from './call-options.ts';

/** The most bytes of one record's value: 1 MiB (K3). */
export const maxRecordBytes: number = 1024 * 1024;
/** The most bytes of all names and values of a pool's records: 64 MiB (K3). */
export const maxPoolRecordBytes: number = 64 * 1024 * 1024;

/** A record: a small value that an application keeps under a name, beside the transactions of a pool. */
export interface PoolValue {
  /** From a counter of the pool, at least 1. Each value has another one, also after a deletion (K1). */
  readonly version: number;
  /** Owned by the caller. */
  readonly value: Uint8Array;
}

/** A record with its name. */
export interface NamedValue extends PoolValue {
  readonly name: string;
}

/** Options of `putRecord`. */
export interface PutOptions extends ChainOptions {
  /**
   * The version that the record must have; 0: there must be none. Without it any record of the name is replaced (K1).
   */
  readonly version?: number | undefined;
}

/** What `putRecord` answers. Only `stored` changed the pool. */
export type PutOutcome =
  /** `version`: of the new value; 0 after a deletion. Give it to the next `putRecord` of this name. */
  | { readonly kind: 'stored'; readonly version: number }
  /** The record has another version than the one given. `version` is the present one; 0 if there is no record. */
  | { readonly kind: 'conflict'; readonly version: number }
  /** The lease is not the live one (K2). Nothing is recorded under an operation id. */
  | { readonly kind: 'fenced' }
  /** The records of the pool would exceed 64 MiB (K3). */
  | { readonly kind: 'full' };

/** Options of `listRecords`. */
export interface RecordQuery extends PageQuery {
  /** Start after this name; it need not exist. Default: at the beginning. */
  readonly after?: string | undefined;
}

/** A page of `listRecords`, in the order of the names' UTF-8 bytes. If both lists are empty, there is nothing more. */
export interface RecordPage {
  readonly records: readonly NamedValue[];
  /** The records of this part of the order that are damaged. `putRecord` replaces or deletes them. */
  readonly damaged: readonly { readonly name: string }[];
  /** The last name of this page. Give it as `after` to get the next page. */
  readonly next: string;
}

/** The verbs for records. They have no events and do not touch transactions. */
export interface RecordVerbs {
  /**
   * The record of that name; `null` if there is none (K1).
   *
   * @throws `ERR_MEMPOOL_CORRUPT` if it is damaged; `details.name` is its name (K4)
   */
  getRecord(name: string, options?: ReadOptions): Promise<PoolValue | null>;
  /**
   * Stores the bytes under the name, or deletes the record with `null`, in one step of the pool (K1–K3). A name has 1–256
   * characters, a value at most 1 MiB. With `lease` the call is `fenced` unless that lease is the live one.
   *
   * @example const { kind } = await store.putRecord('nonces/0xa1', bytes, { version }); // 'stored' or 'conflict'
   */
  putRecord(name: string, value: Uint8Array | null, options?: PutOptions): Promise<PutOutcome>;
  /**
   * A page of the records whose name begins with `prefix`, in the order of the names' UTF-8 bytes (K4).
   *
   * @example const { records, next } = await store.listRecords('nonces/', { limit: 500 });
   */
  listRecords(prefix: string, query?: RecordQuery): Promise<RecordPage>;
}

/** The arguments of `putRecord` after the checks. */
export interface CheckedPut {
  readonly name: string;
  /** Owned by the backend; `null`: delete. */
  readonly value: Uint8Array | null;
  /** `null`: whatever there is. */
  readonly version: number | null;
}

/** The arguments of `listRecords` after the checks. */
export interface CheckedRecordQuery {
  readonly prefix: string;
  /** '': from the beginning. */
  readonly after: string;
  readonly limit: number;
}

/** The verbs of a driver for records. A driver without them leaves out all three. */
export interface RecordDriver {
  getRecord(name: string, context: ReadContext): Awaitable<PoolValue | null>;
  putRecord(put: CheckedPut, context: ChainContext): Awaitable<PutOutcome>;
  listRecords(query: CheckedRecordQuery, context: ReadContext): Awaitable<RecordPage>;
}
