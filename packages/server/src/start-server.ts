import { once } from 'node:events';
import { createServer as createHttpServer, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import type { ChainSource, Mempool } from 'mempool-core';
import { misconfigured } from 'mempool-core/backend';
import type { Election } from 'mempool-election';
import { openNode } from 'mempool-node';
import type { ServerConfig } from './config/server-config.ts';
import { createServer, type MempoolServer } from './create-server.ts';
import type { HttpServerOptions } from './http/http-server.ts';
import { wrongRequest } from './http/problem.ts';
import { createMetrics } from './metrics/metrics.ts';
import { Monitor } from './monitor/monitor.ts';

/** Options of `startServer`. */
export interface StartServerOptions extends Pick<HttpServerOptions, 'hashOf' | 'log'> {
  /** The chain that the server follows while it leads. Without it, somebody else applies the blocks. */
  readonly source?: ChainSource | undefined;
}

/** A server that listens. */
export interface RunningServer extends AsyncDisposable {
  /** Such as `http://127.0.0.1:4420`. */
  readonly url: string;
  readonly port: number;
  readonly pool: Mempool;
  /** `null` without a chain source. */
  readonly election: Election | null;
  /**
   * Stops: not ready, event streams told, requests in flight finished, at most `drainMs`; then the store is closed. A
   * second call waits for the same.
   */
  close(): Promise<void>;
}

/**
 * Opens the pool of a configuration, counts what happens in it, and serves it.
 * @throws as `openNode` and `Monitor.start`; `ERR_MEMPOOL_CONFIG` naming `election.enabled`; the error of `listen`, such as
 * `EADDRINUSE`
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
    const server = createServer({ pool, election, monitor, metrics }, { ...config.server, ...options });
    const listening = await listen(server, config.server);
    return running(listening, server, { pool, election, open }, config.server);
  } catch (error) {
    await closeAll(open).catch(() => undefined);
    throw error;
  }
}

/** Closes the last one first, and each even if one before it fails. Node 22 has no `AsyncDisposableStack`. @throws the first error */
async function closeAll(open: readonly AsyncDisposable[]): Promise<void> {
  const errors: unknown[] = [];
  for (const each of open.toReversed()) {
    try {
      await each[Symbol.asyncDispose]();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}

/** What a running server closes at its end. */
interface Served {
  readonly pool: Mempool;
  readonly election: Election | null;
  readonly open: readonly AsyncDisposable[];
}

/** Times against clients that are slow on purpose, and the most bytes of headers. */
const httpLimits = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1_000,
  // Checked later, and answered as a problem.
  requireHostHeader: false,
};
/** A connection on which nothing moves for so long, though an answer is under way, is closed. */
const silentMs = 60_000;

async function listen(
  server: MempoolServer,
  { host, port }: Pick<ServerConfig['server'], 'host' | 'port'>,
): Promise<Listening> {
  const answers = new Set<ServerResponse>();
  const errorHandler = (): Response => wrongRequest('Host', 'Host or the path of the request is not valid.').respond();
  const http = createHttpServer(httpLimits, getRequestListener(server.fetch, { errorHandler }));
  http.setTimeout(silentMs);
  http.on('clientError', refuse);
  http.on('request', (_request, answer) => {
    answers.add(answer);
    answer.once('close', () => answers.delete(answer));
  });
  http.listen(port, host);
  await once(http, 'listening');
  return { http, answers };
}

interface Listening {
  readonly http: Server;
  /** The answers that are under way. */
  readonly answers: ReadonlySet<ServerResponse>;
}

/** Answers what is no HTTP request, or too slow to be one. */
function refuse(error: Error & { readonly code?: string }, socket: Duplex): void {
  const { status, detail } = brokenRequests[error.code ?? ''] ?? {
    status: 400,
    detail: 'This is not an HTTP request.',
  };
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const title = STATUS_CODES[status];
  const body = JSON.stringify({ type: 'about:blank', title, status, detail, code: 'ERR_SERVER_REQUEST' });
  const head = `HTTP/1.1 ${status} ${title}\r\nConnection: close\r\nContent-Type: application/problem+json\r\n`;
  socket.end(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

const brokenRequests: Readonly<Record<string, { readonly status: number; readonly detail: string }>> = {
  HPE_HEADER_OVERFLOW: { status: 431, detail: `The headers are larger than ${httpLimits.maxHeaderSize} bytes.` },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, detail: 'The request took too long to arrive.' },
};

function running(
  listening: Listening,
  server: MempoolServer,
  { pool, election, open }: Served,
  options: ServerConfig['server'],
): RunningServer {
  const { address, port, family } = listening.http.address() as AddressInfo;
  let closing: Promise<void> | null = null;
  const close = (): Promise<void> => {
    closing ??= stop(listening, server, options.drainMs).finally(() => closeAll(open));
    return closing;
  };
  const url = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  return { url, port, pool, election, close, [Symbol.asyncDispose]: close };
}

/** Takes no more connections, finishes what is under way, and cuts off what has not ended in time. */
async function stop({ http, answers }: Listening, server: MempoolServer, drainMs: number): Promise<void> {
  const closed = once(http, 'close');
  http.close();
  // Else a client may send its next request on a connection that is about to be cut.
  for (const answer of answers) if (!answer.headersSent) answer.setHeader('connection', 'close');
  const timer = setTimeout(() => http.closeAllConnections(), drainMs);
  await Promise.race([server.drain().then(() => written(answers)), closed]);
  // What is left are connections without a request. Node does not count one as idle that never had any.
  http.closeAllConnections();
  await closed;
  clearTimeout(timer);
}

/** Resolves when all answers have left. */
async function written(answers: ReadonlySet<ServerResponse>): Promise<void> {
  for (const answer of answers) if (!answer.closed) await once(answer, 'close').catch(() => undefined);
}
