import { MempoolError } from '../contract/errors.ts';

/** The path of a field in the configuration, for messages, such as `storage.mempool.key_prefix`. */
export type FieldPath = string;

/** Checks a value and converts it to the field's type. @throws `ERR_MEMPOOL_CONFIG` naming the field */
export type Field<T> = (value: unknown, place: FieldPath) => T;

/** The error for a wrong configuration, `ERR_MEMPOOL_CONFIG`. The message is the field and the problem. */
export function misconfigured(place: FieldPath, problem: string): MempoolError {
  return new MempoolError('ERR_MEMPOOL_CONFIG', `${place} ${problem}`, { field: place });
}

/** A non-empty string. */
export const text: Field<string> = (value, place) => {
  if (typeof value !== 'string' || value === '') throw misconfigured(place, 'must be a non-empty string');
  return value;
};

/** A safe integer of at least 1. */
export const count: Field<number> = (value, place) => {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1)
    throw misconfigured(place, 'must be a whole number of at least 1');
  return value;
};

/** A safe integer of at least 0. */
export const countFromZero: Field<number> = (value, place) => {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw misconfigured(place, 'must be a whole number of at least 0');
  return value;
};

/** A safe integer of at least 0. `"unlimited"` stands for infinity, which JSON lacks. */
export const limit: Field<number> = (value, place) => {
  if (value === 'unlimited' || value === Number.POSITIVE_INFINITY) return Number.POSITIVE_INFINITY;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw misconfigured(place, 'must be a whole number of at least 0 or "unlimited"');
};

/** A replacement bump: an integer of 0–10,000. */
export const bump: Field<number> = (value, place) => {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0 || value > 10_000)
    throw misconfigured(place, 'must be a whole number of 0–10,000');
  return value;
};

/** A safe integer of at least 1. `"never"` stands for infinity, which JSON lacks. */
export const threshold: Field<number> = (value, place) => {
  if (value === 'never' || value === Number.POSITIVE_INFINITY) return Number.POSITIVE_INFINITY;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return value;
  throw misconfigured(place, 'must be a whole number of at least 1 or "never"');
};

/** The name of a pool. */
export const poolName: Field<string> = (value, place) => {
  if (typeof value !== 'string' || !/^[\x21-\x7e]{1,128}$/.test(value))
    throw misconfigured(place, 'must be 1–128 printable ASCII characters without spaces');
  return value;
};

/** The name of an election. */
export const electionName: Field<string> = (value, place) => {
  if (typeof value !== 'string' || !/^[a-z0-9._-]{1,64}$/.test(value))
    throw misconfigured(place, 'must be 1–64 of a–z 0–9 . _ -');
  return value;
};

/** True or false. */
export const flag: Field<boolean> = (value, place) => {
  if (typeof value !== 'boolean') throw misconfigured(place, 'must be true or false');
  return value;
};

/** A Redis URL. The error message never contains it, because it may contain a password. */
export const redisUrl: Field<string> = (value, place) => {
  const { protocol } = URL.parse(text(value, place)) ?? { protocol: '' };
  if (protocol !== 'redis:' && protocol !== 'rediss:')
    throw misconfigured(place, 'must be a URL that begins with redis:// or rediss://');
  return value as string;
};

/** A table, as `isTable` tests it. */
export const table: Field<Readonly<Record<string, unknown>>> = (value, place) => {
  if (!isTable(value)) throw misconfigured(place, 'must be a table');
  return value;
};

/** A field that accepts only these strings. */
export function oneOf<T extends string>(...choices: readonly T[]): Field<T> {
  return (value, place) => {
    const choice = choices.find((each) => each === value);
    if (choice === undefined) throw misconfigured(place, `must be ${choices.map((each) => `"${each}"`).join(' or ')}`);
    return choice;
  };
}

/** True for an object that is neither an array nor a `Date`. */
export function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** The name in snake case, as TOML files usually write it. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
