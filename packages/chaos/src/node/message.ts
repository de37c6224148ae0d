import type { MempoolConfig, WatcherEvent } from 'mempool-core';
import type { ElectionEvent } from 'mempool-election';

/** How one node takes part in the election. An option that is left out has the election's default. */
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

/** The first message to a child process: the pool and elections to open. */
export interface NodeSetup {
  /** The file in which every process of a run records what it sees. */
  readonly record: string;
  /** Where the elections find Redis. */
  readonly url: string;
  /** The pool, which the elections belong to. */
  readonly pool: MempoolConfig & { readonly pool: string };
  /** Usually one election. The methods of `Node` use the first one. */
  readonly elections: readonly ElectionSetup[];
  /** A watcher joins the first election, the pool and the chain that `grow` feeds. */
  readonly watcher: boolean;
  /** Whether the node writes the pool's block events down too: all nodes must see the same ones. */
  readonly recordsEvents: boolean;
}

/** A message to a node. It calls a method of its `Node`. */
export interface Call {
  readonly id: number;
  readonly name: string;
  readonly args: readonly unknown[];
}

/** The messages of a node about itself. */
export type Told =
  | Exclude<ElectionEvent, { kind: 'election-failed' }>
  | { readonly kind: 'election-failed'; readonly term: number; readonly code: string | null }
  | Exclude<WatcherEvent, { kind: 'failed' }>
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'log'; readonly message: string };

export type ToldKind = Told['kind'];

/** A message of a node, with the time of the host's monotonic clock, which all its processes share. */
export type NodeEvent<K extends ToldKind = ToldKind> = Extract<Told, { readonly kind: K }> & {
  readonly nodeId: string;
  readonly atNs: bigint;
};

export type NodeMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'told'; readonly event: NodeEvent }
  | { readonly kind: 'done'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failed'; readonly id: number; readonly code: string };
