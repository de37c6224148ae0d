import type { MempoolConfig, WatcherEvent } from 'mempool-core';
import type { ElectionEvent } from 'mempool-election';

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
  /** Usually one; the calls of `Node` are about the first. */
  readonly elections: readonly ElectionSetup[];
  /** A watcher joins the first election, the pool and the chain that `grow` feeds. */
  readonly watcher: boolean;
  /** Whether the node writes the pool's block events down too: all nodes must see the same ones. */
  readonly recordsEvents: boolean;
}

/** To a node: calls a method of its `Node`. */
export interface Call {
  readonly id: number;
  readonly name: string;
  readonly args: readonly unknown[];
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
