import { invalid } from '../contract/errors.ts';

/** The maximum number of transactions in one call (X1). */
export const maxCallTransactions = 1_000;

/** Returns `value` if it is a safe integer of at least 0. @throws `ERR_MEMPOOL_INVALID` naming the field */
export function checkCount(field: string, value: number): number {
  if (!Number.isSafeInteger(value) || value < 0) throw invalid(field, 'a safe integer of at least 0');
  return value;
}

/**
 * Copies a caller's list. Reads the length once, then each element once, and passes it to `read`, which checks it.
 *
 * @throws `ERR_MEMPOOL_INVALID` naming the field
 */
export function readList<Given, Own>(
  field: string,
  given: readonly Given[],
  { max, what }: { readonly max: number; readonly what: string },
  read: (each: Given, i: number) => Own,
): Own[] {
  if (!Array.isArray(given)) throw invalid(field, `an array of ${what}`);
  const { length } = given;
  if (!Number.isSafeInteger(length) || length < 0 || length > max) throw invalid(field, `at most ${max} ${what}`);
  const own: Own[] = [];
  for (let i = 0; i < length; i++) own.push(read(given[i] as Given, i));
  return own;
}
