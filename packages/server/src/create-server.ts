import { parseSection } from './config/sections.ts';
import { HttpServer, type HttpServerOptions, type ServerParts } from './http/http-server.ts';

/** The HTTP API of a pool as one `fetch` handler, for any host of such handlers. */
export interface MempoolServer {
  /**
   * Answers a request. It never rejects. `environment` is the host's second argument: with `@hono/node-server`,
   * `{ incoming, outgoing }`.
   *
   * @example serve({ fetch: createServer({ pool }).fetch, port: 4420 });
   */
  readonly fetch: (request: Request, environment?: unknown) => Promise<Response>;
  /** Returns the OpenAPI 3.1 document. */
  openapi(): object;
  /**
   * Stops the API: further requests are refused, `/readyz` fails, event streams and waits end. Resolves when every request in
   * flight is answered. A second call waits for the same end.
   */
  drain(): Promise<void>;
}

/**
 * Makes the HTTP API of a pool. It opens no port, so mount `fetch` into a server. Options that are left out have their
 * defaults; the caller must have checked the others.
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
