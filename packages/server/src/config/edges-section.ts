import { resolve } from 'node:path';
import { isTable, misconfigured, shortName } from 'mempool-core/backend';
import type { ConfiguredExtension, SectionExtension } from './extension.ts';
import { edgePrefix, loadExtension } from './find-extension.ts';
import { readSecret } from './secret-file.ts';
import { parseTable } from './sections.ts';
import { camelCased } from './spelling.ts';

/** Where the extensions and the files of a section are. */
export interface EdgesPlace {
  /** The folder of the configuration. */
  readonly folder: string;
  /** Extensions that are not loaded but given, by the name of the edge. */
  readonly edges: Readonly<Record<string, SectionExtension>>;
}

/**
 * Reads the section `[edges]`, a table for each edge that is on, by the schema of its extension.
 * @throws `ERR_MEMPOOL_CONFIG` naming the field; the errors of `loadExtension`
 */
export async function edgesOf(given: unknown, place: EdgesPlace): Promise<Record<string, ConfiguredExtension>> {
  if (!isTable(given)) throw misconfigured('edges', 'must be a table');
  const edges: Record<string, ConfiguredExtension> = {};
  for (const [name, table] of Object.entries(given))
    if (table !== null && table !== undefined) edges[name] = await edgeOf(name, table, place);
  return edges;
}

async function edgeOf(name: string, given: unknown, { folder, edges }: EdgesPlace): Promise<ConfiguredExtension> {
  if (!/^[a-z][a-z0-9-]{0,63}$/.test(name))
    throw misconfigured(`edges.${shortName(name)}`, 'must have a name of a–z, 0–9 and -, which begins with a letter');
  const section = `edges.${name}`;
  if (!isTable(given)) throw misconfigured(section, 'must be a table');
  const { package: module = edgePrefix + name, ...fields } = given;
  if (typeof module !== 'string' || module === '')
    throw misconfigured(`${section}.package`, 'must be a non-empty string');
  const extension = edges[name] ?? (await loadExtension({ section, module, folder }));
  return { extension, options: await optionsOf(extension, fields, folder) };
}

/** Reads secrets from their files: a field `xFile` of the schema stands for the field `x`. */
async function optionsOf({ section, schema }: SectionExtension, given: object, folder: string): Promise<unknown> {
  const { value, spelling } = camelCased(given, section);
  const fields = value as Readonly<Record<string, unknown>>;
  const { fromFiles, rest } = divided(schema.shape, fields);
  const written = new Map(spelling);
  const values: Record<string, unknown> = { ...rest };
  for (const [field, path] of fromFiles) {
    const place = spelling.get(`${section}.${field}File`) ?? `${section}.${field}File`;
    if ((fields[field] ?? null) !== null) throw misconfigured(place, `is given beside ${field}`);
    if (typeof path !== 'string' || path === '') throw misconfigured(place, 'must be a non-empty string');
    values[field] = await readSecret(resolve(folder, path), place);
    written.set(`${section}.${field}`, place);
  }
  return parseTable(schema, { place: section, given: values, spelling: written });
}

function divided(
  shape: object,
  fields: Readonly<Record<string, unknown>>,
): {
  readonly fromFiles: readonly (readonly [field: string, path: unknown])[];
  readonly rest: Readonly<Record<string, unknown>>;
} {
  const isFile = (name: string): boolean =>
    name.endsWith('File') && Object.hasOwn(shape, name) && Object.hasOwn(shape, name.slice(0, -'File'.length));
  const entries = Object.entries(fields);
  return {
    fromFiles: entries.filter(([name]) => isFile(name)).map(([name, path]) => [name.slice(0, -'File'.length), path]),
    rest: Object.fromEntries(entries.filter(([name]) => !isFile(name))),
  };
}
