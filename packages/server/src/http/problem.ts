import { isMempoolError, type MempoolError, type MempoolErrorCode, toJsonValue } from 'mempool-core';
import { isElectionError } from 'mempool-election';

/** The codes of the server's own refusals. An error of the pool keeps its code, such as `ERR_MEMPOOL_INVALID`. */
export type ServerErrorCode =
  /** `Host` names no host of this server. */
  | 'ERR_SERVER_HOST'
  /** A page of another origin sent the request. */
  | 'ERR_SERVER_ORIGIN'
  /** No token, or an unknown one. */
  | 'ERR_SERVER_TOKEN'
  /** The token lacks the scope. */
  | 'ERR_SERVER_SCOPE'
  /** There is no such path, transaction or claim. */
  | 'ERR_SERVER_NOT_FOUND'
  | 'ERR_SERVER_METHOD'
  | 'ERR_SERVER_CONTENT_TYPE'
  | 'ERR_SERVER_BODY_TOO_LARGE'
  /** The body could not be read. */
  | 'ERR_SERVER_BODY'
  /** The body is not JSON. */
  | 'ERR_SERVER_JSON'
  /** A parameter or a field is wrong, missing or unknown; `field` names it. */
  | 'ERR_SERVER_REQUEST'
  /** More requests per second than one token or address may send. */
  | 'ERR_SERVER_RATE'
  /** Too many requests, waits or event streams at once. */
  | 'ERR_SERVER_BUSY'
  /** The server stops. */
  | 'ERR_SERVER_STOPPING'
  /** The client left while its request waited. Nobody reads this; it is for metrics. */
  | 'ERR_SERVER_GONE'
  /** The server does not show payloads. */
  | 'ERR_SERVER_PAYLOADS'
  /** The pool answered with a refusal; `outcome` is its answer. */
  | 'ERR_SERVER_REFUSED'
  | 'ERR_SERVER_NOT_READY'
  | 'ERR_SERVER_INTERNAL';

/** What a problem says beside its code. */
export interface ProblemDetails {
  /** A sentence for people. It never has a secret, a path of this machine or a stack. */
  readonly detail: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Further members of the body. */
  readonly members?: Readonly<Record<string, unknown>> | undefined;
}

/** A code of a problem: of the server, of the pool, or of an extension. */
export type ProblemCode = ServerErrorCode | MempoolErrorCode | `ERR_${string}`;

/** A refusal or failure of a request, answered as RFC 9457 says. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: number;
  readonly code: ProblemCode;
  readonly headers: Readonly<Record<string, string>>;
  readonly members: Readonly<Record<string, unknown>>;

  constructor(status: number, code: ProblemCode, { detail, headers, members }: ProblemDetails) {
    super(detail);
    this.status = status;
    this.code = code;
    this.headers = headers ?? {};
    this.members = members ?? {};
  }

  /** The answer: `application/problem+json`. */
  respond(): Response {
    const { status, code, message: detail } = this;
    const title = titles[status] ?? 'Error';
    const body = { type: 'about:blank', title, status, detail, code, ...this.members };
    const headers = { ...problemHeaders, ...this.headers };
    return new Response(JSON.stringify(toJsonValue(body)), { status, headers });
  }
}

