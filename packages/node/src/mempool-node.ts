import type { Mempool, Watcher } from 'mempool-core';
import type { Election } from 'mempool-election';

/** The parts of a node. */
export interface NodeParts<P extends Mempool = Mempool> {
  readonly pool: P;
  /** This node's election; `null` without a chain source. */
  readonly election: Election | null;
  /** Applies the chain to the pool while this node leads; `null` without a chain source. */
  readonly watcher: Watcher | null;
}

/** A running node. */
export interface MempoolNode<P extends Mempool = Mempool> extends NodeParts<P>, AsyncDisposable {
  /**
   * Stops the watcher, then the election, then closes the pool. Each of them is stopped even if one before it fails; the
   * first error is thrown. A second call does nothing more.
   */
  close(): Promise<void>;
}

/** A node that follows a chain. */
export interface FollowingNode<P extends Mempool = Mempool> extends MempoolNode<P> {
  readonly election: Election;
  readonly watcher: Watcher;
}
