import { payloadHash } from './config/payload-hash.ts';
import { parseSection } from './config/sections.ts';
import type { ExtensionParts } from './extensions/extension.ts';
import { HttpServer } from './http/http-server.ts';
import type { Opened } from './http/opened.ts';
import { type HttpServerOptions, type ServerParts, sharedParts } from './http/shared-parts.ts';

/** The HTTP API of a pool as one `fetch` handler, for any host of such handlers. */
export interface MempoolServer {
  /**
   * Answers a request. It never rejects. `environment` is the host's second argument: with `@hono/node-server`,
   * `{ incoming, outgoing }`.
   *
   * @example serve({ fetch: (await createServer({ pool })).fetch, port: 4420 });
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

/** Options of `createServer`. */
export interface CreateServerOptions extends Partial<HttpServerOptions> {
  /** Functions that open extensions with paths, such as `(parts) => dashboard.open(parts, {})`. The caller closes what they open. */
  readonly extensions?: readonly ((parts: ExtensionParts) => Promise<Opened>)[] | undefined;
}

/**
 * Makes the HTTP API of a pool. It opens no port, so mount `fetch` into a server. Options that are left out have their
 * defaults; the caller must have checked the others.
 * @throws `ERR_MEMPOOL_CONFIG` if the hash of a token has another form, or the package of `hash` is not installed; the errors of the extensions
 */
export async function createServer(
  parts: ServerParts,
  { extensions = [], ...options }: CreateServerOptions = {},
): Promise<MempoolServer> {
  const all = { ...parseSection('server', {}), tokens: [], ...options };
  const shared = sharedParts(parts, all, all.hashOf ?? (await payloadHash(all.hash)));
  const opened = await Promise.all(extensions.map((open) => open(shared)));
  const server = new HttpServer(parts, shared, opened);
  return {
    fetch: (request, environment) => server.fetch(request, environment ?? {}),
    openapi: () => server.openapi(),
    drain: () => server.drain(),
  };
}
