import type { Lease } from './lease.ts';

/** One leadership, from the win to the loss. */
export interface Leadership {
  /** The lease to pass with every call that only the leader may make. */
  readonly lease: Lease;
  /** Aborts when the leadership is lost or given up, before the event `lost`. */
  readonly signal: AbortSignal;
  /** True while less than ttl − margin has passed since the winning request, or the last successful renewal, was sent. */
  isLeader(): boolean;
  /** Returns how long `isLeader` stays true without another renewal, in milliseconds; 0 if the leadership is over. */
  remainingMs(): number;
  /** Checks that the leadership is not over. @throws `ERR_ELECTION_NOT_LEADER` if it is */
  assertValid(): void;
  /** Reports that the work makes progress; see the option `progressTimeoutMs`. */
  reportProgress(): void;
}