const problemHeaders = {
  'content-type': 'application/problem+json',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

const titles: Readonly<Record<number, string>> = {
  400: 'Bad request',
  401: 'No valid token',
  403: 'Forbidden',
  404: 'Not found',
  405: 'Method not allowed',
  408: 'Too slow',
  409: 'Conflict',
  410: 'Gone',
  413: 'Too large',
  415: 'Unsupported content type',
  421: 'Misdirected request',
  422: 'Refused',
  429: 'Too many requests',
  499: 'Client left',
  500: 'Internal error',
  503: 'Not available',
  507: 'Store full',
};

/** The answer to an error of the pool, by its code. Only a message of a 4xx is passed on: others may name hosts and files. */
const statuses: Readonly<Record<MempoolErrorCode, readonly [status: number, detail: string]>> = {
  ERR_MEMPOOL_INVALID: [400, ''],
  ERR_MEMPOOL_CURSOR: [410, ''],
  ERR_MEMPOOL_UNSUPPORTED: [422, ''],
  ERR_MEMPOOL_BUSY: [429, ''],
  ERR_MEMPOOL_CONFIG: [500, 'The configuration is wrong.'],
  ERR_MEMPOOL_UNAVAILABLE: [503, 'The store could not be reached in time. Nothing was changed.'],
  ERR_MEMPOOL_OUTCOME_UNKNOWN: [503, 'The answer of the store was lost. The request may have been carried out.'],
  ERR_MEMPOOL_STORE_FULL: [507, 'The store has no room. Nothing was changed.'],
  ERR_MEMPOOL_CLOSED: [503, 'The store is closed.'],
  ERR_MEMPOOL_CORRUPT: [500, 'A stored record is damaged.'],
  ERR_MEMPOOL_INCOMPATIBLE: [500, 'The store was deleted or replaced, or another version wrote it.'],
  ERR_MEMPOOL_AUTH: [503, 'The store refuses the credentials of the server.'],
  ERR_MEMPOOL_PERMISSION: [503, 'The server lacks a right in the store.'],
  ERR_MEMPOOL_READ_ONLY: [503, 'The store takes no writes now.'],
  ERR_MEMPOOL_IN_USE: [503, 'Another process holds the store.'],
  ERR_MEMPOOL_INTERNAL: [500, 'The store failed.'],
};

/** The problem that stands for an error. An error that nobody expected says nothing of itself to the client. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (isMempoolError(error)) return poolProblem(error);
  if (isElectionError(error))
    return new Problem(503, 'ERR_SERVER_NOT_READY', { detail: 'The election cannot be asked.', headers: retrySoon });
  return new Problem(500, 'ERR_SERVER_INTERNAL', { detail: 'The server failed. Its log has the error.' });
}

function poolProblem({ code, message, retryable, details: { field, hash } }: MempoolError): Problem {
  const [status, detail] = statuses[code];
  const headers = retryable ? retrySoon : undefined;
  const sent = field === undefined ? undefined : (sentNames[field] ?? field);
  const own =
    field !== undefined && message.startsWith(`${field} `) ? `${sent}${message.slice(field.length)}` : message;
  return new Problem(status, code, { detail: detail || own, headers, members: { field: sent, hash } });
}

/** Adds to the problem of a lost answer how this request is repeated safely. `key` is its `Idempotency-Key`. */
export function withRemedy(problem: Problem, key: string | undefined): Problem {
  if (problem.code !== 'ERR_MEMPOOL_OUTCOME_UNKNOWN') return problem;
  const remedy =
    key === undefined
      ? 'It had no Idempotency-Key: read the state before you repeat it.'
      : 'Repeat it with the same Idempotency-Key.';
  const { status, code, message, headers, members } = problem;
  return new Problem(status, code, { detail: `${message} ${remedy}`, headers, members });
}

/** How a request calls what the pool calls otherwise. */
const sentNames: Readonly<Record<string, string>> = {
  operationId: 'Idempotency-Key',
  cursor: 'after',
};

const retrySoon = { 'retry-after': '1' };

/** @param seconds after which the next request is taken */
export function tooManyRequests(seconds: number): Problem {
  const headers = { 'retry-after': String(seconds) };
  return new Problem(429, 'ERR_SERVER_RATE', { detail: 'Too many requests per second.', headers });
}

/** Too much at once: the same request may succeed a second later. */
export function busy(detail: string): Problem {
  return new Problem(503, 'ERR_SERVER_BUSY', { detail, headers: retrySoon });
}

/** A wrong parameter or field. */
export function wrongRequest(field: string, detail: string): Problem {
  return new Problem(400, 'ERR_SERVER_REQUEST', { detail, members: { field } });
}

export function notFound(detail: string, members?: Readonly<Record<string, unknown>>): Problem {
  return new Problem(404, 'ERR_SERVER_NOT_FOUND', { detail, members });
}
