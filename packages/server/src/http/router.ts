import { OpenAPIHono, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { authorize, type Caller, operationIdOf } from './access.ts';
import { type Call, type Endpoint, problemForm } from './endpoint.ts';
import { contentTypeOf, type HostEnvironment, headerOf } from './host-environment.ts';
import { notFound, Problem, withRemedy, wrongRequest } from './problem.ts';
import { parseJson, type RequestBodies } from './request-body.ts';

/** An answered request. */
export interface Answered {
  readonly endpoint: Endpoint;
  readonly request: Request;
  readonly environment: HostEnvironment;
  /** `null`: without a valid token. */
  readonly caller: Caller | null;
  readonly status: number;
  readonly startedMs: number;
}

/** What the router asks of the server for each request. */
export interface RouterParts {
  readonly bodies: RequestBodies;
  /** Finds out who sent the request, and counts it. @throws `Problem` 429 */
  identify(request: Request, environment: HostEnvironment): Caller | null;
  owe(caller: Caller | null, environment: HostEnvironment, count: number): void;
  /** Told each endpoint's answer. */
  answered(answer: Answered): void;
  /** The problem that an error is answered with. */
  fault(error: unknown): Problem;
}

const formType = 'application/x-www-form-urlencoded';
const maxFormBytes = 4_096;

/** The endpoints as a hono application, and the OpenAPI document of them. */
export class Router {
  readonly #app = new OpenAPIHono<{ Bindings: HostEnvironment }>();
  readonly #parts: RouterParts;
  readonly #endpoints: readonly Endpoint[];

  constructor(endpoints: readonly Endpoint[], parts: RouterParts) {
    this.#endpoints = endpoints;
    this.#parts = parts;
    for (const each of endpoints) {
      if (each.isHidden !== true) this.#app.openAPIRegistry.registerPath(documented(each));
      const path = each.path.replaceAll(/\{(\w+)\}/g, ':$1');
      this.#app.on(each.method.toUpperCase(), path, (context) => this.#answer(each, context));
    }
    this.#app.notFound((context) => this.#unknown(context.req.method, context.req.path).respond());
    this.#app.onError((error) => parts.fault(error).respond());
  }

  fetch(request: Request, environment: HostEnvironment): Response | Promise<Response> {
    return this.#app.fetch(request, environment);
  }

  /** The OpenAPI 3.1 document. */
  openapi(info: { readonly title: string; readonly version: string; readonly description: string }): object {
    this.#app.openAPIRegistry.registerComponent('securitySchemes', 'token', { type: 'http', scheme: 'bearer' });
    return this.#app.getOpenAPI31Document({ openapi: '3.1.0', info, servers: [{ url: '/' }] });
  }

  async #answer(endpoint: Endpoint, context: Context<{ Bindings: HostEnvironment }>): Promise<Response> {
    const startedMs = performance.now();
    const request = context.req.raw;
    const environment = context.env ?? {};
    let caller: Caller | null = null;
    let response: Response;
    try {
      caller = this.#parts.identify(request, environment);
      authorize(caller, endpoint.scopes);
      response = await this.#called(endpoint, context, caller);
    } catch (error) {
      const key = headerOf(request, environment, 'idempotency-key');
      response = withRemedy(this.#parts.fault(error), key).respond();
    }
    this.#parts.answered({ endpoint, request, environment, caller, status: response.status, startedMs });
    return response;
  }

  async #called(
    endpoint: Endpoint,
    context: Context<{ Bindings: HostEnvironment }>,
    caller: Caller | null,
  ): Promise<Response> {
    const request = context.req.raw;
    const environment = context.env ?? {};
    const call: Call = {
      request,
      environment,
      params: context.req.param(),
      query: queryOf(endpoint, environment.incoming?.url ?? request.url),
      body: null,
      caller,
      operationId: operationIdOf(caller, headerOf(request, environment, 'idempotency-key')),
      owe: (count) => this.#parts.owe(caller, environment, count),
    };
    if (endpoint.method === 'get') return endpoint.answer(call);
    return this.#write(endpoint, call);
  }

  async #write(endpoint: Endpoint, call: Call): Promise<Response> {
    const { request, environment } = call;
    const type = contentTypeOf(request, environment);
    const { answerBytes } = endpoint;
    if (type === formType && endpoint.answerForm !== undefined)
      return this.#form(endpoint.answerForm, call as Call<unknown, null>);
    const isBytes = type === 'application/octet-stream' || type === 'application/cbor';
    if (type !== 'application/json' && !(isBytes && answerBytes !== undefined)) throw wrongType(endpoint);
    const { bytes, release } = await this.#parts.bodies.read(request, environment, call.caller);
    try {
      if (isBytes && answerBytes !== undefined) return await answerBytes(bytes, call as Call<unknown, null>);
      return await endpoint.answer({ ...call, body: checked(endpoint.body, parseJson(bytes), 'body') });
    } finally {
      release();
    }
  }

  async #form(answer: NonNullable<Endpoint['answerForm']>, call: Call<unknown, null>): Promise<Response> {
    const { bytes, release } = await this.#parts.bodies.read(call.request, call.environment, call.caller, maxFormBytes);
    release();
    return answer(new URLSearchParams(new TextDecoder().decode(bytes)), call);
  }

  /** The path has other methods, or there is no such path. */
  #unknown(method: string, path: string): Problem {
    const others = this.#endpoints.filter((each) => pattern(each.path).test(path));
    if (others.length === 0) return notFound('There is no such path.');
    const allow = others.map((each) => each.method.toUpperCase()).join(', ');
    const detail = `${method.slice(0, 20)} is not a method of this path.`;
    return new Problem(405, 'ERR_SERVER_METHOD', { detail, headers: { allow } });
  }
}

function pattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}

/** A plain form of any page can send other types without asking, so writes do not take them. */
function wrongType({ answerBytes }: Endpoint): Problem {
  const others = answerBytes === undefined ? '' : ', application/octet-stream or application/cbor';
  return new Problem(415, 'ERR_SERVER_CONTENT_TYPE', { detail: `Send application/json${others}.` });
}

const noQuery = z.strictObject({});

function queryOf(endpoint: Endpoint, url: string): unknown {
  const start = url.indexOf('?');
  const { lists = [] } = endpoint;
  const given: Record<string, string | string[]> = Object.create(null);
  if (start >= 0)
    for (const [name, value] of new URLSearchParams(url.slice(start))) {
      const before = given[name];
      if (lists.includes(name)) {
        given[name] = [...(before ?? []), value];
        continue;
      }
      if (before !== undefined) throw wrongRequest(name, `The parameter ${name.slice(0, 64)} is given twice.`);
      given[name] = value;
    }
  else if (endpoint.query === undefined) return null;
  else return emptyQueryOf(endpoint.query);
  return checked(endpoint.query ?? noQuery, { ...given }, 'query');
}

const emptyQueries = new WeakMap<z.ZodType, unknown>();

/** The query of a request without one: its defaults, worked out once. @throws `Problem` 400 if a parameter is needed */
function emptyQueryOf(schema: z.ZodType): unknown {
  const known = emptyQueries.get(schema);
  if (known !== undefined) return known;
  const query = Object.freeze(checked(schema, {}, 'query'));
  emptyQueries.set(schema, query);
  return query;
}

/** @throws `Problem` 400 naming the first wrong field */
function checked(schema: z.ZodType | undefined, given: unknown, place: 'body' | 'query'): unknown {
  const result = (schema ?? z.strictObject({})).safeParse(given);
  if (result.success) return result.data;
  const { path, message } = deepest(result.error.issues, []);
  const field = path.map(String).join('.').slice(0, 200) || place;
  throw wrongRequest(field, `${field}: ${message.slice(0, 300)}`);
}

