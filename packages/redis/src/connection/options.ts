import type { ConnectionOptions } from 'node:tls';
import { invalid } from 'mempool-core/backend';

/** How long a write waits for its replicas, if the options do not say it. */
export const defaultReplicaMs = 1_000;

/** Options of the backend beside those of every backend. */
export interface RedisOptions {
  /**
   * `redis://` or, with TLS, `rediss://` `[user][:password]@host[:port][/database number]`. Required, unless `cluster` or `sentinels` is
   * given. Beside `cluster` its user, password and TLS are those of all nodes, and its server is one of them. Beside `sentinels` its user,
   * password, TLS and database are those of the master, and its host is not used.
   */
  readonly url?: string | undefined;
  /** Nodes of a Redis Cluster, each `host:port`. One that answers is enough to find the others. */
  readonly cluster?: readonly string[] | undefined;
  /** Sentinels, each `host:port`, that watch the master and replace it when it fails. Needs `masterName`. */
  readonly sentinels?: readonly string[] | undefined;
  /** The name under which the Sentinels watch the master. */
  readonly masterName?: string | undefined;
  /** The user at the Sentinels; default the user `default`. */
  readonly sentinelUsername?: string | undefined;
  /** The password at the Sentinels; default none. */
  readonly sentinelPassword?: string | undefined;
  /** With it the Sentinels are connected to with TLS: what `tls.connect` takes. */
  readonly sentinelTls?: ConnectionOptions | undefined;
  /** Where nodes of the cluster, or servers behind Sentinels, are reached from here, if not where they say: `host:port` by `host:port`. */
  readonly natMap?: Readonly<Record<string, string>> | undefined;
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
  /**
   * How many replicas must have a write before its call is answered; default 0. If they do not have it within `replicaTimeoutMs`, the
   * call fails with `ERR_MEMPOOL_OUTCOME_UNKNOWN`, and may be repeated under its operation id.
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

/** True if a connection by these options leads where one by the others does, as the same user. */
export function isSameEndpoint(options: RedisOptions & Timed, others: RedisOptions & Timed): boolean {
  if (options.timeoutMs !== others.timeoutMs) return false;
  return (Object.keys(optionNames) as (keyof RedisOptions)[]).every((name) => isSame(options[name], others[name]));
}

interface Timed {
  readonly timeoutMs: number;
}

/** Compares values, and the insides of lists, tables and bytes. What else may hide a secret is the same only if it is one object. */
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
