import { resolve } from 'node:path';
import type { MempoolConfig } from 'mempool-core';
import { isTable, misconfigured, shortName } from 'mempool-core/backend';
import type { ConfiguredExtension, SectionExtension, SectionPlace } from './extension.ts';
import { edgePrefix, installedExtension, loadExtension, packageOf } from './find-extension.ts';
import { readSecret } from './secret-file.ts';
import { parseTable } from './sections.ts';
import { camelCased } from './spelling.ts';

/** Where the extensions and the files of a section are. */
export interface ExtensionsPlace {
  /** The folder of the configuration. */
  readonly folder: string;
  /** Extensions that are not loaded but given, by their sections. */
  readonly given: Readonly<Record<string, SectionExtension>>;
  /** The section `[mempool]`. */
  readonly mempool: MempoolConfig<string>;
}

/** The extensions of a configuration with their checked options, by their sections. */
export type ConfiguredExtensions = Readonly<Record<string, ConfiguredExtension>>;

/**
 * Reads the section `[edges]`, a table for each edge that is on, by the schema of its extension.
 * @throws `ERR_MEMPOOL_CONFIG` naming the field; the errors of `loadExtension`
 */
export async function edgesOf(given: unknown, place: ExtensionsPlace): Promise<ConfiguredExtensions> {
  if (!isTable(given)) throw misconfigured('edges', 'must be a table');
  const edges: Record<string, ConfiguredExtension> = {};
  for (const [name, table] of Object.entries(given))
    if (table !== null && table !== undefined) edges[`edges.${shortName(name)}`] = await edgeOf(name, table, place);
  return edges;
}

async function edgeOf(
  name: string,
  given: unknown,
  { folder, ...place }: ExtensionsPlace,
): Promise<ConfiguredExtension> {
  const section = `edges.${shortName(name)}`;
  if (!/^[a-z][a-z0-9-]{0,63}$/.test(name))
    throw misconfigured(section, 'must have a name of a–z, 0–9 and -, which begins with a letter');
  if (!isTable(given)) throw misconfigured(section, 'must be a table');
  const { package: module = edgePrefix + name, ...fields } = given;
  if (typeof module !== 'string' || module === '')
    throw misconfigured(`${section}.package`, 'must be a non-empty string');
  const extension = place.given[section] ?? (await loadExtension({ section, module, folder }));
  return { extension, options: await optionsOf(extension, fields, { folder, mempool: place.mempool }) };
}

/** Loads the extensions of these sections. @throws the errors of `loadExtension` */
export function loaded(
  sections: readonly string[],
  { folder, given }: Pick<ExtensionsPlace, 'folder' | 'given'>,
): Promise<SectionExtension[]> {
  const load = async (section: string): Promise<SectionExtension> =>
    given[section] ?? (await loadExtension({ section, module: packageOf(section), folder }));
  return Promise.all(sections.map(load));
}

/** Reads the table of an extension. @throws `ERR_MEMPOOL_CONFIG` naming the field */
export async function sectionOf(
  extension: SectionExtension,
  given: unknown,
  { folder, mempool }: ExtensionsPlace,
): Promise<ConfiguredExtensions> {
  const { section } = extension;
  if (!isTable(given)) throw misconfigured(section, 'must be a table');
  return { [section]: { extension, options: await optionsOf(extension, given, { folder, mempool }) } };
}

/** Loads the dashboard if it is installed. @throws the errors of `loadExtension` */
export async function dashboardOf({ folder, given, mempool }: ExtensionsPlace): Promise<ConfiguredExtensions> {
  const section = 'dashboard';
  const extension = given[section] ?? (await installedExtension({ section, module: packageOf(section), folder }));
  if (extension === null) return {};
  return { [section]: { extension, options: await optionsOf(extension, {}, { folder, mempool }) } };
}

/** Reads secrets from their files: a field `xFile` of the schema stands for the field `x`. */
async function optionsOf(
  { section, schema, complete }: SectionExtension,
  given: object,
  place: SectionPlace,
): Promise<unknown> {
  const { value, spelling } = camelCased(given, section);
  const fields = value as Readonly<Record<string, unknown>>;
  const { fromFiles, rest } = divided(schema.shape, fields);
  const written = new Map(spelling);
  const values: Record<string, unknown> = { ...rest };
  for (const [field, path] of fromFiles) {
    const name = spelling.get(`${section}.${field}File`) ?? `${section}.${field}File`;
    if ((fields[field] ?? null) !== null) throw misconfigured(name, `is given beside ${field}`);
    if (typeof path !== 'string' || path === '') throw misconfigured(name, 'must be a non-empty string');
    values[field] = await readSecret(resolve(place.folder, path), name);
    written.set(`${section}.${field}`, name);
  }
  const options = parseTable(schema, { place: section, given: values, spelling: written });
  // The schema of the same extension made the options.
  return complete === undefined ? options : complete(options as never, place);
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
