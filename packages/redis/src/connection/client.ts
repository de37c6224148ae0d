import { type ConnectionOptions, createSecureContext } from 'node:tls';
import { Redis } from 'ioredis';
import { invalid } from 'mempool-core/backend';
import type { RedisOptions } from './options.ts';
import { SentinelLookup } from './sentinel.ts';
import { SlotClient } from './slot-client.ts';
import { type Address, type ClientOptions, type RouteParts, readAddress, SlotRoute } from './slot-route.ts';

/** The options in which the clients of this package differ. */
export type Tuning = Pick<ClientOptions, 'connectTimeout' | 'commandTimeout' | 'autoResubscribe' | 'failoverDetector'>;

/** Clients that this package has closed. Any other one that ends is connected again. */
const closed = new WeakSet<Redis>();

/**
 * Creates a client that never repeats a command by itself (X2). If the connection breaks, commands under way are rejected. Without a
 * connection, commands are refused. It reconnects in the background, until `closeClient`. In a cluster it connects to the master of
 * the slot of `key`.
 *
 * @throws `ERR_MEMPOOL_INVALID` naming the option
 */
export function createClient(options: RedisOptions, key: string, tuning: Tuning): Redis {
  const { connectionName, family = 0, url, cluster, sentinels } = options;
  const { place, credentials } = readUrl(options);
  const own: ClientOptions = { ...credentials, ...(connectionName === undefined ? {} : { connectionName }), family };
  if (sentinels !== undefined) return sentinelClient(options, { ...own, ...tuning, ...careful, db: place.db });
  for (const field of besideSentinels)
    if (options[field] !== undefined) throw invalid(field, 'given only with sentinels');
  if (cluster === undefined) return new Redis({ ...own, ...tuning, ...careful, ...place });
  if (place.db !== 0) throw invalid('url', 'without a database number: a cluster has only database 0');
  const seeds = [...readNodes('cluster', cluster), ...(url === undefined ? [] : [place])];
  return slotClient({ key, seeds: () => seeds, reachedAt: natOf(options), own }, tuning);
}

const careful = {
  protocol: 2,
  lazyConnect: true,
  disconnectTimeout: 0,
  disableClientInfo: true,
  enableOfflineQueue: false,
  enableReadyCheck: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  retryStrategy: (attempt: number) => Math.min(500, 10 * attempt),
} as const;

/** A dead node must not take all the time of a call. */
const longestConnectMs = 2_000;

type Place = Omit<RouteParts, 'credentials' | 'timeoutMs'> & { readonly key: string; readonly own: ClientOptions };

function slotClient({ key, own, ...place }: Place, tuning: Tuning): Redis {
  const timeoutMs = Math.min(longestConnectMs, tuning.connectTimeout ?? longestConnectMs);
  const route = new SlotRoute(key, { ...place, credentials: own, timeoutMs });
  return new SlotClient(route, { ...own, ...tuning, ...careful, connectTimeout: timeoutMs });
}

/** The fields that only an endpoint with Sentinels has. */
const besideSentinels = ['masterName', 'sentinelUsername', 'sentinelPassword', 'sentinelTls'] as const;

function sentinelClient(options: RedisOptions, own: ClientOptions): Redis {
  if (options.cluster !== undefined) throw invalid('sentinels', 'given without cluster');
  const masterName = text('masterName', options.masterName);
  if (masterName === undefined) throw invalid('masterName', 'the name under which the Sentinels watch the master');
  const reachedAt = natOf(options);
  const { sentinelTls } = options;
  const client = new Redis({
    ...own,
    Connector: SentinelLookup,
    sentinels: readNodes('sentinels', options.sentinels),
    name: masterName,
    role: 'master',
    natMap: (name) => reachedAt(addressOf(name)),
    enableTLSForSentinelMode: own.tls !== undefined,
    sentinelUsername: text('sentinelUsername', options.sentinelUsername),
    sentinelPassword: text('sentinelPassword', options.sentinelPassword),
    sentinelTLS: sentinelTls === undefined ? undefined : secured('sentinelTls', sentinelTls),
  });
  // A fail-over that is announced while the client asks the Sentinels ends it for good.
  return client.on('end', () => {
    if (!closed.has(client)) client.connect().catch(() => undefined);
  });
}

