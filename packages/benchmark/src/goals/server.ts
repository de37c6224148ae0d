import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import { loadServerConfig, type RunningServer, startServer } from 'mempool-server';
import type { BenchBackend } from '../limits/backend.ts';
import { atMost, type BenchContext } from '../setup/context.ts';
import { batches, freshTransactions } from '../setup/samples.ts';
import { inCalls } from '../workloads/workload.ts';
import type { Load, Loaded } from './http-load.ts';
import { head, inTurn, type Measure, timed } from './measure.ts';

const program = new URL('./http-load.ts', import.meta.url);
const callers = 64;
const payloadBytes = 1_150;
const path = '/api/v1/transactions';

/** A process of its own that posts transactions. */
class Poster {
  readonly #child: ChildProcess = fork(program, { serialization: 'advanced' });
  readonly #ready: Promise<unknown> = once(this.#child, 'message');
  readonly #ended: Promise<unknown> = once(this.#child, 'exit');

  /** @throws Error if an answer is not 201 */
  async post(port: number, count: number): Promise<Loaded> {
    await this.#ready;
    const answered = once(this.#child, 'message');
    const load: Load = { port, path, connections: callers, count, payloadBytes };
    this.#child.send(load);
    const [loaded] = (await Promise.race([answered, this.#ended])) as [Loaded | number | null];
    if (loaded === null || typeof loaded !== 'object') throw new Error('the process that posts has ended');
    return loaded;
  }

  end(): Promise<unknown> {
    this.#child.kill('SIGKILL');
    return this.#ended;
  }
}

/** A server with its pool, and the process that posts to it. */
class Served {
  readonly #file: string;
  readonly #pool: { readonly backend: string; readonly path?: string };
  #poster: Poster | undefined;
  #server: RunningServer | undefined;

  constructor({ place }: BenchBackend, { folder }: BenchContext) {
    this.#file = join(folder, 'served.sqlite');
    this.#pool = place === 'heap' ? { backend: 'ephemeral' } : { backend: 'sqlite', path: this.#file };
  }

  get server(): RunningServer {
    if (this.#server === undefined) throw new Error('the server has not started');
    return this.#server;
  }

  async start(): Promise<void> {
    this.#poster = new Poster();
    this.#server = await startServer(await loadServerConfig({ mempool: this.#pool, server: { port: 0 } }));
  }

  post(count: number, port: number = this.server.port): Promise<Loaded> {
    if (this.#poster === undefined) throw new Error('the server has not started');
    return this.#poster.post(port, count);
  }

  async end(): Promise<void> {
    await this.#poster?.end();
    await this.#server?.close();
    for (const suffix of ['', '-wal', '-shm']) rmSync(this.#file + suffix, { force: true });
  }
}

/** Milliseconds of the library's own callers, each waiting for its submission. */
function ownCallers({ pool }: RunningServer, count: number): Promise<number> {
  const shares = batches(freshTransactions(count), Math.ceil(count / callers));
  return timed(() => Promise.all(shares.map((share) => inCalls(share, (each) => pool.submit(each)))));
}

/** A route that reads the same bodies and does nothing with them. */
async function bareRoute(): Promise<{ readonly port: number; close(): Promise<unknown> }> {
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
  const throughput = backend.place === 'heap' ? besideBareRoute : besideOwnCallers;
  return [throughput(backend, context), latency(backend, context)];
}

function besideBareRoute(backend: BenchBackend, context: BenchContext): Measure {
  const served = new Served(backend, context);
  const count = atMost(context, 5_000);
  let bare: Awaited<ReturnType<typeof bareRoute>> | undefined;
  const what = `HTTP server, ${callers} connections, one transaction a request`;
  return {
    ...head(backend, `${what} ÷ a bare route that reads the same bodies`, ['at least', 0.6], '×', 9),
    warmups: 2,
    async prepare() {
      bare = await bareRoute();
      await served.start();
    },
    sample: (round) =>
      inTurn(
        round,
        async () => (await served.post(count, bare?.port)).milliseconds,
        async () => (await served.post(count)).milliseconds,
      ),
    async end() {
      await served.end();
      await bare?.close();
    },
  };
}

function besideOwnCallers(backend: BenchBackend, context: BenchContext): Measure {
  const served = new Served(backend, context);
  const count = atMost(context, 3_000);
  const what = `HTTP server, ${callers} connections, one transaction a request`;
  return {
    ...head(backend, `${what} ÷ ${callers} callers of the library`, ['at least', 0.5], '×', 9),
    warmups: 2,
    prepare: () => served.start(),
    sample: (round) =>
      inTurn(
        round,
        () => ownCallers(served.server, count),
        async () => (await served.post(count)).milliseconds,
      ),
    end: () => served.end(),
  };
}

function latency(backend: BenchBackend, context: BenchContext): Measure {
  const served = new Served(backend, context);
  const count = atMost(context, 3_000);
  return {
    ...head(backend, `HTTP server, ${callers} connections: p99 of a request ÷ the median`, ['at most', 5], '×', 7),
    prepare: () => served.start(),
    async sample() {
      const { medianMs, p99Ms } = await served.post(count);
      return p99Ms / medianMs;
    },
    end: () => served.end(),
  };
}
