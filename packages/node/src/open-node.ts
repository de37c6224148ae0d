import {
  type BackendName,
  type ChainSource,
  type ConfigOf,
  type DolosConfig,
  type LoneDolosSection,
  type MempoolOf,
  type Ordering,
  openMempool,
  Watcher,
} from 'mempool-core';
import { type OpenedConfig, resolveOpening } from 'mempool-core/backend';
import type { Election } from 'mempool-election';
import type { FollowingNode, MempoolNode, NodeParts } from './mempool-node.ts';
import { type NodeBackend, nodeBackend } from './node-backend.ts';
import { divideOptions, type NodeOptions } from './node-options.ts';
import { OpenParts } from './open-parts.ts';

interface Following {
  readonly source: ChainSource;
}

interface OrderingOfConfig {
  readonly ordering?: undefined;
}

/**
 * Opens the node that a configuration describes: its pool and, with a chain source, its election and its watcher. Both have
 * started when the promise resolves. `config` may also be the path of a `.toml` or `.json` file. Options that are fields of
 * a configuration replace its fields. If a part fails, the parts opened before it are closed again.
 *
 * @example await using node = await openNode('pool.toml', { source, nodeId: 'a' });
 * @throws the errors of `openMempool`; `ERR_MEMPOOL_CONFIG` naming `backend` if it has no election; `ERR_ELECTION_OPTION`
 * naming the field; `ERR_ELECTION_REFUSED`, `ERR_ELECTION_UNAVAILABLE` of the election's start; any error of `prepare`
 */
export function openNode<const B extends BackendName, O extends Ordering = 'fifo'>(
  config: ConfigOf<B, O>,
  options: NodeOptions & Following & OrderingOfConfig,
): Promise<FollowingNode<MempoolOf<NoInfer<O>>>>;
export function openNode<const B extends BackendName, O extends Ordering = 'fifo'>(
  config: ConfigOf<B, O>,
  options?: NodeOptions & OrderingOfConfig,
): Promise<MempoolNode<MempoolOf<NoInfer<O>>>>;
export function openNode<const B extends string>(
  config: string | ConfigOf<B, Ordering> | LoneDolosSection | DolosConfig,
  options: NodeOptions & Following,
): Promise<FollowingNode>;
export function openNode<const B extends string>(
  config: string | ConfigOf<B, Ordering> | LoneDolosSection | DolosConfig,
  options?: NodeOptions,
): Promise<MempoolNode>;
export async function openNode(given: OpenedConfig, options: NodeOptions = {}): Promise<MempoolNode> {
  const { node, pool } = divideOptions(options);
  const { config, options: further } = await resolveOpening(given, pool);
  const { backend, config: own, elect } = await nodeBackend(config);
  const election = node.source === undefined ? null : electionOf({ ...node, log: further.log }, config, elect);
  const open = new OpenParts();
  try {
    const mempool = await openMempool(own, { [config.backend]: backend }, further);
    const parts = partsOf(
      open.add(mempool, (each) => each.close()),
      election,
      { ...node, log: further.log },
    );
    await node.prepare?.(parts);
    await start(parts, open);
    return { ...parts, close: () => open.close(), [Symbol.asyncDispose]: () => open.close() };
  } catch (error) {
    await open.close().catch(() => undefined);
    throw error;
  }
}

type OwnOptions = Pick<NodeOptions, 'source' | 'nodeId' | 'electionOptions' | 'watcherOptions' | 'log'>;

/** Opens nothing, so a wrong option is noticed before the pool is open. */
function electionOf(
  { nodeId, electionOptions, log }: OwnOptions,
  { election: name, watcherLockTtlMs: ttlMs }: Pick<NodeOptions, 'election' | 'watcherLockTtlMs'>,
  elect: NodeBackend['elect'],
): Election {
  return elect({ ...electionOptions, name, ttlMs, nodeId, log });
}

function partsOf(
  pool: NodeParts['pool'],
  election: Election | null,
  { source, watcherOptions, log }: OwnOptions,
): NodeParts {
  if (election === null || source === undefined) return { pool, election: null, watcher: null };
  return { pool, election, watcher: new Watcher({ ...watcherOptions, election, pool, source, log }) };
}

/** The watcher first: a leader without a watcher would keep others from applying blocks. */
async function start({ election, watcher }: NodeParts, open: OpenParts): Promise<void> {
  if (election === null || watcher === null) return;
  open.add(election, (each) => each.stop());
  await open.add(watcher, (each) => each.stop()).start();
  await election.start();
}
