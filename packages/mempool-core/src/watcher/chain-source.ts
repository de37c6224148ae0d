import type { Block } from '../contract/store.ts';
import type { ChainPoint } from '../contract/transaction.ts';

/** One step of a chain. */
export type SourceStep =
  /** The chain grew by this block. The parent of the block is the end of the chain before this step. */
  | { readonly kind: 'apply'; readonly block: Block }
  /** The chain went back and now ends at this point; `null`: nothing is left of it. */
  | { readonly kind: 'undo'; readonly point: ChainPoint | null };

/** The continuation of a chain after one point. */
export interface ChainCursor {
  /** The point before the first step; `null`: the first step is the chain's first block. */
  readonly point: ChainPoint | null;
  /**
   * The steps, for as long as the chain continues. Iterate it once. `return` frees it, and so does an abort of the
   * signal given to `intersect`.
   */
  readonly steps: AsyncIterable<SourceStep>;
}

/** A source of blocks. */
export interface ChainSource {
  /**
   * Finds the first of these points, given newest first, that is on the source's chain, and follows the chain from
   * there. If the list is empty, the source follows from the chain's first block, or from the point where a new pool
   * should begin. Returns `null` if it knows none of the points. An abort of `signal` ends the search, and also the
   * steps of the cursor returned.
   */
  intersect(points: readonly ChainPoint[], options: { readonly signal: AbortSignal }): Promise<ChainCursor | null>;
}
