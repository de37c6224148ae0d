import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from 'mempool-testkit';

/** A part of a JSON Schema, as the OpenAPI document has them. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: Schema;
}

interface Operation {
  readonly description: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<Record<string, unknown>>;
}

type Routed = readonly [method: string, path: string, operation: Operation];

/** The parts of an OpenAPI document that a fuzzer reads. */
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** A request to send. */
export interface FuzzRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** The statuses that the document declares for success. */
  readonly declared: readonly string[];
}

/** Values that programs stumble over. */
const nasty: readonly unknown[] = [
  ...[
    null,
    '',
    0,
    -1,
    1.5,
    1e308,
    2 ** 53,
    -(2 ** 63),
    true,
    [],
    {},
    [[[[]]]],
    'never',
    'origin',
    '__proto__',
    '\u0000',
  ],
  ...[
    '\ud800',
    '💥'.repeat(300),
    'a'.repeat(5_000),
    '0x',
    '../../etc/passwd',
    '%00',
    "' OR 1=1",
    '9'.repeat(400),
    'NaN',
  ],
  ...[
    { __proto__: null, constructor: 1 },
    { kind: 'damaged' },
    Array.from({ length: 1_001 }, () => 'aa'),
    '-0',
    'e1.x',
    'l0.y',
  ],
];

/** Makes requests out of an OpenAPI document: most fit it, some do not. */
export class Fuzzer {
  readonly #document: Document;
  readonly #random: Random;
  readonly #operations: readonly Routed[];
  /** They come more often, so that the other requests find transactions. */
  readonly #submitting: readonly Routed[];
  /** How often a value is replaced by another one. */
  #spoil = 0;

