import type { Logger, Mempool } from 'mempool-core';
import type { Election } from 'mempool-election';
import type { Scope, ServerOptions } from '../config/server-config.ts';
import type { EpochBoard } from '../epochs/epoch-board.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Monitor } from '../monitor/monitor.ts';
import { builtPage } from '../static/built-page.ts';
import type { Caller } from './access.ts';
import { chainEndpoints } from './chain-endpoints.ts';
import { dashboardEndpoints } from './dashboard-endpoints.ts';
import { documentPage, pageHeaders } from './document-page.ts';
import { electionEndpoints } from './election-endpoints.ts';
import { bytesAnswer, type Endpoint, endpoint, json } from './endpoint.ts';
import { epochEndpoints } from './epochs/epoch-endpoints.ts';
import { eventsEndpoint } from './event-endpoints.ts';
import { EventHub, poolSource } from './event-hub.ts';
import { EventStreams, type StreamsOf } from './event-streams.ts';
import { Gate } from './gate.ts';
import { Histories } from './histories.ts';
import { addressOf, type HostEnvironment, headerOf } from './host-environment.ts';
import { ledgerEndpoints } from './ledger/ledger-endpoints.ts';
import type { ServedLedger } from './ledger/served-ledger.ts';
import { Login } from './login.ts';
import { metricsEndpoint, monitorEndpoints } from './monitor-endpoints.ts';
import { pageEndpoints } from './page-endpoints.ts';
import { type PayloadHash, payloadHashes } from './payload-hash.ts';
import { poolEndpoints } from './pool-endpoints.ts';
import { probeEndpoints } from './probe-endpoints.ts';
import { propagationEndpoints } from './propagation-endpoints.ts';
import { type Answered, Router } from './router.ts';
import { sessionEndpoint } from './session-endpoint.ts';
import { transactionEndpoints } from './transaction-endpoints.ts';

/** What a server serves. The caller opens and closes all of it. */
export interface ServerParts {
  readonly pool: Mempool;
  /** `null` or left out: there is no election, so readiness does not ask for a leader. */
  readonly election?: Election | null | undefined;
  /** Without it, the paths of the monitor do not exist. */
  readonly monitor?: Monitor | null | undefined;
  /** Without it, the paths of the ledger do not exist. */
  readonly ledger?: ServedLedger | null | undefined;
  /** Without it, the paths of the epochs do not exist. */
  readonly epochs?: EpochBoard | null | undefined;
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

/** What the HTTP API and the edges of one server share. */
export interface SharedParts {
  readonly pool: Mempool;
  readonly options: HttpServerOptions;
  readonly gate: Gate;
  readonly hub: EventHub;
  /** The chain's hash of a transaction. */
  readonly hashOf: PayloadHash;
}

/** Checks each request, counts it, and has the router answer it. */
export class HttpServer {
  /** For the edges. */
  readonly shared: SharedParts;
  readonly #gate: Gate;
  readonly #router: Router;
  #openapi: object | null = null;
  #draining: Promise<void> | null = null;

  constructor(parts: ServerParts, options: HttpServerOptions) {
    const { pool, election = null, monitor = null, metrics = null, ledger = null, epochs = null } = parts;
    const log = options.log ?? (() => undefined);
    const gate = new Gate({ pool, options, log, metrics });
    const { waits, stopping } = gate;
    const source = poolSource(pool);
    const hub = new EventHub(source, stopping);
    const hashOf = options.hashOf ?? payloadHashes[options.hash];
    const streamsOf = streamsWith(gate, metrics);
    const login = options.dashboard && options.tokens.length > 0 ? new Login(gate) : null;
    this.#gate = gate;
    this.shared = { pool, options, gate, hub, hashOf };
    this.#router = new Router(
      [
        ...transactionEndpoints({ pool, hashOf, waits, histories: new Histories(pool) }),
        ...pageEndpoints(pool, options),
        eventsEndpoint(streamsOf(source, hub)),
        ...propagationEndpoints(pool),
        ...chainEndpoints(pool),
        ...poolEndpoints(pool, options, { ledger, epochs }),
        ...(monitor === null ? [] : monitorEndpoints(monitor)),
        ...(ledger === null ? [] : ledgerEndpoints({ ...ledger, metrics, stopping, streamsOf })),
        ...(epochs === null ? [] : epochEndpoints(epochs)),
        ...electionEndpoints(election),
        ...(metrics === null ? [] : [metricsEndpoint(metrics)]),
        ...probeEndpoints({ pool, election, ledger: ledger?.ledger ?? null, isStopping: () => stopping.aborted }),
        sessionEndpoint(),
        this.#document(),
        this.#page(),
        ...(options.dashboard ? dashboardEndpoints(builtPage()) : []),
        ...(login?.endpoints() ?? []),
      ],
      {
        maxBodyBytes: options.maxBodyBytes,
        identify: (request, environment) =>
          login === null ? gate.identify(request, environment) : login.identify(request, environment),
        owe: (caller, environment, count) => gate.owe(caller, environment, count),
        answered: (answer) => this.#answered(answer),
        fault: (error) => gate.fault(error),
      },
    );
  }

  openapi(): object {
    this.#openapi ??= this.#router.openapi(info);
    return this.#openapi;
  }

  fetch(request: Request, environment: HostEnvironment): Promise<Response> {
    const answer = (): Response | Promise<Response> => this.#router.fetch(request, environment);
    return this.#gate.serve(request, environment, answer, { isProbe: isProbe(request) });
  }

  drain(): Promise<void> {
    this.#draining ??= this.#gate.drain();
    return this.#draining;
  }

  #answered({ endpoint: { path, method, scopes }, request, environment, caller, status, startedMs }: Answered): void {
    this.#gate.count({ route: path, method: method.toUpperCase(), status, startedMs });
    if (method === 'get' || caller === null || !isAdministrative(scopes, caller)) return;
    const { pathname } = new URL(request.url);
    const operation = headerOf(request, environment, 'idempotency-key');
    const sender = { token: caller.name, address: addressOf(environment) };
    this.#gate.log('info', 'audit', { ...sender, method: method.toUpperCase(), path: pathname, operation, status });
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

/** The event streams of all sources of a server are counted together. */
function streamsWith({ streams, stopping }: Gate, metrics: Metrics | null): StreamsOf {
  let clients = 0;
  const counted = (change: 1 | -1): void => {
    clients += change;
    metrics?.sseClients(clients);
  };
  return (source, hub) => new EventStreams({ source, hub, streams, stopping, counted });
}

/** Transfers by an administrator are in the ledger itself. */
function isAdministrative(scopes: readonly Scope[], caller: Caller): boolean {
  const needed = scopes.includes('admin') ? 'admin' : 'ledger:admin';
  const isMeant = needed === 'admin' || scopes.every((scope) => scope === needed);
  return isMeant && scopes.length > 0 && caller.scopes.has(needed);
}

/** A stopping server still says that it lives, and that it is not ready. */
function isProbe({ url }: Request): boolean {
  return url.endsWith('/livez') || url.endsWith('/readyz');
}