/** The host may be an IPv6 address without brackets. */
function addressOf(name: string): Address {
  const colon = name.lastIndexOf(':');
  return { host: name.slice(0, colon), port: Number(name.slice(colon + 1)) };
}

/** Closes the connection at once. Commands under way are rejected. */
export function closeClient(client: Redis): void {
  closed.add(client);
  client.disconnect();
}

/** An optional text. @throws `ERR_MEMPOOL_INVALID` for anything else */
function text(field: string, value: unknown): string | undefined {
  if (value === undefined || (typeof value === 'string' && value !== '')) return value;
  throw invalid(field, 'a string that is not empty');
}

function readNodes(field: string, nodes: unknown): Address[] {
  if (!Array.isArray(nodes) || nodes.length === 0) throw invalid(field, 'a list of servers, each host:port');
  return nodes.map((node) => readAddress(field, node));
}

function natOf({ natMap = {} }: RedisOptions): (node: Address) => Address {
  if (typeof natMap !== 'object' || natMap === null) throw invalid('natMap', 'a table of host:port by host:port');
  const named = new Map(
    Object.entries(natMap).map(([from, to]) => [nodeName(readAddress('natMap', from)), readAddress('natMap', to)]),
  );
  return (node) => named.get(nodeName(node)) ?? node;
}

function nodeName({ host, port }: Address): string {
  return `${host.toLowerCase()}:${port}`;
}

function readUrl({ url, cluster, sentinels, tls }: RedisOptions) {
  const isNeeded = cluster === undefined && sentinels === undefined;
  const { protocol, hostname, port, pathname, username, password } = parseUrl(isNeeded ? url : (url ?? 'redis://'));
  const credentials: ClientOptions = {
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
    ...(protocol === 'rediss:' || tls !== undefined ? { tls: secured('tls', tls ?? {}) } : {}),
  };
  const host = hostname.replace(/^\[|\]$/g, '') || '127.0.0.1';
  return { place: { host, port: Number(port || 6379), db: Number(pathname.slice(1)) }, credentials };
}

/** Reads certificates once, and not at each attempt to connect: there an unreadable one would end the client silently. */
function secured(field: string, tls: ConnectionOptions): ConnectionOptions {
  if (typeof tls !== 'object' || tls === null) throw invalid(field, 'an object');
  try {
    return { secureContext: createSecureContext(tls), ...tls };
  } catch (error) {
    throw invalid(field, `options of tls.connect that can be used: ${(error as Error).message}`);
  }
}

function parseUrl(url: unknown): URL {
  const parsed = typeof url === 'string' ? URL.parse(url) : null;
  if (parsed === null || !['redis:', 'rediss:'].includes(parsed.protocol))
    throw invalid('url', 'a redis:// or rediss:// URL');
  if (/[?#]/.test(url as string)) throw invalid('url', `a Redis URL without a query${namesOf(parsed)}: ${instead}`);
  if (!/^\/?\d{0,5}$/.test(parsed.pathname)) throw invalid('url', 'a Redis URL whose path is a database number');
  if (/%(?![\dA-F]{2})/i.test(parsed.username + parsed.password)) throw invalid('url', 'a URL without stray % signs');
  return parsed;
}

const instead = 'TLS is rediss://, a database number is the path, and ? and # in a password are percent-encoded';

/** The names of a query's parameters. A name with other signs may be a part of the password. */
function namesOf({ searchParams }: URL): string {
  const names = [...searchParams.keys()].filter((name) => /^[A-Za-z_]{1,32}$/.test(name));
  return names.length === 0 ? '' : ` (${names.join(', ')})`;
}
