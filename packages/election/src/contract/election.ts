import type { ElectionEvent, ElectionEventKind, ElectionEventOf, ElectionState, LeaderView } from './events.ts';
import type { Leadership } from './leadership.ts';
import type { Member } from './lease.ts';
import type { ElectionMetrics } from './metrics.ts';

/** The work of a leader. It must end soon after `signal` aborts. */
export type LeaderWork<T> = (signal: AbortSignal, term: number, leadership: Leadership) => T | Promise<T>;

/** One node's part in one election, created by `createElection`. The node takes part from `start` to `stop`. */
export interface Election extends AsyncDisposable {
  /** This node's id. */
  readonly id: string;
  /** The election's name. */
  readonly name: string;
  /** What this node does now: follow, campaign or lead. */
  readonly state: ElectionState;
  /** The highest term seen. */
  readonly term: number;
  /** The leader at the last look at the store; `null` if there was none. */
  readonly leader: LeaderView | null;
  /** `null` unless this node leads. */
  readonly leadership: Leadership | null;

  /**
   * Begins to take part. Resolves after the first look at the store. May be called again after `stop`.
   *
   * @throws `ERR_ELECTION_OPTION`, `ERR_ELECTION_REFUSED` or `ERR_ELECTION_UNAVAILABLE` when the store cannot be opened
   */
  start(): Promise<void>;
  /**
   * Stops taking part: aborts the work, waits for it for up to `ttlMs`, releases the lease and closes the store. A second
   * call does nothing more.
   */
  stop(): Promise<void>;
  /**
   * Gives up the leadership, if this node has it: aborts the work, waits for it for up to `ttlMs` and releases the lease. Then
   * this node lets others lead for `ttlMs`.
   */
  resign(): Promise<void>;
  /** Looks at the store now, and campaigns if the lease is free. Resolves with whether this node leads. @throws `ERR_ELECTION_STOPPED` */
  campaign(): Promise<boolean>;
  /**
   * Takes the lease from the leader of this term, even if that leader is live. For callers that know that its work has
   * stopped. Does nothing when the lease has changed hands since. Resolves with whether this node leads.
   *
   * @throws `ERR_ELECTION_OPTION` when `term` is no whole number; `ERR_ELECTION_STOPPED`
   */
  depose(term: number): Promise<boolean>;
  /** Whether this node leads now. Computed from the time that is left of the lease. */
  isLeader(): boolean;
  /**
   * Calls the listener, which may be asynchronous, at every event of this kind. Returns a function that removes it.
   *
   * @throws `ERR_ELECTION_OPTION` naming `kind` or `listener`
   */
  on<K extends ElectionEventKind>(kind: K, listener: (event: ElectionEventOf<K>) => unknown): () => void;
  /** All events from now on. Ends with `signal`, `break` or `stop`. @throws `ERR_ELECTION_OPTION` naming the field */
  events(options?: { readonly signal?: AbortSignal | undefined }): AsyncIterable<ElectionEvent>;
  /** The leader: first the present one, then every change. Ends with `signal`, `break` or `stop`. @throws `ERR_ELECTION_OPTION` */
  observe(options?: { readonly signal?: AbortSignal | undefined }): AsyncIterable<LeaderView | null>;
  /** The nodes that take part, by their heartbeats. @throws `ERR_ELECTION_STOPPED`, `ERR_ELECTION_UNAVAILABLE` */
  members(): Promise<Member[]>;
  /** Counts since the election was created. */
  metrics(): ElectionMetrics;
  /**
   * Waits until this node leads, then runs the work. If the leadership is lost before the work has ended, the work's signal
   * aborts, and the work begins again when this node leads again. Resolves with the result of work that ended while this node
   * led.
   *
   * @throws the work's own error; `ERR_ELECTION_STOPPED` when the election stops; the reason of `signal` when it aborts
   */
  runAsLeader<T>(work: LeaderWork<T>, options?: { readonly signal?: AbortSignal | undefined }): Promise<T>;
}
