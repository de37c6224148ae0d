import type { JsonValue } from '../codec/to-json.ts';
import { MempoolError } from '../contract/errors.ts';
import { maxPriority, minPriority } from '../contract/verdict.ts';

/** The path of a field in the configuration, for messages, such as `storage.mempool.key_prefix`. */
export type FieldPath = string;

/** The JSON Schema of a field. */
export type FieldSchema = Readonly<Record<string, JsonValue>>;

/** Checks a value and converts it to the field's type. @throws `ERR_MEMPOOL_CONFIG` naming the field */
export interface Field<T> {
  (value: unknown, place: FieldPath): T;
  /** The JSON Schema of the values, for editors. It may accept more than the check, where JSON Schema cannot express it. */
  readonly schema: FieldSchema;
}

/** Makes a field from its JSON Schema and its check. */
export function field<T>(schema: FieldSchema, check: (value: unknown, place: FieldPath) => T): Field<T> {
  return Object.assign(check, { schema });
}

/** Returns the error for a wrong configuration, `ERR_MEMPOOL_CONFIG`. The message is the field and the problem. */
export function misconfigured(place: FieldPath, problem: string): MempoolError {
  return new MempoolError('ERR_MEMPOOL_CONFIG', `${place} ${problem}`, { field: place });
}

/** A non-empty string. */
export const text: Field<string> = field({ type: 'string', minLength: 1 }, (value, place) => {
  if (typeof value !== 'string' || value === '') throw misconfigured(place, 'must be a non-empty string');
  return value;
});

/** A safe integer of at least 1. */
export const count: Field<number> = field({ type: 'integer', minimum: 1 }, (value, place) => {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1)
    throw misconfigured(place, 'must be a whole number of at least 1');
  return value;
});

/** A safe integer of at least 0. */
export const countFromZero: Field<number> = field({ type: 'integer', minimum: 0 }, (value, place) => {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw misconfigured(place, 'must be a whole number of at least 0');
  return value;
});

/** A safe integer of at least 0. `"unlimited"` stands for infinity, which JSON lacks. */
export const limit: Field<number> = field(
  { anyOf: [{ type: 'integer', minimum: 0 }, { const: 'unlimited' }] },
  (value, place) => {
    if (value === 'unlimited' || value === Number.POSITIVE_INFINITY) return Number.POSITIVE_INFINITY;
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
    throw misconfigured(place, 'must be a whole number of at least 0 or "unlimited"');
  },
);

/** A safe integer of at least 0. `"never"` and `"unlimited"` stand for infinity, which JSON lacks. */
export const lifetime: Field<number> = field(
  { anyOf: [{ type: 'integer', minimum: 0 }, { enum: ['never', 'unlimited'] }] },
  (value, place) => {
    if (value === 'never' || value === 'unlimited' || value === Number.POSITIVE_INFINITY)
      return Number.POSITIVE_INFINITY;
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
    throw misconfigured(place, 'must be a whole number of at least 0 or "never"');
  },
);

/** A replacement bump: an integer of 0–10,000. */
export const bump: Field<number> = field({ type: 'integer', minimum: 0, maximum: 10_000 }, (value, place) => {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0 || value > 10_000)
    throw misconfigured(place, 'must be a whole number of 0–10,000');
  return value;
});

/** A signed 64-bit integer: a number, or its digits as text where a number would be rounded. */
export const priority: Field<bigint> = field(
  { anyOf: [{ type: 'integer' }, { type: 'string', pattern: '^-?[0-9]{1,19}$' }] },
  (value, place) => {
    const isWritten = typeof value === 'string' && /^-?\d{1,19}$/.test(value);
    const whole =
      isWritten || Number.isSafeInteger(value) || typeof value === 'bigint' ? BigInt(value as string) : null;
    if (whole !== null && whole >= minPriority && whole <= maxPriority) return whole;
    throw misconfigured(place, 'must be a whole number of 64 bits, signed');
  },
);

/** A safe integer of at least 1. `"never"` stands for infinity, which JSON lacks. */
export const threshold: Field<number> = field(
  { anyOf: [{ type: 'integer', minimum: 1 }, { const: 'never' }] },
  (value, place) => {
    if (value === 'never' || value === Number.POSITIVE_INFINITY) return Number.POSITIVE_INFINITY;
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return value;
    throw misconfigured(place, 'must be a whole number of at least 1 or "never"');
  },
);

/** The name of a pool. */
export const poolName: Field<string> = field({ type: 'string', pattern: '^[!-~]{1,128}$' }, (value, place) => {
  if (typeof value !== 'string' || !/^[\x21-\x7e]{1,128}$/.test(value))
    throw misconfigured(place, 'must be 1–128 printable ASCII characters without spaces');
  return value;
});

/** The name of an election. */
export const electionName: Field<string> = field({ type: 'string', pattern: '^[a-z0-9._-]{1,64}$' }, (value, place) => {
  if (typeof value !== 'string' || !/^[a-z0-9._-]{1,64}$/.test(value))
    throw misconfigured(place, 'must be 1–64 of a–z 0–9 . _ -');
  return value;
});

/** True or false. */
export const flag: Field<boolean> = field({ type: 'boolean' }, (value, place) => {
  if (typeof value !== 'boolean') throw misconfigured(place, 'must be true or false');
  return value;
});

/** A Redis URL. The error message never contains it, because it may contain a password. */
export const redisUrl: Field<string> = field(
  { type: 'string', pattern: '^[Rr][Ee][Dd][Ii][Ss][Ss]?:' },
  (value, place) => {
    const { protocol } = URL.parse(text(value, place)) ?? { protocol: '' };
    if (protocol !== 'redis:' && protocol !== 'rediss:')
      throw misconfigured(place, 'must be a URL that begins with redis:// or rediss://');
    return value as string;
  },
);

const hostPort = '^(\\[[0-9A-Fa-f:.]+\\]|[^\\s:/@\\[\\]]+):[0-9]{1,5}$';

/** The address of a server, `host:port`. */
const address: Field<string> = field({ type: 'string', pattern: hostPort }, (value, place) => {
  if (typeof value !== 'string' || !new RegExp(hostPort).test(value))
    throw misconfigured(place, 'must be of the form host:port');
  return value;
});

/** A list of at least one address. */
export const addresses: Field<readonly string[]> = field(
  { type: 'array', items: address.schema, minItems: 1 },
  (value, place) => {
    if (!Array.isArray(value) || value.length === 0) throw misconfigured(place, 'must be a list of host:port');
    return value.map((each) => address(each, place));
  },
);

/** A map from addresses to addresses. */
export const addressMap: Field<Readonly<Record<string, string>>> = field(
  { type: 'object', additionalProperties: address.schema },
  (value, place) => {
    if (!isTable(value)) throw misconfigured(place, 'must be a table of host:port by host:port');
    return Object.fromEntries(Object.entries(value).map(([from, to]) => [address(from, place), address(to, place)]));
  },
);

/** An object for which `isTable` is true. */
export const table: Field<Readonly<Record<string, unknown>>> = field({ type: 'object' }, (value, place) => {
  if (!isTable(value)) throw misconfigured(place, 'must be a table');
  return value;
});

/** A field that accepts only these strings. */
export function oneOf<T extends string>(...choices: readonly T[]): Field<T> {
  return field({ enum: choices }, (value, place) => {
    const choice = choices.find((each) => each === value);
    if (choice === undefined) throw misconfigured(place, `must be ${choices.map((each) => `"${each}"`).join(' or ')}`);
    return choice;
  });
}

/** True for an object that is neither an array nor a `Date`. */
export function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** Converts a name to snake case, as TOML files usually write it. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
