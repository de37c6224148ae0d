/** Shows the pool in a browser while the chain is replayed into it. */
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Mempool } from 'mempool-core';
import type { CreateServerOptions } from 'mempool-server';

export interface Dashboard extends AsyncDisposable {
  readonly url: string;
}

/** What answers requests, and ends with the dashboard. */
interface Site {
  readonly listener: RequestListener;
  close(): Promise<void>;
}

/**
 * Listens on a free port of this machine. The server is loaded at the first request, so a replay that nobody looks at is
 * as fast as without it.
 * @throws the error of `listen`
 */
export async function openDashboard(pool: Mempool): Promise<Dashboard> {
  let site: Promise<Site> | null = null;
  const http = createServer(async (request, response) => {
    // What a chain says is not changed from outside.
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { allow: 'GET, HEAD' }).end();
      return;
    }
    try {
      site ??= openSite(pool);
      const { listener } = await site;
      listener(request, response);
    } catch (error) {
      site = null;
      response.writeHead(500, { 'content-type': 'text/plain' }).end(`The dashboard did not start: ${String(error)}\n`);
    }
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  const close = async (): Promise<void> => {
    await stop(http);
    await site?.then(
      (opened) => opened.close(),
      () => undefined,
    );
  };
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: close };
}

async function openSite(pool: Mempool): Promise<Site> {
  const [{ getRequestListener }, { createServer: createMempoolServer, Monitor }, page] = await Promise.all([
    import('@hono/node-server'),
    import('mempool-server'),
    import('mempool-dashboard/server'),
  ]);
  const monitor = await Monitor.start(pool);
  const extensions: CreateServerOptions['extensions'] = [(parts) => page.default.open(parts, {})];
  const server = await createMempoolServer({ pool, monitor }, { environment: 'replay', extensions });
  const close = async (): Promise<void> => {
    await server.drain();
    await monitor.close();
  };
  return { listener: getRequestListener(server.fetch), close };
}

/** The replay does not wait for whoever looks on. */
async function stop(http: Server): Promise<void> {
  const closed = once(http, 'close');
  http.close();
  http.closeAllConnections();
  await closed;
}
