/**
 * A leader's proof that it leads. It is an argument of every call that only the leader may make. The store compares all three
 * fields with the live lease.
 */
export interface Lease {
  readonly nodeId: string;
  /** A UUID of this leadership. The winning campaign sets it, and it stays the same until the leadership ends. */
  readonly token: string;
  /** A fencing token, greater than the term of every earlier leader. */
  readonly term: number;
}

/** A live lease, as the store reports it. */
export interface HeldLease extends Lease {
  /** Rises with every renewal. */
  readonly seq: number;
  /** Rises with every heartbeat of the holder. It stops when the holder's work makes no progress. */
  readonly hbSeq: number;
  readonly address: string | null;
  readonly priority: number;
  /** Time until it expires by the store's clock, in milliseconds; `null` if the store does not report it. */
  readonly remainingMs: number | null;
}

/** A node that takes part in an election, with the data of its last heartbeat. */
export interface Member {
  readonly nodeId: string;
  readonly address: string | null;
  readonly priority: number;
  /** Time since its last heartbeat by the store's clock, in milliseconds. */
  readonly ageMs: number;
  /** True until its heartbeat expires. */
  readonly alive: boolean;
}

/** True if node id, token and term are all equal. */
export function sameLease(a: Lease, b: Lease): boolean {
  return a.nodeId === b.nodeId && a.token === b.token && a.term === b.term;
}
