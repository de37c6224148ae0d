/** What a leader holds. It goes with every call that only the leader may make, and is checked there for equality. */
export interface Lease {
  readonly nodeId: string;
  /** A UUID, the same from the campaign that was won until the leadership is lost or released. */
  readonly token: string;
  /** Greater than that of every leader before. */
  readonly term: number;
}

/** A lease as its store tells of it. */
export interface HeldLease extends Lease {
  /** Rises with every renewal. */
  readonly seq: number;
  /** Rises with every heartbeat of the holder, which stops when its work stands still. */
  readonly hbSeq: number;
  readonly address: string | null;
  readonly priority: number;
  /** What is left of it by the store's own clock, in milliseconds; `null` where that clock cannot tell. */
  readonly remainingMs: number | null;
}

/** A node that takes part, as its heartbeat told. */
export interface Member {
  readonly nodeId: string;
  readonly address: string | null;
  readonly priority: number;
  /** How long ago its last heartbeat was by the store's clock, in milliseconds. */
  readonly ageMs: number;
  /** Its heartbeat has not expired. */
  readonly alive: boolean;
}

export function sameLease(a: Lease, b: Lease): boolean {
  return a.nodeId === b.nodeId && a.token === b.token && a.term === b.term;
}
