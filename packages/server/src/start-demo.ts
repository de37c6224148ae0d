import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from './config/environment.ts';
import { loadServerConfig } from './config/load-server-config.ts';
import type { ServerOptions } from './config/server-config.ts';
import { DemoChain } from './demo/demo-chain.ts';
import { runTraffic } from './demo/demo-traffic.ts';
import { type RunningServer, type StartServerOptions, startServer } from './start-server.ts';

/** Options of `startDemo`. */
export interface DemoOptions extends Pick<StartServerOptions, 'log'> {
  /** The folder for a SQLite file with the pool; it is created. By default the pool is in memory. */
  readonly folder?: string | undefined;
  /** The same seed gives the same traffic and blocks; default 1. */
  readonly seed?: number | undefined;
  /** The time between two steps of the traffic, in milliseconds; default 250. */
  readonly stepMs?: number | undefined;
  /** Fields of the section `[server]`. */
  readonly server?: Partial<ServerOptions> | undefined;
  /** Environment variables, as for `loadServerConfig`. */
  readonly env?: Environment | undefined;
}

/**
 * Starts a server with its own pool and a simulated chain: transactions are submitted, sent, acknowledged, confirmed, rolled
 * back and dropped.
 * @throws the errors of `loadServerConfig` and `startServer`
 */
export async function startDemo(options: DemoOptions = {}): Promise<RunningServer> {
  const { folder, seed = 1, stepMs = 250, log, server, env } = options;
  if (folder !== undefined) await mkdir(folder, { recursive: true });
  const store =
    folder === undefined ? { backend: 'ephemeral' } : { backend: 'sqlite', path: join(folder, 'demo.sqlite') };
  const given = {
    mempool: { ...store, ordering: 'priority', maxTxs: 300 },
    server: { exposePayloads: true, environment: 'demo' },
  };
  const config = await loadServerConfig(given, { env: env ?? {}, server });
  const chain = new DemoChain();
  const running = await startServer(config, { source: chain, log });
  const stop = new AbortController();
  const ended = runTraffic(running.pool, chain, { seed, stepMs, signal: stop.signal }).catch((error: unknown) => {
    if (!stop.signal.aborted) log?.('error', 'the traffic of the demo ended', { error: String(error) });
  });
  const close = async (): Promise<void> => {
    stop.abort();
    await ended;
    await running.close();
  };
  return { ...running, close, [Symbol.asyncDispose]: close };
}
