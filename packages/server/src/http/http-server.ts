import type { Logger, Mempool } from 'mempool-core';
import type { Election } from 'mempool-election';
import type { ServerOptions } from '../config/server-config.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { MonitorView } from '../monitor/monitor.ts';
import { Access, type Caller } from './access.ts';
import { chainEndpoints } from './chain-endpoints.ts';
import { documentPage, pageHeaders } from './document-page.ts';
import { bytesAnswer, type Endpoint, endpoint, json } from './endpoint.ts';
import { EventStreams } from './event-endpoints.ts';
import { Histories } from './histories.ts';
import { addressOf, type HostEnvironment, headerOf } from './host-environment.ts';
import { electionEndpoints, metricsEndpoint, monitorEndpoints } from './monitor-endpoints.ts';
import { OriginCheck } from './origin-check.ts';
import { pageEndpoints } from './page-endpoints.ts';
import { type PayloadHash, payloadHashes } from './payload-hash.ts';
import { poolEndpoints } from './pool-endpoints.ts';
import { probeEndpoints } from './probe-endpoints.ts';
import { busy, Problem, problemOf } from './problem.ts';
import { propagationEndpoints } from './propagation-endpoints.ts';
import { RateLimiter } from './rate-limiter.ts';
import { type Answered, Router } from './router.ts';
import { transactionEndpoints } from './transaction-endpoints.ts';
import { stopping, Waits } from './waits.ts';

/** What a server serves. The caller opens and closes all of it. */
export interface ServerParts {
  readonly pool: Mempool;
  /** `null` or left out: there is no election, so readiness does not ask for a leader. */
  readonly election?: Election | null | undefined;
  /** Without it, the paths of the monitor do not exist. */
  readonly monitor?: MonitorView | null | undefined;
  /** Without it, `/metrics` does not exist. */
  readonly metrics?: Metrics | null | undefined;
}

/** Options of `createServer`: fields of the section `[server]`, and what a file cannot say. */
export interface HttpServerOptions extends ServerOptions {
  /**
   * Computes the hash of a transaction, as hex, from its bytes. It goes before `hash`. If it throws, the bytes are no
   * transaction, and its message goes to the client.
   */
  readonly hashOf?: PayloadHash | undefined;
  /** Receives failures, and an audit entry of each administrative call. Default: nobody. */
  readonly log?: Logger | undefined;
}

const info = {
  title: 'mempool-server',
  version: '1',
  description: 'A transaction mempool over HTTP. Times are milliseconds since 1970. Big numbers are text.',
};

/** Checks each request, counts it, and has the router answer it. */
export class HttpServer {
  readonly #options: HttpServerOptions;
  readonly #log: Logger;
  readonly #metrics: Metrics | null;
  readonly #origins: OriginCheck;
  readonly #access: Access;
  readonly #rate: RateLimiter;
  readonly #waits: Waits;
  readonly #events: EventStreams;
  readonly #router: Router;
  #openapi: object | null = null;
  #inFlight = 0;
  #idle: (() => void) | null = null;
  #draining: Promise<void> | null = null;

