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
  /** The present role of this node. */
  readonly state: ElectionState;
  /** The highest term that this node has seen. */
  readonly term: number;
  /** The leader when this node last read the store; `null` if there was none. */
  readonly leader: LeaderView | null;
  /** The present leadership of this node; `null` unless it leads. */
  readonly leadership: Leadership | null;

  /**
   * Starts to take part. Resolves after the first read of the store. May be called again after `stop`.
   *
   * @throws `ERR_ELECTION_OPTION`, `ERR_ELECTION_REFUSED` or `ERR_ELECTION_UNAVAILABLE` when the store cannot be opened
   */
  start(): Promise<void>;
  /**
   * Stops taking part. It aborts the work, waits up to `ttlMs` for it to end, releases the lease and closes the store. A
   * second call does nothing more.
   */
  stop(): Promise<void>;
  /**
   * Gives up the leadership, if this node has it. It aborts the work, waits up to `ttlMs` for it to end and releases the
   * lease. Then this node does not campaign for `ttlMs`, or until another node has led.
   */
  resign(): Promise<void>;
  /**
   * Reads the store now, and campaigns if the lease is free. Returns true if this node leads.
   *
   * @throws `ERR_ELECTION_OPTION` in an observer; `ERR_ELECTION_STOPPED`
   */
  campaign(): Promise<boolean>;
  /**
   * Takes the lease from the leader of this term, even if that leader is live. It is for callers that know that the leader's
   * work has stopped. Does nothing if another node has the lease by then. Returns true if this node leads then.
   *
   * @throws `ERR_ELECTION_OPTION` if `term` is no whole number, or in an observer; `ERR_ELECTION_STOPPED`
   */
  depose(term: number): Promise<boolean>;
  /** True if this node leads now. It is computed from the remaining time of the lease, without a read of the store. */
  isLeader(): boolean;
  /**
   * Calls the listener, which may be asynchronous, at every event of this kind. Returns a function that removes it.
   *
   * @throws `ERR_ELECTION_OPTION` naming `kind` or `listener`
   */
  on<K extends ElectionEventKind>(kind: K, listener: (event: ElectionEventOf<K>) => unknown): () => void;
  /** Iterates over all later events. `signal`, `break` and `stop` end it. @throws `ERR_ELECTION_OPTION` naming the field */
  events(options?: { readonly signal?: AbortSignal | undefined }): AsyncIterable<ElectionEvent>;
  /** Delivers the present leader, then every change. `signal`, `break` and `stop` end it. @throws `ERR_ELECTION_OPTION` */
  observe(options?: { readonly signal?: AbortSignal | undefined }): AsyncIterable<LeaderView | null>;
  /** Returns the nodes that take part, by their heartbeats. @throws `ERR_ELECTION_STOPPED`, `ERR_ELECTION_UNAVAILABLE` */
  members(): Promise<Member[]>;
  /** Returns counters since the election was created. */
  metrics(): ElectionMetrics;
  /**
   * Waits until this node leads, then runs the work. If the leadership is lost before the work has ended, the work's signal
   * aborts, and the work runs again when this node leads again. Returns the result of the run that ended while this node led.
   * An error of the work after the loss is logged.
   *
   * @throws the work's own error; `ERR_ELECTION_OPTION` in an observer; `ERR_ELECTION_STOPPED` if the election stops; the reason of `signal` if it aborts
   */
  runAsLeader<T>(work: LeaderWork<T>, options?: { readonly signal?: AbortSignal | undefined }): Promise<T>;
}
