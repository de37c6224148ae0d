import type { ConfirmOutcome, MempoolConfig, SourceStep, Transaction, WatcherEvent } from 'mempool-core';
import type { ElectionEvent, ElectionState, LeaderView, Lease } from 'mempool-election';

/** How one node takes part in the election; what is left out is the election's default. */
export interface ElectionSetup {
  readonly nodeId: string;
  readonly ttlMs: number;
  readonly renewMs?: number;
  readonly heartbeatMs?: number;
  readonly pollMs?: number;
  readonly jitterMs?: number;
  readonly staleHeartbeatMs?: number | false;
  readonly progressTimeoutMs?: number;
  readonly priority?: number;
}

/** The first message to a child process: what it opens. */
export interface NodeSetup {
  /** The file in which every process of a run records what it sees. */
  readonly record: string;
  /** Where the elections find Redis. */
  readonly url: string;
  /** The pool, which the elections belong to. */
  readonly pool: MempoolConfig & { readonly pool: string };
  /** Usually one; the calls below are about the first. */
  readonly elections: readonly ElectionSetup[];
  /** A watcher joins the first election, the pool and the chain that `grow` feeds. */
  readonly watcher: boolean;
  /** Whether the node writes the pool's block events down too: all nodes must see the same ones. */
  readonly recordsEvents: boolean;
}

export interface NodeStatus {
  readonly isLeader: boolean;
  readonly remainingMs: number;
  readonly state: ElectionState;
  readonly term: number;
  readonly leader: LeaderView | null;
  readonly lease: Lease | null;
}

/** What a node found at its first statement after it was stopped and continued. */
export interface Awakening {
  readonly before: boolean;
  readonly after: boolean;
  readonly outcome: ConfirmOutcome;
}

/** What a node can be told to do. */
export interface NodeCalls {
  start(): Promise<void>;
  stop(): Promise<void>;
  resign(): Promise<void>;
  status(): NodeStatus;
  /** Applies block `n` under the lease that this node won last, whether or not it still has it. */
  confirm(n: number): Promise<ConfirmOutcome>;
  /** Stops this process within a statement, as SIGSTOP does; continued, it looks whether it leads and confirms block `n`. */
  sleepThenConfirm(n: number): Promise<Awakening>;
  /** From now on confirms block after block under the lease that was won last, and never asks whether it still leads. */
  confirmOn(): void;
  confirmNoMore(): Promise<void>;
  /** Leads with work that reports progress until it is told to stand still. */
  work(): void;
  standStill(): void;
  /** The next steps of the chain that the watcher follows. */
  grow(steps: readonly SourceStep[]): void;
  /** Takes transactions in, as a node does before a block carries them. The same `id` may be sent to another node too. */
  submit(id: string, transactions: readonly Transaction[]): Promise<void>;
  /** Stops, closes the pool and lets the process end. */
  end(): Promise<void>;
}

export interface Call<K extends keyof NodeCalls = keyof NodeCalls> {
  readonly id: number;
  readonly name: K;
  readonly args: Parameters<NodeCalls[K]>;
}

/** What a node tells of itself. */
export type Told =
  | Exclude<ElectionEvent, { kind: 'election-failed' }>
  | { readonly kind: 'election-failed'; readonly term: number; readonly code: string | null }
  | Exclude<WatcherEvent, { kind: 'failed' }>
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'log'; readonly message: string };

export type ToldKind = Told['kind'];

/** With the time of the host's monotonic clock, which all its processes share. */
export type NodeEvent<K extends ToldKind = ToldKind> = Extract<Told, { readonly kind: K }> & {
  readonly nodeId: string;
  readonly atNs: bigint;
};

export type NodeMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'told'; readonly event: NodeEvent }
  | { readonly kind: 'done'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failed'; readonly id: number; readonly code: string };
