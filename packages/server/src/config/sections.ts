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
import { flag, list, maxTimerMs, optional, type SectionSchema, text, whole } from './field-forms.ts';
import { type GivenLedger, ledger } from './ledger-section.ts';
import { type GivenSequencer, sequencer } from './sequencer-section.ts';
import {
  type EdgesSection,
  type ElectionSection,
  type EthereumSection,
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

/** True for the URL of a node. */
export function isNodeUrl(given: string): boolean {
  return nodeUrl.safeParse(given).success;
}

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

function portOf(standard: number): z.ZodDefault<z.ZodNumber> {
  return whole(0, 65_535).default(standard).describe('The port to listen on; 0: a free one.');
}

const nodeUrl = text.refine(
  isHttpUrl,
  'must be a URL that begins with http:// or https://; a % in its user name or password is written %25',
);

function isHttpUrl(given: string): boolean {
  const url = URL.parse(given);
  if (url === null || !/^https?:$/.test(url.protocol)) return false;
  try {
    decodeURIComponent(`${url.username}:${url.password}`);
    return true;
  } catch {
    return false;
  }
}

const edgeFields = {
  blockfrost: { port: portOf(3_000) },
  ethereum: {
    port: portOf(8_545),
    chainId: whole(1, Number.MAX_SAFE_INTEGER).describe('The chain that transactions must be signed for.'),
    upstream: optional(nodeUrl).describe('The HTTP URL of a node that answers all other methods.'),
    upstreamFile: text.optional().describe('A file with that URL, in place of `upstream`.'),
    followsFloor: flag.default(false).describe('true: the floor of the pool is the base fee, which tips follow.'),
  },
  cometbft: {
    port: portOf(26_657),
    chainId: text
      .regex(/^[!-~]{1,50}$/, 'must be 1–50 printable ASCII characters without spaces')
      .default('mempool')
      .describe('The id of the chain, by which clients sign.'),
  },
  utxorpc: { port: portOf(50_051) },
} as const satisfies Readonly<Record<keyof EdgesSection, z.core.$ZodShape>>;

function edge<Fields extends z.core.$ZodShape>(
  fields: Fields,
): z.ZodDefault<z.ZodNullable<z.ZodObject<Fields, z.core.$strict>>> {
  return optional(z.strictObject(fields, 'must be a table'));
}

const edges = z.strictObject(
  {
    blockfrost: edge(edgeFields.blockfrost).describe('Blockfrost and the Cardano submit API.'),
    ethereum: edge(edgeFields.ethereum).describe('Ethereum JSON-RPC over HTTP and WebSocket.'),
    cometbft: edge(edgeFields.cometbft).describe("CometBFT's RPC, as far as it is about transactions that wait."),
    utxorpc: edge(edgeFields.utxorpc).describe('UTxO RPC: the service for submitting.'),
  },
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

/** The sections after the check of each field. `[mempool]` is core's. */
export interface ParsedSections {
  readonly server: Omit<ServerOptions, 'tokens'> & { readonly tokens: readonly GivenToken[] };
  readonly election: { readonly [F in keyof ElectionSection]: ElectionSection[F] | null };
  readonly watcher: WatcherSection;
  readonly edges: GivenEdges;
  readonly ledger: GivenLedger;
  readonly sequencer: GivenSequencer;
}

/** The section `[edges]` as written in the configuration, where a secret may be the path of a file. */
export interface GivenEdges extends Omit<EdgesSection, 'ethereum'> {
  readonly ethereum: (EthereumSection & { readonly upstreamFile?: string | undefined }) | null;
}

/** The name of a section other than `[mempool]`. */
export type SectionName = keyof ParsedSections;

const schemas: { readonly [S in SectionName]: SectionSchema<ParsedSections[S]> } = {
  server,
  election,
  watcher,
  edges,
  ledger,
  sequencer,
};

/** The names of all sections. */
export const sectionNames: readonly string[] = ['mempool', ...Object.keys(schemas)];

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
  const { data, error } = schemas[section].safeParse(given);
  if (error === undefined) return data;
  const [issue] = error.issues;
  if (issue === undefined) throw error;
  const path = [section, ...issue.path.map(String)].join('.');
  if (issue.code !== 'unrecognized_keys') throw misconfigured(spelling.get(path) ?? path, issue.message);
  const [name = ''] = issue.keys;
  const place = spelling.get(`${path}.${name}`) ?? `${path}.${shortName(name)}`;
  const names = namesAt(section, issue.path);
  const spelled = place.includes('_') ? names.map(snakeCase) : names;
  throw misconfigured(place, `is not a known field${hint(place.split('.').at(-1) ?? name, spelled)}`);
}

/** The fields of the table at this path of a section. */
function namesAt(section: SectionName, [first]: readonly PropertyKey[]): string[] {
  if (first === 'tokens') return Object.keys(token.shape);
  return section === 'edges' && first !== undefined
    ? Object.keys(edgeFields[first as keyof EdgesSection])
    : fieldNames(section);
}

/** Returns the JSON Schema of a whole configuration, for editors. It has each name in camel and in snake case. */
export function serverConfigSchema(): FieldSchema {
  const own = Object.entries(schemas).map(([name, schema]) => [
    name,
    bothSpellings(z.toJSONSchema(schema, { io: 'input' }) as FieldSchema),
  ]);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'mempool',
    type: 'object',
    properties: { mempool: poolSchema(), ...Object.fromEntries(own) },
    required: ['mempool'],
    additionalProperties: false,
  };
}

function poolSchema(): FieldSchema {
  const { properties, ...schema } = configSchema();
  const urlFile = { type: 'string', minLength: 1, description: 'A file with the URL, in place of `url`.' };
  return { ...schema, properties: { ...(properties as FieldSchema), urlFile, url_file: urlFile } };
}

function bothSpellings({ $schema: _, ...schema }: FieldSchema): FieldSchema {
  const { properties, items } = schema;
  const wide: Record<string, JsonValue> = { ...schema };
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
