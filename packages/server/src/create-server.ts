import { parseSection } from './config/sections.ts';
import { HttpServer, type HttpServerOptions, type ServerParts } from './http/http-server.ts';

/** The HTTP API of a pool as one `fetch` handler, which any host of fetch handlers can serve. */
export interface MempoolServer {
  /**
   * Answers a request. It never rejects. `environment` is what the host gives beside the request: with
   * `@hono/node-server`, `{ incoming, outgoing }`.
   *
   * @example serve({ fetch: createServer({ pool }).fetch, port: 4420 });
   */
  readonly fetch: (request: Request, environment?: unknown) => Promise<Response>;
  /** The OpenAPI 3.1 document. */
  openapi(): object;
  /**
   * Stops: from now on requests are refused and `/readyz` fails. Event streams are told and ended, waits end. Resolves
   * when every request in flight is answered. A second call waits for the same.
   */
  drain(): Promise<void>;
}

/**
 * Serves the HTTP API of a pool. It opens no port: mount `fetch` into a server. Options left out have their defaults; the
 * caller has checked the others.
 * @throws `ERR_MEMPOOL_CONFIG` if the hash of a token has another form
 */
export function createServer(parts: ServerParts, options: Partial<HttpServerOptions> = {}): MempoolServer {
  const server = new HttpServer(parts, { ...parseSection('server', {}), tokens: [], ...options });
  return {
    fetch: (request, environment) => server.fetch(request, environment ?? {}),
    openapi: () => server.openapi(),
    drain: () => server.drain(),
  };
}
