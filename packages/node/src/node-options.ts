import type { ChainSource, OpenMempoolOptions, WatcherOptions } from 'mempool-core';
import { checkNames, openMempoolNames } from 'mempool-core/backend';
import type { ElectionOptions } from 'mempool-election';
import type { NodeParts } from './mempool-node.ts';

/**
 * The options of `openNode`: those of `openMempool`, among them every field of a configuration, which wins over the
 * configuration, and what only a node needs.
 */
export interface NodeOptions extends Omit<OpenMempoolOptions, 'importModule'> {
  /** The chain that the node follows, and applies to the pool while it leads. Without it, there is no watcher and no election. */
  readonly source?: ChainSource | undefined;
  /** The id of this node in the election: 1–128 printable ASCII characters without spaces; default a UUID. */
  readonly nodeId?: string | undefined;
  /** Further options of the election. Its name and the time of its lease are `election` and `watcherLockTtlMs`. */
  readonly electionOptions?: Omit<ElectionOptions, 'name' | 'nodeId' | 'ttlMs' | 'log'> | undefined;
  /** Further options of the watcher. */
  readonly watcherOptions?: Pick<WatcherOptions, 'policy' | 'progressTimeoutMs' | 'ringSize'> | undefined;
  /** Called when all parts are there and none has started, so that a listener misses no event. */
  readonly prepare?: ((parts: NodeParts) => void | Promise<void>) | undefined;
}

const own = ['source', 'nodeId', 'electionOptions', 'watcherOptions', 'prepare'] as const;
const names: ReadonlySet<string> = new Set([...own, ...openMempoolNames].filter((name) => name !== 'importModule'));

/** The options of the node itself, and the rest, which is for the pool. @throws `ERR_MEMPOOL_INVALID` naming the option */
export function divideOptions(options: NodeOptions): {
  readonly node: Pick<NodeOptions, (typeof own)[number]>;
  readonly pool: OpenMempoolOptions;
} {
  const { source, nodeId, electionOptions, watcherOptions, prepare, ...pool } = checkNames('options', options, names);
  return { node: { source, nodeId, electionOptions, watcherOptions, prepare }, pool };
}
