import { once } from 'node:events';
import { rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import type { Transaction } from 'mempool-core';
import { loadServerConfig, type RunningServer, startServer } from 'mempool-server';
import type { BenchBackend } from '../limits/backend.ts';
import { atMost, type BenchContext } from '../setup/context.ts';
import { batches, freshTransactions } from '../setup/samples.ts';
import { inCalls } from '../workloads/workload.ts';
import { Crew } from './crew.ts';
import type { PosterVerbs } from './http-load.ts';
import { head, inTurn, type Measure, timed } from './measure.ts';

const program = new URL('./http-load.ts', import.meta.url);
const callers = 64;
const payloadBytes = 1_150;
const path = '/api/v1/transactions';

/** A server with its pool and a bare route, and the process that posts to them. */
class Served {
  readonly #file: string;
  readonly #pool: { readonly backend: string; readonly path?: string };
  readonly #poster = new Crew<PosterVerbs>(program, 1);
  #server: RunningServer | undefined;
  #bare: BareRoute | undefined;

  constructor({ place }: BenchBackend, { folder }: BenchContext) {
    this.#file = join(folder, 'served.sqlite');
    this.#pool = place === 'heap' ? { backend: 'ephemeral' } : { backend: 'sqlite', path: this.#file };
  }

  async start(): Promise<void> {
    await this.#poster.begin();
    this.#bare = await bareRoute();
    this.#server = await startServer(await loadServerConfig({ mempool: this.#pool, server: { port: 0 } }));
  }

  post(count: number) {
    return this.#postTo(this.#server, count);
  }

  async postToBareRoute(count: number): Promise<number> {
    return (await this.#postTo(this.#bare, count)).milliseconds;
  }

  /** Milliseconds of the library's own callers, each waiting for its submission. */
  ownCallers(count: number): Promise<number> {
    const shares = batches(freshTransactions(count), Math.ceil(count / callers));
    const submitAll = (share: Transaction[]) => inCalls(share, (each) => this.#server?.pool.submit(each));
    return timed(() => Promise.all(shares.map(submitAll)));
  }

  async end(): Promise<void> {
    await this.#poster.end();
    await this.#server?.close();
    await this.#bare?.close();
    for (const suffix of ['', '-wal', '-shm']) rmSync(this.#file + suffix, { force: true });
  }

  /** @throws Error if an answer is not 201 */
  async #postTo(target: { readonly port: number } | undefined, count: number) {
    const port = target?.port ?? 0;
    const [loaded] = await this.#poster.tell('post', { port, path, connections: callers, count, payloadBytes });
    if (loaded === undefined) throw new Error('the server has not started');
    return loaded;
  }
}

interface BareRoute {
  readonly port: number;
  close(): Promise<unknown>;
}

/** A route that reads the same bodies and does nothing with them. */
async function bareRoute(): Promise<BareRoute> {
  const app = new Hono().post(path, async (context) => {
    await context.req.arrayBuffer();
    return context.json({ kind: 'received' }, 201);
  });
  const http = createAdaptorServer({ fetch: app.fetch });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  const close = (): Promise<unknown> => {
    http.close();
    if ('closeAllConnections' in http) http.closeAllConnections();
    return once(http, 'close');
  };
  return { port, close };
}

/** What HTTP costs: connections that post one transaction at a time. */
export function serverGoals(backend: BenchBackend, context: BenchContext): Measure[] {
  const served = new Served(backend, context);
  const running = { prepare: () => served.start(), end: () => served.end() };
  const what = `HTTP server, ${callers} connections`;
  const beside = (name: string, least: number, count: number, limit: (count: number) => Promise<number>): Measure => ({
    ...head(backend, `${what}, one transaction a request ÷ ${name}`, ['at least', least], '×', 9),
    ...running,
    warmups: 2,
    sample: (round) =>
      inTurn(
        round,
        () => limit(count),
        async () => (await served.post(count)).milliseconds,
      ),
  });
  const count = atMost(context, 3_000);
  const bare = 'a bare route that reads the same bodies';
  return [
    backend.place === 'heap'
      ? beside(bare, 0.6, atMost(context, 5_000), (count) => served.postToBareRoute(count))
      : beside(`${callers} callers of the library`, 0.5, count, (count) => served.ownCallers(count)),
    {
      ...head(backend, `${what}: p99 of a request ÷ the median`, ['at most', 5], '×', 7),
      ...running,
      async sample() {
        const { medianMs, p99Ms } = await served.post(count);
        return p99Ms / medianMs;
      },
    },
  ];
}
