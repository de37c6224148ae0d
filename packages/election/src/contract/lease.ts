/** A leader's proof that it leads. Calls that only the leader may make carry it; the store compares all three fields with the live lease. */
export interface Lease {
  readonly nodeId: string;
  /** A UUID of this leadership: set by the campaign that won, and kept until the leadership ends. */
  readonly token: string;
  /** Greater than the term of every leader before. */
  readonly term: number;
}

/** A lease, as the store reports it. */
export interface HeldLease extends Lease {
  /** Rises with every renewal. */
  readonly seq: number;
  /** Rises with every heartbeat of the holder. It stops when the holder's work makes no progress. */
  readonly hbSeq: number;
  readonly address: string | null;
  readonly priority: number;
  /** Time until it expires by the store's clock, in milliseconds; `null` when that clock cannot tell. */
  readonly remainingMs: number | null;
}

/** A node that takes part, by its last heartbeat. */
export interface Member {
  readonly nodeId: string;
  readonly address: string | null;
  readonly priority: number;
  /** Time since its last heartbeat by the store's clock, in milliseconds. */
  readonly ageMs: number;
  /** True until its heartbeat expires. */
  readonly alive: boolean;
}

/** Whether node id, token and term are all equal. */
export function sameLease(a: Lease, b: Lease): boolean {
  return a.nodeId === b.nodeId && a.token === b.token && a.term === b.term;
}
