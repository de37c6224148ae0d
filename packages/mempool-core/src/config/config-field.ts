import { MempoolError } from '../contract/errors.ts';

/** Where a value stands in what was given, for messages: `storage.mempool.key_prefix`. */
export type FieldPath = string;

/** Turns a value as written into the value meant. @throws `ERR_MEMPOOL_CONFIG` naming the place */
export type Field<T> = (value: unknown, place: FieldPath) => T;

/** A configuration is wrong: the error that names the field. */
export function misconfigured(place: FieldPath, problem: string): MempoolError {
  return new MempoolError('ERR_MEMPOOL_CONFIG', `${place} ${problem}`, { field: place });
}

export const text: Field<string> = (value, place) => {
  if (typeof value !== 'string' || value === '') throw misconfigured(place, 'must be a text that is not empty');
  return value;
};

export const count: Field<number> = (value, place) => {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1)
    throw misconfigured(place, 'must be a whole number of at least 1');
  return value;
};

export const countFromZero: Field<number> = (value, place) => {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw misconfigured(place, 'must be a whole number of at least 0');
  return value;
};

/** JSON has no infinity, so `"unlimited"` says it. */
export const limit: Field<number> = (value, place) => {
  if (value === 'unlimited' || value === Number.POSITIVE_INFINITY) return Number.POSITIVE_INFINITY;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw misconfigured(place, 'must be a whole number of at least 0 or "unlimited"');
};

export const bump: Field<number> = (value, place) => {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0 || value > 10_000)
    throw misconfigured(place, 'must be a whole number of 0–10,000');
  return value;
};

/** JSON has no infinity, so `"never"` says it. */
export const threshold: Field<number> = (value, place) => {
  if (value === 'never' || value === Number.POSITIVE_INFINITY) return Number.POSITIVE_INFINITY;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return value;
  throw misconfigured(place, 'must be a whole number of at least 1 or "never"');
};

export const poolName: Field<string> = (value, place) => {
  if (typeof value !== 'string' || !/^[\x21-\x7e]{1,128}$/.test(value))
    throw misconfigured(place, 'must be 1–128 printable ASCII characters without spaces');
  return value;
};

export const electionName: Field<string> = (value, place) => {
  if (typeof value !== 'string' || !/^[a-z0-9._-]{1,64}$/.test(value))
    throw misconfigured(place, 'must be 1–64 of a–z 0–9 . _ -');
  return value;
};

export const flag: Field<boolean> = (value, place) => {
  if (typeof value !== 'boolean') throw misconfigured(place, 'must be true or false');
  return value;
};

/** The text of the error never has the URL: it may hold a password. */
export const redisUrl: Field<string> = (value, place) => {
  const { protocol } = URL.parse(text(value, place)) ?? { protocol: '' };
  if (protocol !== 'redis:' && protocol !== 'rediss:')
    throw misconfigured(place, 'must be a URL that begins with redis:// or rediss://');
  return value as string;
};

export const table: Field<Readonly<Record<string, unknown>>> = (value, place) => {
  if (!isTable(value)) throw misconfigured(place, 'must be a table');
  return value;
};

export function oneOf<T extends string>(...choices: readonly T[]): Field<T> {
  return (value, place) => {
    const choice = choices.find((each) => each === value);
    if (choice === undefined) throw misconfigured(place, `must be ${choices.map((each) => `"${each}"`).join(' or ')}`);
    return choice;
  };
}

export function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** A name as TOML files usually have it. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
