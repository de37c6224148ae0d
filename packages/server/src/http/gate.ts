import type { Logger, Mempool } from 'mempool-core';
import type { ServerOptions } from '../config/server-config.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { Access, type Caller } from './access.ts';
import { networkOf } from './client-network.ts';
import { FaultLog } from './fault-log.ts';
import { HeldBytes } from './held-bytes.ts';
import { addressOf, type HostEnvironment, headerOf } from './host-environment.ts';
import { OriginCheck } from './origin-check.ts';
import { busy, type Problem, problemOf, tooManyRequests } from './problem.ts';
import { RateLimiter } from './rate-limiter.ts';
import { RequestBodies } from './request-body.ts';
import { Slots } from './slots.ts';
import { stopping, Waits } from './waits.ts';

/** What a gate needs. */
export interface GateParts {
  readonly pool: Mempool;
  readonly options: ServerOptions;
  readonly log: Logger;
  readonly metrics: Metrics | null;
}

/** What a gate tells the metrics of an answered request. */
export interface Counted {
  /** Without values of the caller, such as `/api/v1/transactions/{hash}`: it becomes a label. */
  readonly route: string;
  readonly method: string;
  readonly status: number;
  /** `performance.now()` at the start. */
  readonly startedMs: number;
}

/** How a request is served. */
export interface ServeOptions {
  /** True: it is also answered by a server that stops or has too much to do. Default false. */
  readonly isProbe?: boolean | undefined;
  /** Says a refusal in the words of a protocol. Default: as a problem. */
  readonly refused?: ((problem: Problem) => Response) | undefined;
}

/** What all ports of a server share: who may come in, how often, and how many at once. */
export class Gate {
  /** The requests that wait for a stage. */
  readonly waits: Waits;
  /** The event streams that are open, of every protocol. */
  readonly streams: Slots;
  /** The bytes of unfinished messages, of every protocol. */
  readonly held: HeldBytes;
  readonly bodies: RequestBodies;
  readonly log: Logger;
  readonly #options: ServerOptions;
  readonly #metrics: Metrics | null;
  readonly #origins: OriginCheck;
  readonly #access: Access;
  readonly #rate: RateLimiter;
  readonly #faults: FaultLog;
  readonly #stopping = new AbortController();
  #inFlight = 0;
  /** How many of the requests in flight hold an event stream. */
  #streaming = 0;
  #idle: (() => void) | null = null;

  constructor({ pool, options, log, metrics }: GateParts) {
    this.log = log;
    this.#faults = new FaultLog(log);
    this.#options = options;
    this.#metrics = metrics;
    this.#origins = new OriginCheck(options);
    this.#access = new Access(options.tokens);
    this.#rate = new RateLimiter(options.ratePerSecond);
    this.waits = new Waits(pool, options.maxWaits, this.stopping);
    this.held = new HeldBytes(options.maxBodyBytes);
    this.bodies = new RequestBodies(options.maxBodyBytes, this.held);
    this.streams = new Slots(options.maxSseClients, 'event streams may be open');
  }

  /** Aborts when the server stops. Streams then tell their clients, and end. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  /**
   * Answers a request of a `fetch` handler: checks `Host` and `Origin`, and counts the request as long as it is in flight.
   */
  async serve(
    request: Request,
    environment: HostEnvironment,
    answer: () => Response | Promise<Response>,
    { isProbe = false, refused = (problem) => problem.respond() }: ServeOptions = {},
  ): Promise<Response> {
    let origin: string | null;
    try {
      origin = this.check(request, environment);
      if (origin !== null && request.method === 'OPTIONS') return preflight(origin);
      this.enter(isProbe);
    } catch (error) {
      return refused(this.fault(error));
    }
    try {
      const response = await answer();
      return origin === null ? response : shared(response, origin);
    } finally {
      this.leave();
    }
  }

  /**
   * Checks `Host` and `Origin`. Returns the origin of a page of `corsOrigins`, else `null`.
   * @param request `null` if `environment` has the incoming message
   * @throws `Problem` 421 or 403
   */
  check(request: Request | null, environment: HostEnvironment): string | null {
    return this.#origins.check(request, environment);
  }

