import { MempoolError } from '../contract/errors.ts';
import type { Transaction } from '../contract/transaction.ts';

const typedArray = Object.getPrototypeOf(Uint8Array.prototype) as object;

/** Returns a built-in getter of typed arrays, which reads the true value even if an array has its own field of that name. */
export function getterOf(name: 'length' | 'buffer'): unknown {
  return Object.getOwnPropertyDescriptor(typedArray, name)?.get;
}

/** The built-in getter of `length`; use it with `lengthOf.call(payload)`. */
export const lengthOf = getterOf('length') as (this: Uint8Array) => number;

/** False if the buffer of the payload was transferred or shrunk. Such an array has length 0 and throws on a read. */
export function isReadable(payload: Uint8Array): boolean {
  if (lengthOf.call(payload) > 0) return true;
  try {
    Uint8Array.prototype.keys.call(payload);
    return true;
  } catch {
    return false;
  }
}

/**
 * Checks that the payloads of a step can be read. Call it before the first change, because a copy that fails later would
 * leave the step incomplete (X1).
 *
 * @throws `ERR_MEMPOOL_INTERNAL` if a buffer was transferred or shrunk after the first check
 */
export function assertWritable(writes: readonly { readonly body: Transaction | null }[]): void {
  for (const { body } of writes) if (body !== null) assertBody(body);
}

function assertBody({ hash, payload }: Transaction): void {
  if (payload.length > 0 || isReadable(payload)) return;
  const message = `the payload of ${hash} cannot be read: its buffer was transferred or shrunk`;
  throw new MempoolError('ERR_MEMPOOL_INTERNAL', message);
}
