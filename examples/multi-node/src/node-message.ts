import type { ChainPoint, SourceStep, Transaction } from 'mempool-core';

/** How a node is started. */
export interface NodeTask {
  /** The same one each time. */
  readonly nodeId: string;
  /** Of the node's own way to Redis, which may be cut. */
  readonly url: string;
  readonly pool: string;
  readonly ttlMs: number;
  /** The file that every process of the run writes down in what it sees. */
  readonly record: string;
}

/** From the parent to a node. */
export type ToNode =
  | { readonly kind: 'submit'; readonly id: string; readonly transactions: readonly Transaction[] }
  /** Answers `intersect`; `point: null` with `isKnown`: the chain from its first block. */
  | { readonly kind: 'found'; readonly search: number; readonly point: ChainPoint | null; readonly isKnown: boolean }
  | { readonly kind: 'step'; readonly search: number; readonly step: SourceStep }
  | { readonly kind: 'resign' }
  | { readonly kind: 'stop' };

/** From a node to the parent. */
export type FromNode =
  | { readonly kind: 'started' }
  | { readonly kind: 'submitted'; readonly id: string }
  | { readonly kind: 'refused'; readonly id: string }
  | { readonly kind: 'intersect'; readonly search: number; readonly points: readonly ChainPoint[] }
  /** The node does not follow this search's steps any more. */
  | { readonly kind: 'left'; readonly search: number }
  | { readonly kind: 'acquired'; readonly term: number }
  | { readonly kind: 'lost'; readonly term: number; readonly reason: string }
  /** It leads and its pool is where the chain is. */
  | { readonly kind: 'ready'; readonly term: number }
  | { readonly kind: 'applied'; readonly term: number }
  /** The watcher gave up. */
  | { readonly kind: 'failed'; readonly why: string };
