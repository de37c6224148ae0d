import type { ChainPoint, Tip } from '../contract/transaction.ts';

/** What a watcher tells of its work. `term`: that of the leadership it happened in. */
export type WatcherEvent =
  /** This node leads, and the pool is where the chain is, as far as this node has seen it. */
  | { readonly kind: 'ready'; readonly tip: Tip; readonly term: number }
  /** The pool and the source have no block in common. Nothing was applied, and the leadership was given up. */
  | { readonly kind: 'diverged'; readonly tip: Tip; readonly term: number }
  | { readonly kind: 'applied'; readonly tip: Tip; readonly term: number }
  | { readonly kind: 'undone'; readonly tip: Tip; readonly term: number }
  /** The pool refused the block of a leader whose lease is over (X6). */
  | { readonly kind: 'fenced'; readonly point: ChainPoint | null; readonly term: number }
  /** The pool failed in a way that trying again does not cure. The leadership was given up. */
  | { readonly kind: 'failed'; readonly error: unknown; readonly term: number }
  /** A block came while another node leads, or the leadership ended before it; it is kept. */
  | { readonly kind: 'skipped'; readonly point: ChainPoint };

export type WatcherEventKind = WatcherEvent['kind'];
export type WatcherEventOf<K extends WatcherEventKind> = Extract<WatcherEvent, { readonly kind: K }>;
