import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import type { HostEnvironment } from './host-environment.ts';
import { wrongRequest } from './problem.ts';

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

/** A `fetch` handler that also gets what the host gives beside the request. */
export type FetchHandler = (request: Request, environment: HostEnvironment) => Response | Promise<Response>;

/** Where a server listens. */
export interface ListenAddress {
  readonly host: string;
  /** 0: a free one. */
  readonly port: number;
}

/** A port that answers HTTP/1.1 requests. */
export class HttpListener {
  /** Such as `http://127.0.0.1:4420`. */
  readonly url: string;
  readonly port: number;
  /** Node's server, for a protocol that upgrades its connections. */
  readonly http: Server;
  /** The answers that are under way. */
  readonly #answers = new Set<ServerResponse>();

  private constructor(http: Server) {
    const { address, port, family } = http.address() as AddressInfo;
    this.url = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
    this.port = port;
    this.http = http;
    http.on('request', (_request, answer) => {
      this.#answers.add(answer);
      answer.once('close', () => this.#answers.delete(answer));
    });
  }

  /** @throws the error of `listen`, such as `EADDRINUSE` */
  static open(fetch: FetchHandler, address: ListenAddress): Promise<HttpListener> {
    const errorHandler = (): Response =>
      wrongRequest('Host', 'Host or the path of the request is not valid.').respond();
    const handler = (request: Request, environment: unknown): Response | Promise<Response> =>
      fetch(request, environment as HostEnvironment);
    return HttpListener.serve(getRequestListener(handler, { errorHandler }), address);
  }

  /** Like `open`, with a handler of Node's own requests. @throws the error of `listen`, such as `EADDRINUSE` */
  static async serve(answer: RequestListener, { host, port }: ListenAddress): Promise<HttpListener> {
    const http = createServer(httpLimits, answer);
    http.setTimeout(silentMs);
    http.on('clientError', refuse);
    http.listen(port, host);
    await once(http, 'listening');
    return new HttpListener(http);
  }

  /** Takes no more connections, finishes what is under way, and cuts off what has not ended in time. */
  async stop(drained: Promise<void>, drainMs: number): Promise<void> {
    const { http } = this;
    const closed = once(http, 'close');
    http.close();
    // Else a client may send its next request on a connection that is about to be cut.
    for (const answer of this.#answers) if (!answer.headersSent) answer.setHeader('connection', 'close');
    const timer = setTimeout(() => http.closeAllConnections(), drainMs);
    await Promise.race([drained.then(() => written(this.#answers)), closed]);
    // What is left are connections without a request. Node does not count one as idle that never had any.
    http.closeAllConnections();
    await closed;
    clearTimeout(timer);
  }
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

/** Resolves when all answers have left. */
async function written(answers: ReadonlySet<ServerResponse>): Promise<void> {
  for (const answer of answers) if (!answer.closed) await once(answer, 'close').catch(() => undefined);
}
