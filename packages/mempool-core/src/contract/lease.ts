/** The lease of the leader of an election. It accompanies calls that only the leader may make (X6). */
export interface Lease {
  readonly nodeId: string;
  /** A UUID. It stays the same from winning the election until the leadership is lost or released. */
  readonly token: string;
  /** A fencing token: greater than the term of every earlier leader. */
  readonly term: number;
}

/** One period of leadership. Any election that offers this interface works with a `Watcher`. */
export interface Leadership {
  readonly lease: Lease;
  /** Aborts when the leadership ends. */
  readonly signal: AbortSignal;
  /** True while the lease is valid, computed from the time since the last renewal was sent. */
  isLeader(): boolean;
  /** Reports that the leader's work makes progress. An election may end a leadership that reports none. */
  reportProgress(): void;
}

/** Gives an in-memory backend access to the live leases of its elections. */
export interface LeaseSource {
  /** Returns the live lease of the election; `null` if there is none. */
  held(election: string): Lease | null;
  /** Renews the live lease, as a renewal by its holder would. */
  extend(election: string): void;
}

/**
 * True if a call that moves the tip must be refused (X6). The given lease must equal the live one in node, token and term.
 * A call without a lease is allowed only if there is no live lease and `demanded` is false.
 */
export function isFenced(held: Lease | null, given: Lease | null, demanded: boolean): boolean {
  if (given === null) return demanded || held !== null;
  return held === null || held.nodeId !== given.nodeId || held.token !== given.token || held.term !== given.term;
}
