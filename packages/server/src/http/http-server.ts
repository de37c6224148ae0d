import type { Scope } from '../config/server-config.ts';
import type { Caller } from './access.ts';
import { chainEndpoints } from './chain-endpoints.ts';
import { documentPage, pageHeaders } from './document-page.ts';
import { electionEndpoints } from './election-endpoints.ts';
import { bytesAnswer, type Endpoint, endpoint, json } from './endpoint.ts';
import { eventsEndpoint } from './event-endpoints.ts';
import { poolSource } from './event-hub.ts';
import type { Gate } from './gate.ts';
import { Histories } from './histories.ts';
import { addressOf, type HostEnvironment, headerOf } from './host-environment.ts';
import { Login } from './login.ts';
import { metricsEndpoint, monitorEndpoints } from './monitor-endpoints.ts';
import type { Opened } from './opened.ts';
import { pageEndpoints } from './page-endpoints.ts';
import { poolEndpoints } from './pool-endpoints.ts';
import { probeEndpoints } from './probe-endpoints.ts';
import type { Problem } from './problem.ts';
import { propagationEndpoints } from './propagation-endpoints.ts';
import { type Answered, Router } from './router.ts';
import { sessionEndpoint } from './session-endpoint.ts';
import type { ServerParts, SharedParts } from './shared-parts.ts';
import { missingPage } from './static-files.ts';
import { transactionEndpoints } from './transaction-endpoints.ts';

const info = {
  title: 'mempool-server',
  version: '1',
  description: 'A transaction mempool over HTTP. Times are milliseconds since 1970. Big numbers are text.',
};

/** Checks each request, counts it, and has the router answer it. */
export class HttpServer {
  readonly #gate: Gate;
  readonly #router: Router;
  #openapi: object | null = null;
  #draining: Promise<void> | null = null;

  constructor(parts: ServerParts, shared: SharedParts, extensions: readonly Opened[]) {
    const { pool, election = null, metrics = null } = parts;
    const { gate, options } = shared;
    const login = options.dashboard && options.tokens.length > 0 ? new Login(gate) : null;
    const added = extensions.flatMap(({ endpoints = [] }) => endpoints);
    this.#gate = gate;
    this.#router = new Router(
      [
        ...(parts.hidesPool === true ? [] : ownEndpoints(parts, shared, extensions)),
        ...(metrics === null ? [] : [metricsEndpoint(metrics)]),
        ...probeEndpoints({ pool, election, extensions, gate }),
        sessionEndpoint(),
        this.#document(),
        this.#page(),
        ...added,
        ...(options.dashboard && !added.some(({ path }) => path === '/') ? [missingPage()] : []),
        ...(login?.endpoints() ?? []),
      ],
      {
        bodies: gate.bodies,
        identify: (request, environment) =>
          login === null ? gate.identify(request, environment) : login.identify(request, environment),
        owe: (caller, environment, count) => gate.owe(caller, environment, count),
        answered: (answer) => this.#answered(answer),
        fault: (error) => gate.fault(error, problemIn(extensions, error)),
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

/** The paths of the pool itself. */
function ownEndpoints(
  { pool, election = null, monitor = null }: ServerParts,
  { gate, options, hashOf, hub, streamsOf }: SharedParts,
  extensions: readonly Opened[],
): Endpoint[] {
  const fields = extensions.flatMap(({ poolField = [] }) => poolField);
  return [
    ...transactionEndpoints({ pool, hashOf, waits: gate.waits, histories: new Histories(pool) }),
    ...pageEndpoints(pool, options),
    eventsEndpoint(streamsOf(poolSource(pool), hub)),
    ...propagationEndpoints(pool),
    ...chainEndpoints(pool),
    ...poolEndpoints(pool, options, fields),
    ...(monitor === null ? [] : monitorEndpoints(monitor)),
    ...electionEndpoints(election),
  ];
}

function problemIn(extensions: readonly Opened[], error: unknown): Problem | null {
  for (const { problemOf } of extensions) {
    const problem = problemOf?.(error) ?? null;
    if (problem !== null) return problem;
  }
  return null;
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
