import { CborError } from '../bytes/cbor-error.ts';

/** Bytes that are no transaction. `offset` counts from their first byte. */
export class TransactionError extends Error {
  override readonly name = 'TransactionError';
  readonly offset: number;

  constructor(offset: number, message: string, cause?: unknown) {
    super(`not a Cardano transaction: ${message} (byte ${offset})`, cause === undefined ? undefined : { cause });
    this.offset = offset;
  }
}

/** Runs `read`, and makes a fault of the CBOR the one error that callers know. @throws TransactionError */
export function readOrRefuse<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof CborError) throw new TransactionError(error.offset, error.reason, error);
    throw error;
  }
}

/** @throws TransactionError */
export function refuse(offset: number, message: string): never {
  throw new TransactionError(offset, message);
}
