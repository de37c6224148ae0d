import { type ConnectionOptions, createSecureContext } from 'node:tls';
import { type RedisOptions as ClientOptions, Redis } from 'ioredis';
import { invalid } from 'mempool-core/backend';

/** Options of the backend beside those of every backend. */
export interface RedisOptions {
  /** `redis://` or, with TLS, `rediss://` `[user][:password]@host[:port][/database number]`. */
  readonly url: string;
  /**
   * Prefix of the keys, before `:`; default the pool's name. It is put in braces, unless it has its own hash tag, so that all keys of a
   * pool are in one slot.
   */
  readonly keyPrefix?: string | undefined;
  /** Certificates, server name and other options of `tls.connect`. With it `redis://` uses TLS too. */
  readonly tls?: ConnectionOptions | undefined;
  /** Name of the connections in `CLIENT LIST`; default none. */
  readonly connectionName?: string | undefined;
  /** Internet Protocol version of the connections: 4, 6, or 0 for either; default 0. */
  readonly family?: 0 | 4 | 6 | undefined;
}

/** The options in which the clients of this package differ. */
export type Tuning = Pick<ClientOptions, 'connectTimeout' | 'commandTimeout' | 'autoResubscribe'>;

/**
 * Creates a client that never repeats a command by itself (X2): commands under way when the connection breaks are rejected, commands
 * without a connection are refused. It reconnects in the background, without end.
 *
 * @throws `ERR_MEMPOOL_INVALID` naming the option
 */
export function createClient(options: RedisOptions, tuning: Tuning): Redis {
  const { connectionName, family = 0 } = options;
  return new Redis({
    ...address(options),
    ...(connectionName === undefined ? {} : { connectionName }),
    family,
    ...tuning,
    protocol: 2,
    lazyConnect: true,
    disconnectTimeout: 0,
    disableClientInfo: true,
    enableOfflineQueue: false,
    enableReadyCheck: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt: number) => Math.min(500, 10 * attempt),
  });
}

function address({ url, tls }: RedisOptions) {
  const { protocol, hostname, port, pathname, username, password } = parseUrl(url);
  return {
    host: hostname.replace(/^\[|\]$/g, '') || '127.0.0.1',
    port: Number(port || 6379),
    db: Number(pathname.slice(1)),
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
    ...(protocol === 'rediss:' || tls !== undefined ? { tls: secured(tls ?? {}) } : {}),
  };
}

/** Reads certificates once, and not at each attempt to connect: there an unreadable one would end the client silently. */
function secured(tls: ConnectionOptions): ConnectionOptions {
  if (typeof tls !== 'object' || tls === null) throw invalid('tls', 'an object');
  try {
    return { secureContext: createSecureContext(tls), ...tls };
  } catch (error) {
    throw invalid('tls', `options of tls.connect that can be used: ${(error as Error).message}`);
  }
}

function parseUrl(url: unknown): URL {
  const parsed = typeof url === 'string' ? URL.parse(url) : null;
  if (parsed === null || !['redis:', 'rediss:'].includes(parsed.protocol))
    throw invalid('url', 'a redis:// or rediss:// URL');
  if (!/^\/?\d{0,5}$/.test(parsed.pathname)) throw invalid('url', 'a Redis URL whose path is a database number');
  if (/%(?![\dA-F]{2})/i.test(parsed.username + parsed.password)) throw invalid('url', 'a URL without stray % signs');
  return parsed;
}

/** The prefix with a hash tag. @throws `ERR_MEMPOOL_INVALID` */
export function taggedPrefix(prefix: string): string {
  if (typeof prefix !== 'string' || !/^[\x21-\x7e]{1,128}$/.test(prefix))
    throw invalid('keyPrefix', '1–128 printable ASCII characters without spaces');
  return /^[^{]*\{[^}]+\}/.test(prefix) ? prefix : `{${prefix}}`;
}
