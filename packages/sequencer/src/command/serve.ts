import type { Logger, Mempool } from 'mempool-core';
import type { Metrics, ServerConfig } from 'mempool-server';
import { createServer } from 'mempool-server';
import { HttpListener, type Opened } from 'mempool-server/extension';

/** The parts that a role's port shows. */
export interface ServedParts {
  /** `/readyz` asks its store. */
  readonly pool: Mempool;
  readonly metrics: Metrics;
  /** The role's own paths. */
  readonly opened: Opened;
}

/** A port with `/livez`, `/readyz`, `/metrics` and the paths of the role. */
export interface ServedRole extends AsyncDisposable {
  readonly url: string;
}

/** @throws the error of `listen`, such as `EADDRINUSE` */
export async function serve(
  { pool, metrics, opened }: ServedParts,
  options: ServerConfig['server'],
  log: Logger,
): Promise<ServedRole> {
  const parts = { pool, metrics, hidesPool: true };
  const server = await createServer(parts, { ...options, log, extensions: [async () => opened] });
  const listener = await HttpListener.open((request, environment) => server.fetch(request, environment), options);
  return {
    url: listener.url,
    [Symbol.asyncDispose]: () => listener.stop(server.drain(), options.drainMs),
  };
}
