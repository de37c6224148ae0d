import type { BackendName, MempoolConfig, PriorityMempool } from 'mempool-core';
import { ethereumChain } from 'mempool-edge-ethereum/chain';
import { type FollowingNode, openNode } from 'mempool-node';
import type { Deployed } from './contract.ts';

/** Options of `openRelayPool`. */
export interface RelayPoolOptions {
  /** How many blocks make a block final; default 6. */
  readonly finalityBlocks?: number | undefined;
  /** How long to wait for the next block before asking again, in milliseconds; default 200. */
  readonly pollMs?: number | undefined;
}

/**
 * Opens the pool of a validator's relayer, with its election and a watcher: one of the processes that have it open applies the chain's
 * blocks to it. The configuration names the backend and the pool. @throws as `openNode`
 */
export function openRelayPool(
  config: MempoolConfig<BackendName, 'priority'>,
  { url }: Deployed,
  { finalityBlocks = 6, pollMs = 200 }: RelayPoolOptions = {},
): Promise<FollowingNode<PriorityMempool>> {
  const own = { ordering: 'priority', finalizeThreshold: finalityBlocks } as const;
  return openNode({ ...config, ...own }, { source: ethereumChain(url, { pollMs }) });
}
