import type { ChainSource, OpenMempoolOptions, WatcherOptions } from 'mempool-core';
import { checkNames, openMempoolNames } from 'mempool-core/backend';
import type { ElectionOptions } from 'mempool-election';
import type { NodeParts } from './mempool-node.ts';

/**
 * The options of `openNode`: those of `openMempool`, and those that only a node needs. Every field of a configuration is an
 * option, and replaces the field of the configuration.
 */
export interface NodeOptions extends Omit<OpenMempoolOptions, 'importModule'> {
  /** The chain that the node follows, and applies to the pool while it leads. Without it, the node has no watcher and no election. */
  readonly source?: ChainSource | undefined;
  /** The id of this node in the election: 1–128 printable ASCII characters without spaces; default a UUID. */
  readonly nodeId?: string | undefined;
  /** Further options of the election. `election` sets its name, and `watcherLockTtlMs` the time of its lease. */
  readonly electionOptions?: Omit<ElectionOptions, 'name' | 'nodeId' | 'ttlMs' | 'log'> | undefined;
  /** Further options of the watcher. */
  readonly watcherOptions?: Pick<WatcherOptions, 'policy' | 'progressTimeoutMs' | 'ringSize'> | undefined;
  /** Called when all parts are created and none has started, so that a listener misses no event. */
  readonly prepare?: ((parts: NodeParts) => void | Promise<void>) | undefined;
}

const own = ['source', 'nodeId', 'electionOptions', 'watcherOptions', 'prepare'] as const;
const names: ReadonlySet<string> = new Set([...own, ...openMempoolNames].filter((name) => name !== 'importModule'));

/** Splits the options into those of the node and those of the pool. @throws `ERR_MEMPOOL_INVALID` naming the option */
export function divideOptions(options: NodeOptions): {
  readonly node: Pick<NodeOptions, (typeof own)[number]>;
  readonly pool: OpenMempoolOptions;
} {
  const { source, nodeId, electionOptions, watcherOptions, prepare, ...pool } = checkNames('options', options, names);
  return { node: { source, nodeId, electionOptions, watcherOptions, prepare }, pool };
}
