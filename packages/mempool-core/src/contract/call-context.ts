import type { Lease } from './lease.ts';

export type Awaitable<T> = T | Promise<T>;

export interface ReadContext {
  readonly signal: AbortSignal | undefined;
}

export interface WriteContext extends ReadContext {
  /** Record the outcome under this id in the same step, and answer a repeat from the record (X2). */
  readonly operationId: string | undefined;
}

/** X6: of the verbs that move the tip. */
export interface ChainContext extends WriteContext {
  /** `null` where the call comes without one. */
  readonly lease: Lease | null;
}