  /** Leaves out operations that answer with a stream without end. */
  constructor(document: Document, random: Random, leftOut: readonly string[] = []) {
    this.#document = document;
    this.#random = random;
    this.#operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(() => !leftOut.includes(path))
        .map(([method, operation]) => [method, path, operation] as const),
    );
    this.#submitting = this.#operations.filter(([method, path]) => method === 'post' && path.endsWith('/transactions'));
  }

  next(): FuzzRequest {
    const [method, template, operation] = this.#random.pick(this.#chance(0.25) ? this.#submitting : this.#operations);
    this.#spoil = this.#random.pick([0, 0, 0.1, 0.5]);
    let path = template;
    const query = new URLSearchParams();
    const headers: Record<string, string> = {};
    for (const each of operation.parameters ?? []) {
      if (each.required !== true && this.#chance(0.5)) continue;
      const value = textOf(this.#value(each.schema));
      if (each.in === 'path') path = path.replace(`{${each.name}}`, encodeURIComponent(value.toWellFormed()) || 'a');
      if (each.in === 'query') query.append(each.name, value);
      if (each.in === 'header') headers[each.name] = value.replaceAll(/[^\x20-\x7e]/g, '?').trim();
    }
    if (this.#chance(this.#spoil / 3)) query.append(this.#random.pick(['x', 'limit', 'after', '__proto__']), '1');
    if (query.has('wait')) query.set('timeout', '5ms');
    const body = this.#body(operation, headers);
    const search = query.size === 0 ? '' : `?${query}`;
    const declared = Object.keys(operation.responses).filter((status) => status !== 'default');
    return { method: method.toUpperCase(), path: path + search, headers, body, declared };
  }

  #body(operation: Operation, headers: Record<string, string>): string | undefined {
    const content = Object.entries(operation.requestBody?.content ?? {});
    if (content.length === 0) return undefined;
    const [type, { schema }] = this.#random.pick(content);
    headers['content-type'] = this.#chance(this.#spoil / 4) ? 'text/plain' : type;
    if (type !== 'application/json') return textOf(this.#random.pick(nasty)) || 'a transaction';
    const text = JSON.stringify(this.#value(schema));
    return this.#chance(this.#spoil / 4) ? text.slice(0, text.length >> 1) : text;
  }

  #value(schema: Schema): unknown {
    if (this.#chance(this.#spoil)) return this.#random.pick(nasty);
    if (schema.$ref !== undefined)
      return this.#value(this.#document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {});
    if (schema.anyOf !== undefined) return this.#value(this.#random.pick(schema.anyOf));
    if (schema.enum !== undefined) return this.#random.pick(schema.enum);
    const type = Array.isArray(schema.type) ? this.#random.pick(schema.type) : schema.type;
    return this.#ofType(type, schema);
  }

  #chance(part: number): boolean {
    return this.#random.below(1_000) < part * 1_000;
  }

  #ofType(type: string | undefined, schema: Schema): unknown {
    switch (type) {
      case 'object':
        return this.#object(schema);
      case 'array':
        return Array.from({ length: this.#random.below(4) }, () => this.#value(schema.items ?? {}));
      case 'integer':
      case 'number':
        return this.#random.pick([schema.minimum || 1, 1, 7, 1_000, Math.min(schema.maximum ?? 100_000, 100_000)]);
      case 'boolean':
        return this.#chance(0.5);
      case 'null':
        return null;
      default:
        return this.#text(schema);
    }
  }

  #object({ properties = {}, required = [] }: Schema): Record<string, unknown> {
    const names = Object.keys(properties).filter(
      (name) => required.includes(name) || this.#chance(name === 'hash' ? 0.8 : 0.3),
    );
    const made = Object.fromEntries(names.map((name) => [name, this.#value(properties[name] ?? {})]));
    return this.#chance(this.#spoil / 3) ? { ...made, surprise: 1 } : made;
  }

  /** A text that fits the few forms that the document knows. The same few hashes come again and again. */
  #text({ pattern = '', format }: Schema): string {
    const few = this.#random.below(12).toString(16);
    if (format === 'base64' || format === 'byte')
      return Buffer.from(few.repeat(this.#random.below(40))).toString('base64');
    if (pattern.includes('{64}')) return few.repeat(64);
    if (pattern.includes('fA-F')) return few.repeat(64);
    if (pattern.includes('ms|s|m|h')) return this.#random.pick(['1ms', '20ms', '0']);
    if (pattern.includes('-?')) return String(this.#random.below(1_000) - 500);
    return this.#random.pick(['origin', 'worker', few, 'a.b', `e${few}.0`]);
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

const slowMs = 20_000;
const atOnce = 8;

/** Sends so many random requests, and returns what is wrong with the answers. */
export async function fuzz(
  url: string,
  document: Document,
  { seed, requests }: { readonly seed: number; readonly requests: number },
): Promise<string[]> {
  const fuzzer = new Fuzzer(document, new Random(seed), ['/api/v1/events']);
  const faults: string[] = [];
  let left = requests;
  const sendAll = async (): Promise<void> => {
    while (left-- > 0) {
      const request = fuzzer.next();
      const fault = await faultOf(url, request);
      if (fault !== null) faults.push(`${fault}: ${JSON.stringify(request).slice(0, 500)}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, sendAll));
  return faults;
}

async function faultOf(url: string, { method, path, headers, body, declared }: FuzzRequest): Promise<string | null> {
  const sent = fetch(url + path, { method, headers, body: body ?? null }).then(async (response) => ({
    response,
    text: await response.text(),
  }));
  const answer = await Promise.race([sent, sleep(slowMs, null, { ref: false })]);
  if (answer === null) return 'no answer';
  const { response, text } = answer;
  const type = response.headers.get('content-type');
  if (response.status >= 500) return `${response.status} ${text}`;
  if (response.ok) return declared.includes(String(response.status)) ? null : `undeclared ${response.status}`;
  if (type !== 'application/problem+json') return `${response.status} as ${type}`;
  const { status, code } = JSON.parse(text);
  return status === response.status && typeof code === 'string' ? null : text;
}
