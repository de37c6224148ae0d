import { invalid } from '../contract/errors.ts';

/** A safe integer of at least 0. @throws `ERR_MEMPOOL_INVALID` naming the field */
export function checkCount(field: string, value: number): number {
  if (!Number.isSafeInteger(value) || value < 0) throw invalid(field, 'a safe integer of at least 0');
  return value;
}
