import type { Logger, Mempool, MempoolConfig } from 'mempool-core';
import type { Election } from 'mempool-election';
import type { PayloadHash } from '../config/payload-hash.ts';
import type { ServerOptions } from '../config/server-config.ts';
import { type ExtensionMetrics, type Metrics, noMetrics } from '../metrics/metrics.ts';
import type { Monitor } from '../monitor/monitor.ts';
import { EventHub, type HubEvent, type HubSource, poolSource } from './event-hub.ts';
import { EventStreams } from './event-streams.ts';
import { Gate } from './gate.ts';

/** What a server serves. The caller opens and closes all of it. */
export interface ServerParts {
  readonly pool: Mempool;
  /** The configuration of the pool, for extensions with stores of their own next to it. Default: the name of its backend alone. */
  readonly config?: MempoolConfig<string> | undefined;
  /** `null` or left out: there is no election, so readiness does not ask for a leader. */
  readonly election?: Election | null | undefined;
  /** Without it, the paths of the monitor do not exist. */
  readonly monitor?: Monitor | null | undefined;
  /** True: the paths of the pool do not exist, only `/livez`, `/readyz`, `/metrics` and those of extensions. Default false. */
  readonly hidesPool?: boolean | undefined;
  /** Without it, `/metrics` does not exist. */
  readonly metrics?: Metrics | null | undefined;
}

/** Options of `createServer`: fields of the section `[server]`, and parts that only a program can give. */
export interface HttpServerOptions extends ServerOptions {
  /**
   * Computes the hash of a transaction, as hex, from its bytes. It goes before `hash`. If it throws, the bytes are no
   * transaction, and its message goes to the client.
   */
  readonly hashOf?: PayloadHash | undefined;
  /** Receives failures, and an audit entry of each administrative call. Default: nobody. */
  readonly log?: Logger | undefined;
}

/** What the HTTP API and the extensions of one server share. */
export interface SharedParts {
  readonly pool: Mempool;
  /** The configuration of the pool. */
  readonly config: MempoolConfig<string>;
  readonly options: HttpServerOptions;
  readonly gate: Gate;
  readonly hub: EventHub;
  readonly metrics: ExtensionMetrics;
  /** The chain's hash of a transaction. */
  readonly hashOf: PayloadHash;
  /** Makes event streams of a source with events of its own. They count as streams of the server. */
  streamsOf<E extends HubEvent>(source: HubSource<E>, hub?: EventHub<E>): EventStreams<E>;
}

export function sharedParts(
  { pool, config, metrics = null }: ServerParts,
  options: HttpServerOptions,
  hashOf: PayloadHash,
): SharedParts {
  const log = options.log ?? (() => undefined);
  const gate = new Gate({ pool, options, log, metrics });
  const { streams, stopping } = gate;
  let clients = 0;
  const counted = (change: 1 | -1): void => {
    clients += change;
    metrics?.sseClients(clients);
  };
  return {
    ...{ pool, options, hashOf, gate, metrics: metrics ?? noMetrics },
    config: config ?? { backend: pool.name },
    hub: new EventHub(poolSource(pool), stopping),
    streamsOf: (source, hub = new EventHub(source, stopping)) =>
      new EventStreams({ source, hub, streams, stopping, counted }),
  };
}
