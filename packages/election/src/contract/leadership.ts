import type { Lease } from './lease.ts';

/** One leadership, from the win to the loss. */
export interface Leadership {
  /** Pass it with every call that only the leader may make. */
  readonly lease: Lease;
  /** Aborts when the leadership is lost or given up, before the event `lost`. */
  readonly signal: AbortSignal;
  /** Computed: true while less than ttl − margin has passed since the winning request, or the last renewal, was sent. */
  isLeader(): boolean;
  /** How long `isLeader` stays true without another renewal, in milliseconds; 0 when the leadership is over. */
  remainingMs(): number;
  /** @throws `ERR_ELECTION_NOT_LEADER` when the leadership is over */
  assertValid(): void;
  /** Reports that the work goes on; see the option `progressTimeoutMs`. */
  reportProgress(): void;
}
