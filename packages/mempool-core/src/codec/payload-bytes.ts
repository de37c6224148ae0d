import { MempoolError } from '../contract/errors.ts';
import type { Transaction } from '../contract/transaction.ts';

const typedArray = Object.getPrototypeOf(Uint8Array.prototype) as object;

/** What every typed array answers, whatever an own field of this one says. */
export function getterOf(name: 'length' | 'buffer'): unknown {
  return Object.getOwnPropertyDescriptor(typedArray, name)?.get;
}

export const lengthOf = getterOf('length') as (this: Uint8Array) => number;

/** A buffer that was transferred, or has shrunk, leaves a view of no bytes that throws when it is read. */
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
 * To be called before the first change: copying them later would stop half-way (X1).
 *
 * @throws `ERR_MEMPOOL_INTERNAL` where bytes were given away since they were checked
 */
export function assertReadable(bodies: Iterable<Transaction>): void {
  for (const body of bodies) assertBody(body);
}

/** The same of what a step writes. */
export function assertWritable(writes: readonly { readonly body: Transaction | null }[]): void {
  for (const { body } of writes) if (body !== null) assertBody(body);
}

function assertBody({ hash, payload }: Transaction): void {
  if (payload.length > 0 || isReadable(payload)) return;
  const message = `the payload of ${hash} cannot be read: its buffer was given away`;
  throw new MempoolError('ERR_MEMPOOL_INTERNAL', message);
}
