import { MempoolError } from 'mempool-core';

/** A row as it was read, before its values are checked. */
export type Row = Readonly<Record<string, unknown>>;

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

export function isBytes(value: unknown, min: number, max: number): value is Uint8Array {
  return value instanceof Uint8Array && value.length >= min && value.length <= max;
}

/** Returns the error for stored values that do not pass these checks, `ERR_MEMPOOL_CORRUPT`. */
export function damaged(what: string): MempoolError {
  return new MempoolError('ERR_MEMPOOL_CORRUPT', `the stored ${what} is damaged`);
}
