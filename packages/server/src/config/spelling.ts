import { isTable, misconfigured, shortName } from 'mempool-core/backend';

/** A table with its names in camel case, and the original spelling of each name, by path. */
export interface Spelled {
  readonly value: unknown;
  readonly spelling: ReadonlyMap<string, string>;
}

/** Converts the names of a table and of its inner tables to camel case. @throws `ERR_MEMPOOL_CONFIG` for a name in both spellings */
export function camelCased(given: unknown, place: string): Spelled {
  const spelling = new Map<string, string>();
  return { value: convert(given, place, place, spelling), spelling };
}

function convert(given: unknown, path: string, written: string, spelling: Map<string, string>): unknown {
  spelling.set(path, written);
  if (Array.isArray(given)) return given.map((each, i) => convert(each, `${path}.${i}`, `${written}[${i}]`, spelling));
  if (!isTable(given)) return given;
  const table: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    const camel = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const place = `${written}.${shortName(name)}`;
    if (Object.hasOwn(table, camel)) throw misconfigured(place, 'is given twice, in two spellings');
    if (value !== undefined) table[camel] = convert(value, `${path}.${camel}`, place, spelling);
  }
  return table;
}
