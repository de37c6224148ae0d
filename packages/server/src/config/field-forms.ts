import { z } from 'zod';

// Forms that fields of the sections share.

/** The schema of a section, with its fields. */
export type SectionSchema<Section> = z.ZodType<Section> & { readonly shape: z.core.$ZodShape };

/** The longest delay of a timer, in milliseconds. */
export const maxTimerMs: number = 2 ** 31 - 1;

export const text: z.ZodString = z
  .string({ error: ({ input }) => (input === undefined ? 'is missing' : 'must be a string') })
  .min(1, 'must not be empty');
export const flag: z.ZodBoolean = z.boolean('must be true or false');

export function whole(least: number, most: number): z.ZodNumber {
  const error = `must be a whole number of ${least.toLocaleString('en')}–${most.toLocaleString('en')}`;
  return z.int(error).min(least, error).max(most, error);
}

export function list<T extends z.ZodType>(of: T): z.ZodDefault<z.ZodArray<T>> {
  return z.array(of, 'must be a list').default([]);
}

export function optional<T extends z.ZodType>(of: T): z.ZodDefault<z.ZodNullable<T>> {
  return of.nullable().default(null);
}

/** The schema of a table with these fields. An unknown field is refused. */
export function table<Fields extends z.core.$ZodShape>(fields: Fields): z.ZodObject<Fields, z.core.$strict> {
  return z.strictObject(fields, 'must be a table');
}

/** The port of a listener; 0: a free one. */
export function portOf(standard: number): z.ZodDefault<z.ZodNumber> {
  return whole(0, 65_535).default(standard).describe('The port to listen on; 0: a free one.');
}
