import type {
  AnyMempool,
  ClaimOptions,
  DropOptions,
  DropReason,
  ReadOptions,
  ReleaseOptions,
  TransactionStatus,
  WriteOptions,
} from 'mempool-core';

/** The verbs that take one hash or a list, with lists only. */
interface ListVerbs {
  status(hashes: readonly string[], options?: ReadOptions): Promise<TransactionStatus[]>;
  markInflight(hashes: readonly string[], options?: WriteOptions): Promise<string[]>;
  markAcknowledged(hashes: readonly string[], options?: ClaimOptions): Promise<string[]>;
  complete(hashes: readonly string[], options?: ClaimOptions): Promise<string[]>;
  release(hashes: readonly string[], options?: ReleaseOptions): Promise<string[]>;
  drop(hashes: readonly string[], reason: DropReason, options?: DropOptions): Promise<string[]>;
}

/** The verbs of a pool that the cases call. A `Mempool` has them, and a wrapper of one need not have more. */
export interface TestedPool
  extends ListVerbs,
    Pick<
      AnyMempool,
      | 'name'
      | 'capabilities'
      | 'ordering'
      | 'receive'
      | 'confirm'
      | 'rollback'
      | 'reap'
      | 'best'
      | 'take'
      | 'extendClaim'
      | 'sweep'
      | 'since'
      | 'payloads'
      | 'peekParked'
      | 'stale'
      | 'bySender'
      | 'byTag'
      | 'dropBySender'
      | 'revise'
      | 'flush'
      | 'setLimits'
      | 'export'
      | 'import'
      | 'getRecord'
      | 'putRecord'
      | 'listRecords'
      | 'hasPending'
      | 'peekPending'
      | 'peekInflight'
      | 'findInflight'
      | 'dumpFinalized'
      | 'confirmed'
      | 'subscribe'
      | 'tip'
      | 'usage'
      | 'close'
      | typeof Symbol.asyncDispose
    > {}

/** The verbs that the pools of both orderings have: the part of a `Mempool` that a subject opens. */
export type OpenedPool = Omit<TestedPool, 'best' | 'stale' | 'bySender' | 'byTag' | 'dropBySender' | 'revise'>;

/** Returns the pool with the verbs of both orderings. A verb that its ordering lacks rejects with `ERR_MEMPOOL_UNSUPPORTED`. */
export function asTested(pool: OpenedPool): TestedPool {
  return pool as TestedPool;
}
