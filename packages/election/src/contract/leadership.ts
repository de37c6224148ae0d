import type { Lease } from './lease.ts';

/** One time of leading, from the win to the loss. */
export interface Leadership {
  readonly lease: Lease;
  /** Aborts when the leadership is lost or given up, before anybody is told `lost`. */
  readonly signal: AbortSignal;
  /** Computed: whether less than ttl − margin has passed since the winning request, or the last renewal, was sent. */
  isLeader(): boolean;
  /** How long `isLeader` stays true without another renewal, in milliseconds; 0 when it is over. */
  remainingMs(): number;
  /** @throws `ERR_ELECTION_NOT_LEADER` */
  assertValid(): void;
  /** Says that the work goes on; see `progressTimeoutMs`. */
  reportProgress(): void;
}