interface Fault {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** The first fault; of a value that may have several forms, that of the form which fits furthest, and then that which knows most of the names. */
function deepest([issue]: readonly z.core.$ZodIssue[], above: readonly PropertyKey[]): Fault {
  if (issue === undefined) return { path: above, message: 'is wrong' };
  const path = [...above, ...issue.path];
  if (issue.code === 'unrecognized_keys') return { path: [...path, ...issue.keys.slice(0, 1)], message: 'is unknown' };
  if (issue.code !== 'invalid_union') return { path, message: issue.message };
  // A form of another type is not what was meant.
  const meant = issue.errors.filter(([first]) => first?.code !== 'invalid_type' || first.path.length > 0);
  const forms = meant.map((each) => ({ ...deepest(each, path), unknown: unknownNames(each) }));
  const [furthest] = forms.sort((a, b) => b.path.length - a.path.length || a.unknown - b.unknown);
  return furthest ?? { path, message: issue.message };
}

/** How many names a form of an object does not have. */
function unknownNames(issues: readonly z.core.$ZodIssue[]): number {
  return issues.reduce(
    (sum, issue) => sum + (issue.code === 'unrecognized_keys' && issue.path.length === 0 ? issue.keys.length : 0),
    0,
  );
}

type Documented = Parameters<OpenAPIHono['openAPIRegistry']['registerPath']>[0];

/** The endpoint for the OpenAPI document. */
function documented(endpoint: Endpoint): Documented {
  const { method, path, summary, tag, scopes, answers } = endpoint;
  const responses = Object.entries(answers).map(
    ([status, { description, schema, contentType = 'application/json' }]) => [
      status,
      { description, content: { [contentType]: { schema: schema ?? z.string() } } },
    ],
  );
  const security = scopes.length === 0 ? [{}] : [{ token: [] }];
  return {
    method,
    path,
    summary,
    tags: [tag],
    security,
    description: scopes.length === 0 ? 'Open to all.' : `Scope: ${scopes.join(' or ')}.`,
    operationId: `${method}${path.replaceAll(/[^a-z]+(\w)/gi, (_, letter: string) => letter.toUpperCase()).replaceAll(/\W/g, '')}`,
    request: requestOf(endpoint),
    responses: {
      ...Object.fromEntries(responses),
      default: { description: 'Refused or failed.', content: problemForm },
    },
  } as Documented;
}

const hashParameter = z
  .string()
  .regex(/^(?:0[xX])?(?:[0-9a-fA-F]{2}){1,64}$/)
  .openapi({ description: 'Hex of 1–64 bytes, with or without 0x.' });
const textParameter = z.string().regex(/^[\x20-\x7e]{1,128}$/);
const parameters: Readonly<Record<string, z.ZodType>> = {
  hash: hashParameter,
  id: z.string().min(1).max(128),
};

function requestOf({
  method,
  path,
  params: forms = {},
  query,
  body,
  answerBytes,
}: Endpoint): NonNullable<Documented['request']> {
  const names = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name as string);
  const params = z.object(
    Object.fromEntries(names.map((name) => [name, forms[name] ?? parameters[name] ?? textParameter])),
  );
  const key = z.object({
    'idempotency-key': z
      .string()
      .regex(/^[\x20-\x7e]{1,128}$/)
      .optional(),
  });
  const bytes = { schema: z.string().openapi({ format: 'binary' }) };
  const content = {
    'application/json': { schema: body ?? z.strictObject({}) },
    ...(answerBytes === undefined ? {} : { 'application/octet-stream': bytes, 'application/cbor': bytes }),
  };
  return {
    ...(names.length === 0 ? {} : { params }),
    ...(query === undefined ? {} : { query: query as z.ZodObject }),
    ...(method === 'get' ? {} : { headers: key, body: { required: true, content } }),
  };
}