  /** True if the server refuses requests for want of room, or soon may. */
  get isBusy(): boolean {
    return this.#isFull || this.held.isNearlyFull;
  }

  get #isFull(): boolean {
    return this.#inFlight - this.waits.count - this.#streaming >= this.#options.maxRequests;
  }

  /** Counts a request in flight until `leave`. @throws `Problem` 503 */
  enter(isProbe = false): void {
    if (this.stopping.aborted && !isProbe) throw stopping();
    // Waits and streams have limits of their own. A server that is busy still says that it lives.
    if (this.#isFull && !isProbe) throw busy(`At most ${this.#options.maxRequests} requests may be in flight.`);
    this.#inFlight += 1;
  }

  leave(): void {
    this.#inFlight -= 1;
    if (this.#inFlight === 0) this.#idle?.();
  }

  /**
   * Takes an event stream for a request that stays in flight as long as its stream: it then counts as a stream only, and a
   * stop still waits for it. As `Slots.take`. @throws `Problem` 503
   */
  holdStream(): () => void {
    const leave = this.streams.take();
    this.#streaming += 1;
    let isHeld = true;
    return () => {
      leave();
      if (isHeld) this.#streaming -= 1;
      isHeld = false;
    };
  }

  /**
   * Finds out who sent a request, by its token, and counts it against the rate.
   * @param authorization for a protocol that sends its token elsewhere: `Bearer` and the token
   * @throws `Problem` 429
   */
  identify(
    request: Request | null,
    environment: HostEnvironment,
    authorization: string | undefined = headerOf(request, environment, 'authorization'),
  ): Caller | null {
    return this.admit(this.known(authorization), environment);
  }

  /** Finds out who sent a request, by its token. */
  known(authorization: string | undefined): Caller | null {
    return this.#access.identify(authorization);
  }

  /** Counts a request of this caller against the rate, and returns the caller. @throws `Problem` 429 */
  admit(caller: Caller | null, environment: HostEnvironment): Caller | null {
    const seconds = this.#rate.take(clientKey(caller, environment));
    if (seconds === 0) return caller;
    throw tooManyRequests(seconds);
  }

  /** Counts so many transactions beside the first of a request against the rate. None is refused: the caller's next request waits longer. */
  owe(caller: Caller | null, environment: HostEnvironment, count: number): void {
    this.#rate.owe(clientKey(caller, environment), count);
  }

  /**
   * Returns the problem that an error is answered with: `known`, else by its code. An unexpected one goes to the log, at most one
   * per second of each code.
   */
  fault(error: unknown, known: Problem | null = null): Problem {
    const problem = known ?? problemOf(error);
    if (problem.status >= 500 && problem !== error) this.#faults.add(problem, error);
    return problem;
  }

  /** Counts an answered request in the metrics. */
  count({ route, method, status, startedMs }: Counted): void {
    const seconds = (performance.now() - startedMs) / 1000;
    this.#metrics?.httpRequest({ route, method, status, seconds });
  }

  /** Lets nobody in any more, ends waits and streams. Resolves when nothing is in flight. Call it once. */
  async drain(): Promise<void> {
    const idle = new Promise<void>((resolve) => {
      this.#idle = resolve;
    });
    this.#stopping.abort();
    if (this.#inFlight > 0) await idle;
  }
}

/** Who counts as one client: the holder of a token, or else an address or its IPv6 network. */
export function clientKey(caller: Caller | null, environment: HostEnvironment): string {
  return caller?.name == null ? `a:${networkOf(addressOf(environment))}` : `t:${caller.name}`;
}

/** Tells a browser that a page of this origin may send requests that no plain form can send. */
function preflight(origin: string): Response {
  const headers = {
    'access-control-allow-methods': 'GET, POST, PATCH',
    'access-control-allow-headers': 'authorization, content-type, idempotency-key, last-event-id, project_id',
    'access-control-max-age': '600',
  };
  return shared(new Response(null, { status: 204, headers }), origin);
}

/** Lets a page of this origin read the answer. */
function shared(response: Response, origin: string): Response {
  response.headers.set('access-control-allow-origin', origin);
  response.headers.append('vary', 'Origin');
  return response;
}
