// Type tests of the public API: never run, only compiled, against the sources and against the built declarations.
import type { ChainSource, FifoMempool, Mempool, PriorityMempool, Watcher } from 'mempool-core';
import type { Election } from 'mempool-election';
import { type MempoolNode, type NodeOptions, openNode } from 'mempool-node';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
declare function holds<Claim extends true>(claim?: Claim): void;
declare const source: ChainSource;

/** Which parts there are follows from the options, and the kind of pool from the configuration. */
export async function parts(options: NodeOptions): Promise<void> {
  const ranked = await openNode({ backend: 'ephemeral', ordering: 'priority' }, { source });
  holds<Same<typeof ranked.pool, PriorityMempool>>();
  holds<Same<typeof ranked.watcher, Watcher>>();
  holds<Same<typeof ranked.election, Election>>();
  const alone = await openNode({ backend: 'redis', url: 'redis://localhost' });
  holds<Same<typeof alone.pool, FifoMempool>>();
  holds<Same<typeof alone.watcher, Watcher | null>>();
  const file = await openNode('pool.toml', options);
  holds<Same<typeof file, MempoolNode>>();
  holds<Same<typeof file.pool, Mempool>>();
  await using following = await openNode('pool.toml', { source, maxTxs: 5, electionOptions: { priority: 1 } });
  holds<Same<typeof following.election, Election>>();
  await openNode({ storage: { path: 'data' } }, { source });
}

export async function mistakes(): Promise<void> {
  // @ts-expect-error sqlite needs its path
  await openNode({ backend: 'sqlite' });
  // @ts-expect-error there is no such option
  await openNode('pool.toml', { sorce: source });
  // @ts-expect-error the configuration names the election
  await openNode('pool.toml', { source, electionOptions: { name: 'blocks' } });
}
