import type { Ordering } from '../contract/limits.ts';
import type { Mempool as OnePool } from './mempool.ts';

/** The names of the methods that need a priority pool. */
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

/**
 * A pool of either ordering that has the verbs of both. In a fifo pool, the verbs of a priority pool reject with
 * `ERR_MEMPOOL_UNSUPPORTED`.
 */
export interface AnyMempool extends Pick<OnePool, keyof OnePool> {}

/** The pool of `ordering: 'fifo'`. */
export interface FifoMempool extends Omit<AnyMempool, PriorityOnly | 'ordering'> {
  readonly ordering: 'fifo';
}

/** The pool of `ordering: 'priority'`. */
export interface PriorityMempool extends Omit<AnyMempool, 'ordering'> {
  readonly ordering: 'priority';
}

/**
 * A pool of transactions. It is a union discriminated by `ordering`: after `if (pool.ordering === 'fifo')` the type has no
 * `best`, `bestIterator`, `gossip`, `stale`, `revise` or `recheck`.
 */
export type Mempool = FifoMempool | PriorityMempool;

/** The pool of this ordering. */
export type MempoolOf<O extends Ordering> = Extract<Mempool, { readonly ordering: O }>;
