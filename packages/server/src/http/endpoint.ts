import { z } from '@hono/zod-openapi';
import { toJsonValue } from 'mempool-core';
import type { Scope } from '../config/server-config.ts';
import type { Caller } from './access.ts';
import type { HostEnvironment } from './host-environment.ts';
import { Problem } from './problem.ts';

/** A request after the checks. */
export interface Call<Query = unknown, Body = unknown> {
  readonly request: Request;
  readonly environment: HostEnvironment;
  /** The parts of the path that are named in braces. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  readonly caller: Caller | null;
  /** For the pool's call, from `Idempotency-Key`. */
  readonly operationId: string | undefined;
  /** Counts so many transactions beside the first against the rate: the caller's next request waits longer. */
  owe(count: number): void;
}

/** What an endpoint may answer with a status, for the OpenAPI document. */
interface AnswerForm {
  readonly description: string;
  /** Of the JSON body. */
  readonly schema?: z.ZodType | undefined;
  /** A content type other than JSON, whose body has no schema. */
  readonly contentType?: string | undefined;
}

/** One method of one path: how it is documented, checked and answered. */
export interface Endpoint<Query = unknown, Body = unknown> {
  readonly method: 'get' | 'post' | 'patch';
  /** With parameters in braces, such as `/transactions/{hash}`. */
  readonly path: string;
  /** The form of its parameters, where that is not the usual one of its name. */
  readonly params?: Readonly<Record<string, z.ZodType>> | undefined;
  readonly summary: string;
  /** The group of the path in the OpenAPI document. */
  readonly tag: string;
  /** True: the path is for people, and not in the OpenAPI document. */
  readonly isHidden?: boolean | undefined;
  /** The scopes of which a token needs one. None: open to all. */
  readonly scopes: readonly Scope[];
  readonly query?: z.ZodType<Query> | undefined;
  /** Parameters of the query that may be given several times: the schema gets a list. */
  readonly lists?: readonly string[] | undefined;
  /** The JSON body. Without it, the request has none. */
  readonly body?: z.ZodType<Body> | undefined;
  readonly answers: Readonly<Record<number, AnswerForm>>;
  answer(call: Call<Query, Body>): Response | Promise<Response>;
  /** Answers a plain form, which any page can send: the endpoint checks the origin. It has at most 4 KiB. */
  readonly answerForm?: ((form: URLSearchParams, call: Call<Query, null>) => Response) | undefined;
  /** Answers a body that is not JSON: `application/octet-stream` or `application/cbor`. */
  readonly answerBytes?: ((payload: Uint8Array, call: Call<Query, null>) => Promise<Response>) | undefined;
}

/** Checks the types of one endpoint, then forgets them, so that endpoints fit in one list. */
export function endpoint<Query, Body>(given: Endpoint<Query, Body>): Endpoint {
  return given as Endpoint as Endpoint;
}

const jsonHeaders = {
  'content-type': 'application/json',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

/** A JSON answer: big numbers as strings, bytes as base64, `Infinity` as "never". */
export function json(answer: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(toJsonValue(answer)), { status, headers: { ...jsonHeaders, ...headers } });
}

/** An endpoint whose only answer is 200 with JSON. */
export interface JsonEndpoint<Query, Body>
  extends Omit<Endpoint<Query, Body>, 'method' | 'scopes' | 'answers' | 'answer' | 'answerForm' | 'answerBytes'> {
  /** Default: `get`. */
  readonly method?: Endpoint['method'];
  /** Default: `read`. */
  readonly scopes?: Endpoint['scopes'];
  /** Of the answer. */
  readonly description: string;
  readonly schema: z.ZodType;
  /** Returns what `json` writes. */
  answer(call: Call<Query, Body>): object | Promise<object>;
}

/** The same as `endpoint`, for one whose only answer is 200 with JSON. */
export function jsonEndpoint<Query, Body>(given: JsonEndpoint<Query, Body>): Endpoint {
  const { method = 'get', scopes = ['read'], description, schema, answer, ...rest } = given;
  const answers = { 200: { description, schema } };
  return endpoint({ ...rest, method, scopes, answers, answer: async (call) => json(await answer(call)) });
}

/** The pool's answer, if its kind is one of `done`. @throws `Problem` 409 with the answer as `outcome` if not */
export function doneOutcome<K extends string>(outcome: { readonly kind: K }, done: readonly K[]): object {
  if (done.includes(outcome.kind)) return outcome;
  throw new Problem(409, 'ERR_SERVER_REFUSED', { detail: `The pool answers: ${outcome.kind}.`, members: { outcome } });
}

/** An answer with a body of another kind. */
export function bytesAnswer(
  body: Uint8Array<ArrayBuffer> | string,
  headers: Readonly<Record<string, string>>,
): Response {
  return new Response(body, { headers: { ...jsonHeaders, ...headers } });
}

const problemSchema: z.ZodType = z
  .looseObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z
      .string()
      .openapi({ description: 'ERR_MEMPOOL_… of the pool, ERR_LEDGER_… of the ledger, ERR_SERVER_… of the server' }),
  })
  .openapi('Problem', { description: 'RFC 9457. `field`, `hash` and `outcome` are there where they apply.' });

const problemType = 'application/problem+json';

/** The answer of every endpoint to what it refuses. */
export const problemForm: { readonly [type: string]: { readonly schema: z.ZodType } } = {
  [problemType]: { schema: problemSchema },
};

/** A refusal whose status says something of its own. */
export function refusalForm(description: string): AnswerForm {
  return { description, contentType: problemType, schema: problemSchema };
}
