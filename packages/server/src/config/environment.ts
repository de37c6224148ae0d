import { isMempoolError } from 'mempool-core';
import { configFields, hint, isTable, misconfigured, shortName, snakeCase } from 'mempool-core/backend';
import { z } from 'zod';
import type { SectionExtension } from './extension.ts';
import { readSecret } from './secret-file.ts';
import { extensionSections, fieldNames, parseSection, type SectionName } from './sections.ts';

/** Variables of a process, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Fields from the environment, by section. */
export type EnvironmentFields = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

interface Section {
  readonly name: string;
  /** `null`: any, in lower case. */
  readonly fields: readonly string[] | null;
  /** Checks a value. @throws `ERR_MEMPOOL_CONFIG` if it does not fit the field */
  readonly check: (field: string, value: unknown) => void;
}

const own = (['server', 'election', 'watcher'] as const satisfies SectionName[]).map(
  (name): Section => ({
    name,
    fields: fieldNames(name),
    check: (field, value) => void parseSection(name, { [field]: value }),
  }),
);

const sections: readonly Section[] = [
  {
    name: 'mempool',
    fields: Object.keys(configFields),
    check: (field, value) => void configFields[field as keyof typeof configFields](value, ''),
  },
  ...own,
  {
    name: 'edges',
    fields: null,
    check: (field, value) => {
      if (!isTable(value)) throw misconfigured(field, 'must be a table as JSON');
    },
  },
];

function sectionOf({ section: name, schema: { shape } }: SectionExtension): Section {
  const check = (field: string, value: unknown): void => {
    const issue = z.safeParse(shape[field] as z.ZodType, value).error?.issues[0];
    if (issue !== undefined) throw misconfigured(`${name}.${field}`, issue.message);
  };
  return { name, fields: Object.keys(shape), check };
}

/** What Kubernetes sets for a service of this name; it is not meant for the server. */
const serviceLink = /_(?:SERVICE_(?:HOST|PORT(?:_.*)?)|PORT_\d+_(?:TCP|UDP|SCTP)(?:_.*)?)$/;

/** Returns the sections of extensions of which a field is in the environment. */
export function extensionsInEnvironment(env: Environment): string[] {
  const given = Object.keys(env).filter((variable) => isGiven(variable, env[variable]));
  return extensionSections.filter((name) => given.some((variable) => variable.startsWith(prefixOf(name))));
}

function isGiven(variable: string, value: string | undefined): value is string {
  return value !== undefined && value !== '' && !serviceLink.test(variable);
}

/**
 * Reads the variables `MEMPOOL_<SECTION>_<FIELD>`, such as `MEMPOOL_SERVER_PORT`. A variable that ends in `_FILE` names a
 * file with the value.
 * @param extensions the extensions whose sections the environment may have, other than edges
 * @throws `ERR_MEMPOOL_CONFIG` naming the variable
 */
export async function environmentFields(
  env: Environment,
  extensions: readonly SectionExtension[],
): Promise<EnvironmentFields> {
  const known = [...sections, ...extensions.map(sectionOf)];
  const found: Record<string, Record<string, unknown>> = {};
  for (const [variable, value] of Object.entries(env)) {
    const section = known.find(({ name }) => variable.startsWith(prefixOf(name)));
    if (section === undefined || !isGiven(variable, value)) continue;
    const { field, fromFile } = fieldOf(section, variable, env);
    const text = fromFile ? await readSecret(value, variable) : value;
    found[section.name] ??= {};
    (found[section.name] as Record<string, unknown>)[field] = fieldValue(section, field, text, variable);
  }
  return found;
}

function prefixOf(section: string): string {
  return `MEMPOOL_${section.toUpperCase()}_`;
}

function variableOf(field: string): string {
  return snakeCase(field).toUpperCase();
}

function fieldOf(section: Section, variable: string, env: Environment): { field: string; fromFile: boolean } {
  const prefix = prefixOf(section.name);
  const rest = variable.slice(prefix.length);
  const { fields } = section;
  const byName = (name: string): string | undefined =>
    fields === null ? edgeOf(name) : fields.find((field) => variableOf(field) === name);
  const field = byName(rest);
  if (field !== undefined) return { field, fromFile: false };
  const named = rest.endsWith('_FILE') ? byName(rest.slice(0, -'_FILE'.length)) : undefined;
  if (named === undefined) {
    const known = (fields ?? []).map((each) => prefix + variableOf(each));
    throw misconfigured(shortName(variable), `is not a known variable${hint(variable, known)}`);
  }
  const direct = variable.slice(0, -'_FILE'.length);
  if ((env[direct] ?? '') !== '') throw misconfigured(variable, `is given beside ${direct}`);
  return { field: named, fromFile: true };
}

/** The edge of a variable such as `MEMPOOL_EDGES_MY_CHAIN`, which may end in `_FILE`. */
function edgeOf(name: string): string | undefined {
  return name.endsWith('_FILE') ? undefined : name.toLowerCase().replaceAll('_', '-');
}

/** A variable is text: it is tried as that, then as JSON, then as a list with commas. */
function fieldValue({ check, name }: Section, field: string, text: string, variable: string): unknown {
  if (/^tcp:\/\//.test(text) && field === 'port')
    throw misconfigured(
      variable,
      `was set by Kubernetes for a service named mempool-${name}: set enableServiceLinks: false`,
    );
  const json = fromJson(text);
  let first: unknown;
  for (const value of [text, ...json, text.split(',').map((each) => each.trim())]) {
    try {
      check(field, value);
      return value;
    } catch (error) {
      first = json.includes(value) || first === undefined ? error : first;
    }
  }
  throw renamed(first, variable);
}

function fromJson(text: string): unknown[] {
  try {
    return [JSON.parse(text)];
  } catch {
    return [];
  }
}

/** The same problem, said of the variable. */
function renamed(error: unknown, variable: string): unknown {
  if (!isMempoolError(error)) return error;
  return misconfigured(variable, error.message.slice((error.details.field ?? '').length).trim());
}
