import type { Lease } from './lease.ts';

/** A value, or a promise of it: a driver that need not wait answers at once. */
export type Awaitable<T> = T | Promise<T>;

/** What a driver learns of a reading call beside its arguments. */
export interface ReadContext {
  readonly signal: AbortSignal | undefined;
}

/** What a driver learns of a writing call beside its arguments. */
export interface WriteContext extends ReadContext {
  /**
   * If given: record the outcome under this id in the same atomic step, and answer a repeated call from the record
   * (X2).
   */
  readonly operationId: string | undefined;
}

/** What a driver learns of a call that moves the tip (X6). */
export interface ChainContext extends WriteContext {
  /** `null` if the caller gave no lease. */
  readonly lease: Lease | null;
}
