import { type ExitCode, exitCodes, Failure } from '../terminal/exit-code.ts';

/** A request of the API. */
export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PATCH';
  /** The path below `/api/v1`. Its parts are already encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>> | undefined;
  /** The body. Bytes are sent unchanged, other values as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  readonly signal: AbortSignal;
}

/** The body of a refusal or a failure, by RFC 9457. */
export interface ProblemBody {
  readonly status: number;
  readonly code?: string;
  readonly detail?: string;
  readonly [member: string]: unknown;
}

/** The failure for an answer whose status is not a success. */
export class ProblemFailure extends Failure {
  readonly body: ProblemBody;

  constructor(body: ProblemBody, place: string) {
    const { status, detail = `answered ${status}`, code } = body;
    const remedy = (code !== undefined && Object.hasOwn(remedies, code) ? remedies[code] : undefined) ?? '';
    super(exitCodeOf(status), `${place}: ${detail}${remedy === '' ? '' : ` (${remedy})`}`, code ?? null);
    this.body = body;
  }
}

const remedies: Readonly<Record<string, string>> = {
  ERR_SERVER_TOKEN: 'give one by --token-file or MEMPOOL_TOKEN',
  ERR_SERVER_SCOPE: 'use a token with the scope',
  ERR_SERVER_HOST: 'add the name to allowed_hosts of the server',
  ERR_MEMPOOL_OUTCOME_UNKNOWN: 'repeat with the same --operation-id',
};

function exitCodeOf(status: number): ExitCode {
  switch (status) {
    case 400:
    case 415:
      return exitCodes.usage;
    case 404:
    case 410:
      return exitCodes.notFound;
    case 429:
    case 502:
    case 503:
    case 504:
    case 507:
      return exitCodes.tryAgain;
    default:
      return status < 500 ? exitCodes.refused : exitCodes.failed;
  }
}

/** Sends requests to one server. */
export class HttpClient {
  /** The server's name in messages. */
  readonly place: string;
  readonly #base: string;
  readonly #token: string | null;

  constructor(url: string, token: string | null) {
    const parsed = URL.parse(url);
    if (parsed === null || !/^https?:$/.test(parsed.protocol) || parsed.username !== '' || parsed.password !== '')
      throw new Failure(exitCodes.usage, '--url must be an http or https URL without user and password');
    this.place = parsed.origin + parsed.pathname.replace(/\/+$/, '');
    this.#base = `${this.place}/api/v1`;
    this.#token = token;
  }

  /** Returns the JSON of a successful answer. @throws `ProblemFailure` for any other answer; `Failure` if there is none */
  async json<T extends object>(request: ApiRequest): Promise<T> {
    const response = await this.send(request);
    const text = await response.text().catch((error: unknown) => {
      throw this.#lost(error, request.signal);
    });
    const answer = objectIn<T>(text);
    if (answer === null) throw this.#foreign(response);
    return answer;
  }

  /** Requests server-sent events. The caller reads the body. */
  async stream(request: ApiRequest): Promise<Response> {
    const headers = { ...request.headers, accept: eventStream };
    const response = await this.send({ ...request, headers });
    if (response.headers.get('content-type')?.startsWith(eventStream) === true) return response;
    await response.body?.cancel();
    throw this.#foreign(response);
  }

  /** Requests `/livez` or `/readyz`, which are not below `/api/v1`. */
  async probe(path: string, signal: AbortSignal): Promise<void> {
    const response = await this.#send(new URL(this.place + path), { path, signal });
    await response.body?.cancel();
  }

  /** Sends a request and returns the answer, if it is a success. The caller reads the body. */
  async send(request: ApiRequest): Promise<Response> {
    const url = new URL(this.#base + request.path);
    for (const [name, value] of Object.entries(request.query ?? {}))
      if (value !== undefined) url.searchParams.set(name, String(value));
    return this.#send(url, request);
  }

  async #send(url: URL, { method = 'GET', body, headers = {}, signal }: ApiRequest): Promise<Response> {
    const bytes = body instanceof Uint8Array;
    const sent: Record<string, string> = { accept: 'application/json' };
    if (body !== undefined) sent['content-type'] = bytes ? 'application/octet-stream' : 'application/json';
    if (this.#token !== null) sent.authorization = `Bearer ${this.#token}`;
    for (const [name, value] of Object.entries(headers)) if (value !== undefined) sent[name] = value;
    const response = await fetch(url, {
      ...{ method, headers: sent, signal, redirect: 'manual' },
      ...(body === undefined ? {} : { body: bytes ? new Uint8Array(body) : JSON.stringify(body) }),
    }).catch((error: unknown) => {
      throw this.#lost(error, signal);
    });
    if (!response.ok) throw await this.#problem(response);
    return response;
  }

  #lost(error: unknown, signal: AbortSignal): unknown {
    if (signal.aborted) return signal.reason;
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : null;
    const reason = code ?? (cause instanceof Error ? cause.message : String(cause));
    return new Failure(exitCodes.tryAgain, `no answer from ${this.place}: ${reason}`);
  }

  async #problem(response: Response): Promise<Failure> {
    const { status, headers } = response;
    const location = headers.get('location');
    if (status >= 300 && status < 400 && location !== null)
      return new Failure(
        exitCodes.usage,
        `${this.place} sends to another address: --url ${location.replace(/\/api\/v1.*/, '')}`,
      );
    const text = await response.text().catch(() => '');
    const isProblem = headers.get('content-type')?.startsWith('application/problem+json') === true;
    const problem = isProblem ? objectIn<ProblemBody>(text) : null;
    return problem === null ? this.#foreign(response) : new ProblemFailure({ ...problem, status }, this.place);
  }

  /** The failure for an answer that is not one of a mempool server. */
  #foreign({ ok, status }: Response): Failure {
    const detail = `answered ${status}, not as a mempool server: is the URL right?`;
    if (ok) return new Failure(exitCodes.failed, `${this.place}: ${detail}`);
    return new ProblemFailure({ status, detail }, this.place);
  }
}

const eventStream = 'text/event-stream';

/** Returns the object that a text is the JSON of. Every answer of a server is one. */
function objectIn<T extends object>(text: string): T | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as T) : null;
  } catch {
    return null;
  }
}
