/** What the leader of an election holds, as it goes with a call that only the leader may make (X6). */
export interface Lease {
  readonly nodeId: string;
  /** A UUID, the same from the campaign that was won until the leadership is lost or released. */
  readonly token: string;
  /** Greater than that of every leader before. */
  readonly term: number;
}

/** One time of leading, as far as a holder of a pool needs to know it. Any election that offers this will do. */
export interface Leadership {
  readonly lease: Lease;
  /** Aborts when the leadership is lost or given up. */
  readonly signal: AbortSignal;
  /** Computed from the time that has passed since the last renewal was sent. */
  isLeader(): boolean;
  /** Says that the work goes on, for an election that takes the leadership from work that stands still. */
  reportProgress(): void;
}

/** Where a backend in memory learns who holds a lease right now. */
export interface LeaseSource {
  /** The live lease of the election; `null` where nobody holds one. */
  held(election: string): Lease | null;
  /** Begins the live lease's time anew, as its holder's own renewal would. */
  extend(election: string): void;
}

/**
 * X6: whether a block must not be applied. The lease that comes with it has to be the live one itself, not one of the same
 * term or of the same node; without a lease it passes only where none is held and none is demanded.
 */
export function isFenced(held: Lease | null, given: Lease | null, demanded: boolean): boolean {
  if (given === null) return demanded || held !== null;
  return held === null || held.nodeId !== given.nodeId || held.token !== given.token || held.term !== given.term;
}
