import { invalidParams } from './rpc-fault.ts';

/** The parameters of all methods. */
export interface RpcParams {
  /** The bytes of a transaction; empty if none were given. */
  readonly tx: Uint8Array;
  /** The limit; `null` if it was not given. */
  readonly limit: number | null;
  /** The bytes of a hash; empty if none were given. */
  readonly hash: Uint8Array;
  /** True: with a proof. */
  readonly prove: boolean;
  /** A query; empty if none was given. */
  readonly query: string;
  /** The number of a page, from 1; `null` if it was not given. */
  readonly page: number | null;
  readonly per_page: number | null;
  readonly order_by: string;
}

/** The name of a parameter. */
export type ParamName = keyof RpcParams;

const none: RpcParams = {
  ...{ tx: new Uint8Array(), limit: null, hash: new Uint8Array(), prove: false, query: '' },
  ...{ page: null, per_page: null, order_by: '' },
};

interface Reader<T> {
  /** Parses a value in JSON. @throws `RpcFault` */
  json(value: unknown): T;
  /** Parses a text in a URI, which is not empty. @throws `RpcFault` */
  text(given: string): T;
}

const readers: { readonly [Name in ParamName]: Reader<RpcParams[Name]> } = {
  tx: { json: bytesOfJson, text: bytesOfText },
  limit: { json: integerOfJson, text: integerOfText },
  hash: { json: bytesOfJson, text: bytesOfText },
  prove: { json: flagOfJson, text: (given) => flagOfJson(JSON.parse(given)) },
  query: { json: stringOfJson, text: (given) => stringOfJson(JSON.parse(given)) },
  page: { json: integerOfJson, text: integerOfText },
  per_page: { json: integerOfJson, text: integerOfText },
  order_by: { json: stringOfJson, text: (given) => stringOfJson(JSON.parse(given)) },
};

/**
 * Returns the parameters of a call by JSON-RPC, from an object, or from a list with all of them in order. It ignores members
 * that the method does not have.
 * @throws `RpcFault` −32602
 */
export function paramsOfJson(names: readonly ParamName[], params: unknown): RpcParams {
  return converted('json', () => {
    if (params === undefined || params === null) return none;
    if (typeof params !== 'object')
      throw new Error(`unknown type for JSON params: ${typeof params}. Expected map or array`);
    if (!Array.isArray(params)) return read(names, (name) => readJson(name, member(params, name)));
    if (params.length !== names.length)
      throw new Error(`expected ${names.length} parameters ([${names.join(' ')}]), got ${params.length}`);
    return read(names, (name, i) => readJson(name, params[i]));
  });
}

/** Returns the parameters of a call by URI: integers, quoted texts, and bytes as text or as `0x` and hex. @throws `RpcFault` −32602 */
export function paramsOfUri(names: readonly ParamName[], query: URLSearchParams): RpcParams {
  return converted('http', () =>
    read(names, (name) => {
      const given = query.get(name) ?? '';
      return given === '' ? none[name] : readers[name].text(given);
    }),
  );
}

function read(names: readonly ParamName[], one: (name: ParamName, i: number) => RpcParams[ParamName]): RpcParams {
  return { ...none, ...Object.fromEntries(names.map((name, i) => [name, one(name, i)])) };
}

function readJson(name: ParamName, value: unknown): RpcParams[ParamName] {
  return value === undefined || value === null ? none[name] : readers[name].json(value);
}

/** Own members only: `constructor` is none. */
function member(params: object, name: string): unknown {
  return Object.hasOwn(params, name) ? (params as Record<string, unknown>)[name] : undefined;
}

/** Says of every failure what CometBFT says. */
function converted<T>(kind: 'json' | 'http', work: () => T): T {
  try {
    return work();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw invalidParams(`error converting ${kind} params to arguments: ${reason}`);
  }
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function bytesOfJson(value: unknown): Uint8Array {
  if (typeof value !== 'string') throw new Error('expected base64 in a string');
  if (!base64.test(value)) throw new Error('illegal base64 data');
  return Buffer.from(value, 'base64');
}

function bytesOfText(given: string): Uint8Array {
  if (/^0x/i.test(given)) {
    if (!/^0x(?:[0-9a-f]{2})*$/i.test(given)) throw new Error('encoding/hex: invalid byte or odd length hex string');
    return Buffer.from(given.slice(2), 'hex');
  }
  const value: unknown = JSON.parse(given);
  if (typeof value === 'string') return Buffer.from(value, 'utf8');
  return value === null ? none.tx : bytesOfJson(value);
}

const integer = /^-?(?:0|[1-9]\d{0,18})$/;

/** CometBFT's JSON has integers of 64 bits as text. */
function integerOfJson(value: unknown): number {
  if (typeof value === 'string' && integer.test(value)) return Number(value);
  throw new Error(
    `invalid 64-bit integer encoding ${JSON.stringify(JSON.stringify(value)).slice(0, 100)}, expected string`,
  );
}

function integerOfText(given: string): number | null {
  if (/^0x/i.test(given)) throw new Error("got a hex string arg, but expected 'int'");
  if (integer.test(given)) return Number(given);
  const value: unknown = JSON.parse(given);
  return value === null ? null : integerOfJson(value);
}

function flagOfJson(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw new Error('expected true or false');
}

function stringOfJson(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new Error('expected a string');
}
