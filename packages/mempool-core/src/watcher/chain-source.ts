import type { Block } from '../contract/store.ts';
import type { ChainPoint } from '../contract/transaction.ts';

/** One step of a chain as its follower sees it. */
export type SourceStep =
  /** The chain grew by this block, whose parent is the block of the step before. */
  | { readonly kind: 'apply'; readonly block: Block }
  /** The chain went back: its end is this point now; `null`: nothing is left of it. */
  | { readonly kind: 'undo'; readonly point: ChainPoint | null };

/** A chain from one point on. */
export interface ChainCursor {
  /** The block before the first step; `null`: the first step is the chain's first block. */
  readonly point: ChainPoint | null;
  /**
   * Goes on for as long as the chain does. Taken once; `return` frees it, and so does the signal that it was found
   * with.
   */
  readonly steps: AsyncIterable<SourceStep>;
}

/** Where blocks come from. */
export interface ChainSource {
  /**
   * Finds the first of these points, given newest first, that is on the source's chain, and follows the chain from there. Where
   * the list is empty it follows from the chain's first block, or from where it would have a new pool begin. `null`: it knows
   * none of them. `signal` ends the search, and the steps of the cursor that it found.
   */
  intersect(points: readonly ChainPoint[], options: { readonly signal: AbortSignal }): Promise<ChainCursor | null>;
}
