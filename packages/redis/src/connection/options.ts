import type { ConnectionOptions } from 'node:tls';
import { invalid } from 'mempool-core/backend';

/** The default of `replicaTimeoutMs`. */
export const defaultReplicaMs = 1_000;

/** The own options of the Redis backend. */
export interface RedisOptions {
  /**
   * `redis://` or, with TLS, `rediss://` `[user][:password]@host[:port][/database number]`. Required, unless `cluster` or `sentinels` is
   * given. With `cluster`, its user, password and TLS are used for all nodes, and its server is one of the nodes. With `sentinels`, its
   * user, password, TLS and database are used for the master, and its host is not used.
   */
  readonly url?: string | undefined;
  /** Nodes of a Redis Cluster, each `host:port`. The client finds the rest if one of them answers. */
  readonly cluster?: readonly string[] | undefined;
  /** Sentinels, each `host:port`, that watch the master and replace it when it fails. Needs `masterName`. */
  readonly sentinels?: readonly string[] | undefined;
  /** The name under which the Sentinels watch the master. */
  readonly masterName?: string | undefined;
  /** The user name for the Sentinels; default `default`. */
  readonly sentinelUsername?: string | undefined;
  /** The password for the Sentinels; default none. */
  readonly sentinelPassword?: string | undefined;
  /** Options of `tls.connect` for the Sentinels. If given, connections to them use TLS. */
  readonly sentinelTls?: ConnectionOptions | undefined;
  /** A map from the `host:port` that a node of the cluster, or a server behind Sentinels, reports to the one that reaches it from here. */
  readonly natMap?: Readonly<Record<string, string>> | undefined;
  /**
   * Prefix of the keys, before `:`; default the pool's name. Unless it has its own hash tag, it is put in braces, so that all keys of a
   * pool are in one slot.
   */
  readonly keyPrefix?: string | undefined;
  /** Options of `tls.connect`, such as certificates and server name. If given, `redis://` uses TLS too. */
  readonly tls?: ConnectionOptions | undefined;
  /** Name of the connections in `CLIENT LIST`; default none. */
  readonly connectionName?: string | undefined;
  /** Internet Protocol version of the connections: 4, 6, or 0 for either; default 0. */
  readonly family?: 0 | 4 | 6 | undefined;
  /**
   * How many replicas must have a write before its call is answered; default 0. If fewer have it within `replicaTimeoutMs`, the call
   * fails with `ERR_MEMPOOL_OUTCOME_UNKNOWN`, and may be repeated under its operation id.
   */
  readonly minReplicas?: number | undefined;
  /** How long a write waits for its replicas, in milliseconds, at most the pool's `timeoutMs`; default 1,000. */
  readonly replicaTimeoutMs?: number | undefined;
}

/** The names of the options. */
export const optionNames: { readonly [Name in keyof RedisOptions]-?: true } = {
  url: true,
  cluster: true,
  sentinels: true,
  masterName: true,
  sentinelUsername: true,
  sentinelPassword: true,
  sentinelTls: true,
  natMap: true,
  keyPrefix: true,
  tls: true,
  connectionName: true,
  family: true,
  minReplicas: true,
  replicaTimeoutMs: true,
};

/** The prefix with a hash tag. @throws `ERR_MEMPOOL_INVALID` */
export function taggedPrefix(prefix: string): string {
  if (typeof prefix !== 'string' || !/^[\x21-\x7e]{1,128}$/.test(prefix))
    throw invalid('keyPrefix', '1–128 printable ASCII characters without spaces');
  return /^[^{]*\{[^}]+\}/.test(prefix) ? prefix : `{${prefix}}`;
}

/** True if connections with these two sets of options lead to the same server, as the same user. */
export function isSameEndpoint(options: RedisOptions & Timed, others: RedisOptions & Timed): boolean {
  if (options.timeoutMs !== others.timeoutMs) return false;
  return (Object.keys(optionNames) as (keyof RedisOptions)[]).every((name) => isSame(options[name], others[name]));
}

interface Timed {
  readonly timeoutMs: number;
}

/** Compares values, and the insides of lists, tables and bytes. Other values may hide a secret, and are equal only if they are one object. */
function isSame(value: unknown, other: unknown): boolean {
  if (Object.is(value, other)) return true;
  if (Buffer.isBuffer(value)) return Buffer.isBuffer(other) && value.equals(other);
  if (!isPlain(value) || !isPlain(other) || Array.isArray(value) !== Array.isArray(other)) return false;
  const names = Object.keys(value);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSame(value[name], other[name]))
  );
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
}
