import type { ChainSource, Mempool } from 'mempool-core';
import { misconfigured } from 'mempool-core/backend';
import type { Election } from 'mempool-election';
import { openNode } from 'mempool-node';
import type { ServerConfig } from './config/server-config.ts';
import { closeAll, OpenExtensions } from './extensions/open-extensions.ts';
import { type FetchHandler, HttpListener } from './http/http-listener.ts';
import { HttpServer } from './http/http-server.ts';
import type { Opened } from './http/opened.ts';
import { type HttpServerOptions, type ServerParts, sharedParts } from './http/shared-parts.ts';
import { createMetrics } from './metrics/metrics.ts';
import { Monitor } from './monitor/monitor.ts';

/** Options of `startServer`. */
export interface StartServerOptions extends Pick<HttpServerOptions, 'hashOf' | 'log'> {
  /** The chain that the server applies to the pool while it leads. Without it, another program must apply the blocks. */
  readonly source?: ChainSource | undefined;
}

/** A running server. */
export interface RunningServer extends AsyncDisposable {
  /** The URL of the server, such as `http://127.0.0.1:4420`. */
  readonly url: string;
  readonly port: number;
  /** The URLs of the edges that are enabled. */
  readonly edges: Readonly<Record<string, string>>;
  /** The open extensions, by their sections. */
  readonly extensions: ReadonlyMap<string, Opened>;
  readonly pool: Mempool;
  /** The election; `null` without a chain source. */
  readonly election: Election | null;
  /**
   * Stops the server: reports that it is not ready, ends event streams, waits up to `drainMs` for requests in flight, and
   * closes the store. A second call waits for the same end.
   */
  close(): Promise<void>;
}

/**
 * Opens the pool of a configuration, starts a monitor of it, and serves it.
 * @throws the errors of `openNode` and `Monitor.start`; `ERR_MEMPOOL_CONFIG` naming `election.enabled`; the error of
 * `listen`, such as `EADDRINUSE`
 */
export async function startServer(config: ServerConfig, options: StartServerOptions = {}): Promise<RunningServer> {
  const { source, log } = options;
  if (config.election.enabled && source === undefined)
    throw misconfigured('election.enabled', 'is true, but a node without a chain source would lead and apply no block');
  const metrics = createMetrics();
  const nodeId = config.election.nodeId ?? undefined;
  const node = await openNode(config.mempool, { source, log, nodeId, observer: metrics.observer });
  const { pool, election } = node;
  const open: AsyncDisposable[] = [node];
  try {
    const monitor = await Monitor.start(pool, { log });
    open.push(monitor);
    metrics.attach({ pool, election, monitor });
    const parts = { pool, config: config.mempool, election, monitor, metrics };
    const ports = await openPorts(parts, config, options);
    open.push(ports.extensions);
    return running(ports, { pool, election, open }, config.server);
  } catch (error) {
    await closeAll(open).catch(() => undefined);
    throw error;
  }
}

/** The ports of a server: that of its HTTP API, and those of its edges. */
interface Ports {
  readonly server: HttpServer;
  readonly listener: HttpListener;
  readonly extensions: OpenExtensions;
}

async function openPorts(parts: ServerParts, config: ServerConfig, options: StartServerOptions): Promise<Ports> {
  const shared = sharedParts(parts, { ...config.server, ...options }, options.hashOf ?? config.hashOf);
  const extensions = await OpenExtensions.open(shared, config.extensions);
  try {
    const server = new HttpServer(parts, shared, [...extensions.opened.values()]);
    const answer: FetchHandler = (request, environment) => server.fetch(request, environment);
    return { server, extensions, listener: await HttpListener.open(answer, config.server) };
  } catch (error) {
    await extensions[Symbol.asyncDispose]().catch(() => undefined);
    throw error;
  }
}

/** The parts that a server closes when it stops. */
interface Served {
  readonly pool: Mempool;
  readonly election: Election | null;
  readonly open: readonly AsyncDisposable[];
}

function running(
  { listener, extensions, server }: Ports,
  { pool, election, open }: Served,
  { drainMs }: ServerConfig['server'],
): RunningServer {
  let closing: Promise<unknown> | null = null;
  const stop = (): Promise<unknown> => {
    const drained = server.drain();
    return Promise.all([listener.stop(drained, drainMs), extensions.stop(drained, drainMs)]);
  };
  const close = async (): Promise<void> => {
    closing ??= stop().finally(() => closeAll(open));
    await closing;
  };
  const { url, port } = listener;
  const { opened } = extensions;
  const own = { url, port, edges: urlsOf(opened), extensions: opened };
  return { ...own, pool, election, close, [Symbol.asyncDispose]: close };
}

/** The URLs of the edges, by their names. */
function urlsOf(opened: ReadonlyMap<string, Opened>): Record<string, string> {
  const urls = Array.from(opened, ([section, { url }]) => [section.replace(/^edges\./, ''), url] as const);
  return Object.fromEntries(urls.filter((each): each is [string, string] => each[1] !== undefined));
}