  constructor(parts: ServerParts, options: HttpServerOptions) {
    const { pool, election = null, monitor = null, metrics = null } = parts;
    this.#options = options;
    this.#log = options.log ?? (() => undefined);
    this.#metrics = metrics;
    this.#origins = new OriginCheck(options);
    this.#access = new Access(options.tokens);
    this.#rate = new RateLimiter(options.ratePerSecond);
    this.#waits = new Waits(pool, options.maxWaits);
    const counted = (clients: number): void => metrics?.sseClients(clients);
    this.#events = new EventStreams({ pool, maxSseClients: options.maxSseClients, counted });
    const hashOf = options.hashOf ?? payloadHashes[options.hash];
    this.#router = new Router(
      [
        ...transactionEndpoints({ pool, hashOf, waits: this.#waits, histories: new Histories(pool) }),
        ...pageEndpoints(pool, options),
        this.#events.endpoint(),
        ...propagationEndpoints(pool),
        ...chainEndpoints(pool),
        ...poolEndpoints(pool, options),
        ...(monitor === null ? [] : monitorEndpoints(monitor)),
        ...electionEndpoints(election),
        ...(metrics === null ? [] : [metricsEndpoint(metrics)]),
        ...probeEndpoints({ pool, election, isStopping: () => this.#draining !== null }),
        this.#document(),
        this.#page(),
      ],
      {
        maxBodyBytes: options.maxBodyBytes,
        identify: (request, environment) => this.#identify(request, environment),
        answered: (answer) => this.#answered(answer),
        fault: (error) => this.#fault(error),
      },
    );
  }

  openapi(): object {
    this.#openapi ??= this.#router.openapi(info);
    return this.#openapi;
  }

  async fetch(request: Request, environment: HostEnvironment): Promise<Response> {
    let origin: string | null;
    try {
      origin = this.#origins.check(request, environment);
      if (origin !== null && request.method === 'OPTIONS') return preflight(origin);
      this.#admit(request);
    } catch (error) {
      return this.#fault(error).respond();
    }
    try {
      const response = await this.#router.fetch(request, environment);
      return origin === null ? response : shared(response, origin);
    } finally {
      this.#inFlight -= 1;
      if (this.#inFlight === 0) this.#idle?.();
    }
  }

  drain(): Promise<void> {
    this.#draining ??= this.#drain();
    return this.#draining;
  }

  async #drain(): Promise<void> {
    const idle = new Promise<void>((resolve) => {
      this.#idle = resolve;
    });
    this.#events.stop();
    this.#waits.stop();
    if (this.#inFlight > 0) await idle;
  }

  #admit(request: Request): void {
    if (this.#draining !== null && !isProbe(request)) throw stopping();
    // Waits have a limit of their own. A server that is busy still says that it lives.
    if (this.#inFlight - this.#waits.count >= this.#options.maxRequests && !isProbe(request))
      throw busy(`At most ${this.#options.maxRequests} requests may be in flight.`);
    this.#inFlight += 1;
  }

  #identify(request: Request, environment: HostEnvironment): Caller | null {
    const caller = this.#access.identify(headerOf(request, environment, 'authorization'));
    const key = caller?.name == null ? `a:${addressOf(environment)}` : `t:${caller.name}`;
    const seconds = this.#rate.take(key);
    if (seconds === 0) return caller;
    const headers = { 'retry-after': String(seconds) };
    throw new Problem(429, 'ERR_SERVER_RATE', { detail: 'Too many requests per second.', headers });
  }

  #answered({ endpoint: { path, method, scopes }, request, environment, caller, status, startedMs }: Answered): void {
    const seconds = (performance.now() - startedMs) / 1000;
    this.#metrics?.httpRequest({ route: path, method: method.toUpperCase(), status, seconds });
    if (method === 'get' || !scopes.includes('admin') || caller?.scopes.has('admin') !== true) return;
    const { pathname } = new URL(request.url);
    const operation = headerOf(request, environment, 'idempotency-key');
    const sender = { token: caller.name, address: addressOf(environment) };
    this.#log('info', 'audit', { ...sender, method: method.toUpperCase(), path: pathname, operation, status });
  }

  #fault(error: unknown): Problem {
    const problem = problemOf(error);
    if (problem.status >= 500 && problem !== error)
      this.#log('error', 'a request failed', { code: problem.code, error: String(error) });
    return problem;
  }

  #page(): Endpoint {
    return endpoint({
      method: 'get',
      path: '/docs',
      summary: 'This document as a page',
      tag: 'server',
      scopes: [],
      answers: { 200: { description: 'HTML.', contentType: 'text/html' } },
      answer: () => bytesAnswer(documentPage(this.openapi()), pageHeaders),
    });
  }

  #document(): Endpoint {
    return endpoint({
      method: 'get',
      path: '/openapi.json',
      summary: 'This document',
      tag: 'server',
      scopes: [],
      answers: { 200: { description: 'OpenAPI 3.1.' } },
      answer: () => json(this.openapi()),
    });
  }
}

/** Tells a browser that a page of this origin may send requests that no plain form can send. */
function preflight(origin: string): Response {
  const headers = {
    'access-control-allow-methods': 'GET, POST, PATCH',
    'access-control-allow-headers': 'authorization, content-type, idempotency-key, last-event-id',
    'access-control-max-age': '600',
  };
  return shared(new Response(null, { status: 204, headers }), origin);
}

/** Lets a page of this origin read the answer. */
function shared(response: Response, origin: string): Response {
  response.headers.set('access-control-allow-origin', origin);
  response.headers.set('vary', 'Origin');
  return response;
}

/** A stopping server still says that it lives, and that it is not ready. */
function isProbe({ url }: Request): boolean {
  return url.endsWith('/livez') || url.endsWith('/readyz');
}
