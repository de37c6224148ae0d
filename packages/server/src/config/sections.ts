import type { JsonValue } from 'mempool-core';
import {
  configSchema,
  type FieldSchema,
  hint,
  isTable,
  misconfigured,
  shortName,
  snakeCase,
} from 'mempool-core/backend';
import { z } from 'zod';
import type { SectionExtension } from './extension.ts';
import { flag, list, maxTimerMs, optional, portOf, type SectionSchema, text, whole } from './field-forms.ts';
import {
  type ElectionSection,
  payloadHashNames,
  type Scope,
  type ServerOptions,
  scopes,
  type WatcherSection,
} from './server-config.ts';

const origin = text.refine(
  (value) => URL.parse(value)?.origin === value,
  'must be an origin, such as https://pool.example',
);
const hostName = text.regex(/^[a-z0-9.:[\]_-]{1,255}$/i, 'must be the name of a host, with a port if it has one');

const tokenHash = text.regex(
  /^sha256:[0-9a-f]{64}$/,
  'must be sha256: and 64 hex digits, as `mempool token` prints it',
);

/** True for a valid hash of a token: `sha256:` and 64 hex digits. */
export function isTokenHash(given: string): boolean {
  return tokenHash.safeParse(given).success;
}

const token = z.strictObject(
  {
    name: text.regex(/^[\w.-]{1,64}$/, 'must be 1–64 letters, digits, dots, dashes and underscores'),
    hash: tokenHash.optional(),
    hashFile: text.optional().describe('A file with the hash, in place of `hash`.'),
    scopes: z
      .array(z.enum(scopes, `must be one of ${scopes.join(', ')}`), 'must be a list')
      .min(1, 'must name a scope'),
    owners: z
      .union([z.literal('all'), z.array(text.max(256)).min(1)], 'must be "all" or a list of owners')
      .optional()
      .describe('The owners whose wallets ledger:transfer is for.'),
  },
  'must be a table with name, hash or hashFile, and scopes',
);

const many = 1_000_000;

const server = z.strictObject(
  {
    host: text.default('127.0.0.1').describe('The address to listen on. Without tokens only a loopback address.'),
    port: portOf(4420),
    tokens: list(token).describe('The tokens that are accepted, by their hashes. `mempool token` makes one.'),
    corsOrigins: list(origin).describe('Origins of browser pages that may call the server.'),
    allowedHosts: list(hostName).describe('Values of the Host header that are accepted beside the loopback names.'),
    hash: z
      .enum(payloadHashNames, `must be one of ${payloadHashNames.join(', ')}`)
      .default('sha256')
      .describe('How the hash of a transaction is computed from its bytes.'),
    dashboard: flag.default(true).describe('true: serve the dashboard at /.'),
    exposePayloads: flag.default(false).describe('true: payloads can be read.'),
    maxBodyBytes: whole(1, 2 ** 30)
      .default(8 * 2 ** 20)
      .describe('The largest request body.'),
    maxSseClients: whole(0, many).default(1_000).describe('The most event streams at once.'),
    maxWaits: whole(0, many).default(1_000).describe('The most requests that wait for a stage at once.'),
    maxRequests: whole(1, many).default(1_000).describe('The most requests in flight.'),
    ratePerSecond: z
      .union(
        [whole(1, many), z.literal('unlimited')],
        `must be a whole number of 1–${many.toLocaleString('en')} or "unlimited"`,
      )
      .default('unlimited')
      .transform((value) => (value === 'unlimited' ? Number.POSITIVE_INFINITY : value))
      .describe('The most requests per second of one token or address.'),
    drainMs: whole(0, maxTimerMs).default(10_000).describe('How long a stop waits for requests in flight.'),
    environment: z
      .string('must be a string')
      .max(64, 'must have at most 64 characters')
      .default('')
      .describe('A label.'),
  },
  'must be a table',
);

const election = z.strictObject(
  {
    enabled: optional(flag).describe('true: take part in the election. Default: true with a source.'),
    name: optional(text.regex(/^[a-z0-9._-]{1,64}$/, 'must be 1–64 of a–z 0–9 . _ -')).describe('Default: watcher.'),
    nodeId: optional(text.regex(/^[!-~]{1,128}$/, 'must be 1–128 printable ASCII characters without spaces')),
    ttlMs: optional(whole(250, 86_400_000)).describe('How long a lease lasts.'),
  },
  'must be a table',
);

const watcher = z.strictObject(
  { source: optional(text).describe('A module that exports a ChainSource: a package, or a path from this file.') },
  'must be a table',
);

/** A token as written in the configuration. */
export interface GivenToken {
  readonly name: string;
  readonly hash?: string | undefined;
  readonly hashFile?: string | undefined;
  readonly scopes: readonly Scope[];
  readonly owners?: 'all' | readonly string[] | undefined;
}

/** The sections after the check of each field. `[mempool]` is core's, and the tables of `[edges]` those of its extensions. */
export interface ParsedSections {
  readonly server: Omit<ServerOptions, 'tokens'> & { readonly tokens: readonly GivenToken[] };
  readonly election: { readonly [F in keyof ElectionSection]: ElectionSection[F] | null };
  readonly watcher: WatcherSection;
}

/** The name of a section other than `[mempool]` and `[edges]`. */
export type SectionName = keyof ParsedSections;

