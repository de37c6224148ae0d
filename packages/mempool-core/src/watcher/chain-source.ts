import type { Block } from '../contract/store.ts';
import type { ChainPoint } from '../contract/transaction.ts';

/** One step of a chain. */
export type SourceStep =
  /** The chain grew by this block. The block's parent is the previous end of the chain. */
  | { readonly kind: 'apply'; readonly block: Block }
  /** The chain was rolled back and now ends at this point; `null` if it is empty. */
  | { readonly kind: 'undo'; readonly point: ChainPoint | null };

/** The continuation of a chain after one point. */
export interface ChainCursor {
  /** The point before the first step; `null` if the first step is the chain's first block. */
  readonly point: ChainPoint | null;
  /**
   * The steps, for as long as the chain continues. Iterate over them once. The iterator's `return` frees its resources, and
   * so does an abort of the signal given to `intersect`.
   */
  readonly steps: AsyncIterable<SourceStep>;
}

/** A source of blocks. */
export interface ChainSource {
  /**
   * Finds the first of these points (newest first) that is on the source's chain, and returns the chain from there on. If
   * the list is empty, it returns the chain from its first block, or from the point where a new pool should begin. Returns
   * `null` if the source knows none of the points. The hashes of the points are in lower case without `0x`. An abort of `signal` ends the search and the steps of the cursor.
   */
  intersect(points: readonly ChainPoint[], options: { readonly signal: AbortSignal }): Promise<ChainCursor | null>;
}
