import type { ElectionEvent, ElectionEventKind, ElectionEventOf, ElectionState, LeaderView } from './events.ts';
import type { Leadership } from './leadership.ts';
import type { Member } from './lease.ts';
import type { ElectionMetrics } from './metrics.ts';

/** What is done while this node leads; `signal` aborts when it must end. */
export type LeaderWork<T> = (signal: AbortSignal, term: number, leadership: Leadership) => T | Promise<T>;

/** One node's part in one election. Made by `createElection`; it takes part from `start` to `stop`. */
export interface Election extends AsyncDisposable {
  /** This node's id. */
  readonly id: string;
  /** The election's name. */
  readonly name: string;
  readonly state: ElectionState;
  /** The highest term seen. */
  readonly term: number;
  /** Who led at the last look. */
  readonly leader: LeaderView | null;
  /** `null` unless this node leads. */
  readonly leadership: Leadership | null;

  /** Takes part. Resolves after the first look at the store. Again after `stop`: takes part anew. */
  start(): Promise<void>;
  /** Aborts the work, waits for it, releases the lease, frees what it held, then resolves. Twice is fine. */
  stop(): Promise<void>;
  /** Gives the leadership away, if this node has it: aborts the work, waits for it, releases. Others are let first. */
  resign(): Promise<void>;
  /** Looks now, and campaigns if the lease is free. Whether this node leads then. */
  campaign(): Promise<boolean>;
  /**
   * Takes the lease from another node that holds it in this term, live as it may be: for whoever knows that the work of that
   * leader stands still. Nothing where the lease has changed hands since. Whether this node leads then.
   */
  depose(term: number): Promise<boolean>;
  isLeader(): boolean;
  /** Calls the listener, which may be asynchronous, at every event of the kind. Returns what removes it. @throws `ERR_ELECTION_OPTION` */
  on<K extends ElectionEventKind>(kind: K, listener: (event: ElectionEventOf<K>) => unknown): () => void;
  /** Every event from now on. Ends with `signal`, `break` or `stop`. @throws `ERR_ELECTION_OPTION` */
  events(options?: { readonly signal?: AbortSignal | undefined }): AsyncIterable<ElectionEvent>;
  /** Who leads: first as it is now, then every change. Ends with `signal`, `break` or `stop`. @throws `ERR_ELECTION_OPTION` */
  observe(options?: { readonly signal?: AbortSignal | undefined }): AsyncIterable<LeaderView | null>;
  members(): Promise<Member[]>;
  metrics(): ElectionMetrics;
  /**
   * Waits until this node leads, then does the work. If the leadership is lost before the work has ended, its signal aborts,
   * and it is begun anew when this node leads again. Resolves with the result of work that ended as leader; rejects with the
   * work's own error; rejects with `ERR_ELECTION_STOPPED` when the election stops, with the signal's reason when that aborts.
   */
  runAsLeader<T>(work: LeaderWork<T>, options?: { readonly signal?: AbortSignal | undefined }): Promise<T>;
}