const schemas: { readonly [S in SectionName]: SectionSchema<ParsedSections[S]> } = {
  server,
  election,
  watcher,
};

/** The sections of which each is read by the extension of a package: `[sequencer]` by that of `mempool-sequencer`. */
export const extensionSections: readonly string[] = ['ledger', 'sequencer'];

/** The names of all sections. */
export const sectionNames: readonly string[] = ['mempool', ...Object.keys(schemas), ...extensionSections, 'edges'];

/** The names of a section's fields. */
export function fieldNames(section: SectionName): string[] {
  return Object.keys(schemas[section].shape);
}

/**
 * Checks one section.
 * @param spelling returns the original spelling of a field by its path, for messages
 * @throws `ERR_MEMPOOL_CONFIG` naming the first bad field
 */
export function parseSection<S extends SectionName>(
  section: S,
  given: unknown,
  spelling: ReadonlyMap<string, string> = new Map(),
): ParsedSections[S] {
  const inner = section === 'server' ? { tokens: Object.keys(token.shape) } : {};
  return parseTable(schemas[section], { place: section, given, spelling, inner });
}

/** A table of a configuration. */
export interface GivenTable {
  /** Its path, such as `edges.ethereum`. */
  readonly place: string;
  readonly given: unknown;
  /** The original spelling of a field by its path. */
  readonly spelling: ReadonlyMap<string, string>;
  /** The fields of the tables in a field, by its name. */
  readonly inner?: Readonly<Record<string, readonly string[]>>;
}

/** Checks a table by its schema. @throws `ERR_MEMPOOL_CONFIG` naming the first bad field */
export function parseTable<T>(schema: SectionSchema<T>, { place, given, spelling, inner = {} }: GivenTable): T {
  const { data, error } = schema.safeParse(given);
  if (error === undefined) return data;
  // A misspelt name explains why the field is missing.
  const issue = error.issues.find(({ code }) => code === 'unrecognized_keys') ?? error.issues[0];
  if (issue === undefined) throw error;
  const path = [place, ...issue.path.map(String)].join('.');
  if (issue.code !== 'unrecognized_keys') throw misconfigured(spelling.get(path) ?? path, issue.message);
  const [name = ''] = issue.keys;
  const field = spelling.get(`${path}.${name}`) ?? `${path}.${shortName(name)}`;
  const names = inner[String(issue.path[0])] ?? Object.keys(schema.shape);
  const spelled = field.includes('_') ? names.map(snakeCase) : names;
  throw misconfigured(field, `is not a known field${hint(field.split('.').at(-1) ?? name, spelled)}`);
}

/**
 * Returns the JSON Schema of a whole configuration, for editors. It has each name in camel and in snake case.
 * @param extensions the extensions, as `installedExtensions` finds them
 */
export function serverConfigSchema(extensions: readonly SectionExtension[] = []): FieldSchema {
  const own = Object.entries(schemas).map(([name, schema]) => [name, schemaOf(schema)]);
  const added = extensionSections.map((name) => {
    const schema = extensions.find(({ section }) => section === name)?.schema;
    return [name, schema === undefined ? { type: 'object' } : schemaOf(schema)];
  });
  const edges = extensions.filter(({ section }) => section.startsWith('edges.'));
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'mempool',
    type: 'object',
    properties: { mempool: poolSchema(), ...Object.fromEntries([...own, ...added]), edges: edgesSchema(edges) },
    required: ['mempool'],
    additionalProperties: false,
  };
}

function schemaOf(schema: z.ZodType): FieldSchema {
  return bothSpellings(z.toJSONSchema(schema, { io: 'input' }) as FieldSchema);
}

/** An edge whose extension is not known may have any field. */
function edgesSchema(edges: readonly SectionExtension[]): FieldSchema {
  const module = { type: 'string', minLength: 1, description: 'The package of the edge, or the path of its module.' };
  const known = edges.map(({ section, schema }) => {
    const { properties, ...table } = schemaOf(schema);
    return [
      section.slice('edges.'.length),
      { ...table, properties: { ...(properties as FieldSchema), package: module } },
    ];
  });
  const description = 'Further protocols, each on its own port.';
  return {
    description,
    type: 'object',
    properties: Object.fromEntries(known),
    additionalProperties: { type: 'object' },
  };
}

function poolSchema(): FieldSchema {
  const { properties, ...schema } = configSchema();
  const urlFile = { type: 'string', minLength: 1, description: 'A file with the URL, in place of `url`.' };
  return { ...schema, properties: { ...(properties as FieldSchema), urlFile, url_file: urlFile } };
}

function bothSpellings({ $schema: _, ...schema }: FieldSchema): FieldSchema {
  const { properties, items, required } = schema;
  const wide: Record<string, JsonValue> = { ...schema };
  // A field with two spellings cannot be required by one of them.
  if (Array.isArray(required)) wide.required = required.filter((name) => snakeCase(String(name)) === name);
  if (isTable(items)) wide.items = bothSpellings(items as FieldSchema);
  if (!isTable(properties)) return wide;
  const both = Object.entries(properties).flatMap(([name, value]) => {
    const own = bothSpellings(value as FieldSchema);
    return [
      [name, own],
      [snakeCase(name), own],
    ];
  });
  return { ...wide, properties: Object.fromEntries(both) };
}
