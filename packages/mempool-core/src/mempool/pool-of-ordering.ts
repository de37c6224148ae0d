import type { Ordering } from '../contract/limits.ts';
import type { AnyStore, FifoStore, MempoolStore, PriorityStore } from '../contract/store.ts';
import { Mempool as AnyMempool } from './mempool.ts';
import type { MempoolOptions } from './mempool-options.ts';

/** The names of the methods of `Mempool` that need a priority pool. */
type PriorityOnly =
  | 'best'
  | 'bestIterator'
  | 'bySender'
  | 'byTag'
  | 'dropBySender'
  | 'gossip'
  | 'recheck'
  | 'revise'
  | 'stale';

/** The `Mempool` of a fifo pool. */
export interface FifoMempool extends Omit<AnyMempool, PriorityOnly | 'ordering' | 'store'> {
  readonly ordering: 'fifo';
  /** The store below, for verbs that this class does not offer. */
  readonly store: FifoStore;
}

/** The `Mempool` of a priority pool. */
export interface PriorityMempool extends Omit<AnyMempool, 'ordering' | 'store'> {
  readonly ordering: 'priority';
  /** The store below, for verbs that this class does not offer. */
  readonly store: PriorityStore;
}

/**
 * A pool on any store, for callers that handle one transaction at a time. Calls made in one turn of the event loop
 * become one store call (O6). Calls for one hash take effect in the order made, and so do submissions (M2). Whole-pool
 * writes (`receive`, lists of hashes, `take`, `confirm` and so on) run after every call made before them. Reads of
 * pages and counts go straight to the store and see every write that was answered.
 *
 * It is a union discriminated by `ordering`: after `if (pool.ordering === 'fifo')` the type has no `best`,
 * `bestIterator`, `gossip`, `stale`, `revise` or `recheck`.
 */
export type Mempool = FifoMempool | PriorityMempool;

/** The `Mempool` of a pool of this ordering. */
export type MempoolOf<O extends Ordering> = Extract<Mempool, { readonly ordering: O }>;

/** Makes a `Mempool` on a store. */
export interface MempoolConstructor {
  readonly prototype: AnyMempool;
  /** Makes a pool on the store. Closing the pool closes the store. @throws `ERR_MEMPOOL_INVALID` naming the option */
  new (on: PriorityStore, options?: MempoolOptions): PriorityMempool;
  new (on: FifoStore, options?: MempoolOptions): FifoMempool;
  new (on: MempoolStore | AnyStore, options?: MempoolOptions): Mempool;
}

export const Mempool: MempoolConstructor = AnyMempool as unknown as MempoolConstructor;
