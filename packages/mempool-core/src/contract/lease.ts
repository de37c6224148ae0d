/** What the leader of an election holds. It accompanies calls that only the leader may make (X6). */
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
  /** True while the lease is good, computed from the time since the last renewal was sent. */
  isLeader(): boolean;
  /** Reports that the work makes progress. An election may end a leadership whose work does not. */
  reportProgress(): void;
}

/** Tells an in-memory backend which node holds the lease now. */
export interface LeaseSource {
  /** The live lease of the election; `null` if there is none. */
  held(election: string): Lease | null;
  /** Renews the live lease, as a renewal by its holder would. */
  extend(election: string): void;
}

/**
 * True if a call that moves the tip must be refused (X6). The given lease must be the live one: equal node, token and term.
 * A call without a lease passes only if no lease is held and none is demanded.
 */
export function isFenced(held: Lease | null, given: Lease | null, demanded: boolean): boolean {
  if (given === null) return demanded || held !== null;
  return held === null || held.nodeId !== given.nodeId || held.token !== given.token || held.term !== given.term;
}
