import type { MempoolConfig } from 'mempool-core';

/** What a token may do, from the smallest right to the largest. */
export const scopes = ['read', 'submit', 'propagate', 'chain', 'admin'] as const;

/** A right of a token. */
export type Scope = (typeof scopes)[number];

/** A token that the server accepts. The token itself is not kept. */
export interface TokenOptions {
  /** Names it in logs and in operation ids; unique. */
  readonly name: string;
  /** `sha256:` and the SHA-256 of the token as 64 hex digits. */
  readonly hash: string;
  readonly scopes: readonly Scope[];
}

/** The named ways to compute the hash of a transaction from its bytes. */
export const payloadHashNames = ['sha256', 'blake2b-256', 'keccak-256'] as const;

/** One of `payloadHashNames`. */
export type PayloadHashName = (typeof payloadHashNames)[number];

/** The section `[server]`, complete. */
export interface ServerOptions {
  /** The address to listen on; default `127.0.0.1`. Any address that is not a loopback address needs tokens. */
  readonly host: string;
  /** The port to listen on; default 4420; 0: a free one. */
  readonly port: number;
  readonly tokens: readonly TokenOptions[];
  /** Origins of browser pages that may call the server, such as `https://pool.example`; default none. */
  readonly corsOrigins: readonly string[];
  /** Values of `Host` that are accepted beside the loopback names and `host`; default none. */
  readonly allowedHosts: readonly string[];
  /** How the hash of a transaction is computed from its bytes; default `sha256`. */
  readonly hash: PayloadHashName;
  /** True: payloads can be read; default false. */
  readonly exposePayloads: boolean;
  /** The largest request body; default 8 MiB. Bodies above 64 KiB may together take 32 times as much memory. */
  readonly maxBodyBytes: number;
  /** The most event streams at once; default 1,000. */
  readonly maxSseClients: number;
  /** The most requests that wait for a stage at once; default 1,000. */
  readonly maxWaits: number;
  /** The most requests in flight; default 1,000. */
  readonly maxRequests: number;
  /** The most requests per second of one token or address; default `Infinity`. */
  readonly ratePerSecond: number;
  /** How long a stop waits for requests in flight; default 10,000. */
  readonly drainMs: number;
  /** A label for people, such as `production`; default empty. */
  readonly environment: string;
}

/** The section `[election]`, complete. */
export interface ElectionSection {
  /** True: this process takes part in the election. Default: true with a watcher's source, else false. */
  readonly enabled: boolean;
  /** The name of the election, which is also in `mempool.election`; default `watcher`. */
  readonly name: string;
  /** The id of this node; `null`: a UUID for each start. */
  readonly nodeId: string | null;
  /** How long a lease lasts, which is also in `mempool.watcherLockTtlMs`; `null`: the election's default. */
  readonly ttlMs: number | null;
}

/** The section `[watcher]`, complete. */
export interface WatcherSection {
  /** A module that exports a `ChainSource`: a package or an absolute path, with `#name` for a named export; `null`: none. */
  readonly source: string | null;
}

/** The configuration of a server: one file with four sections. */
export interface ServerConfig {
  /** What `openMempool` and `openNode` take. */
  readonly mempool: MempoolConfig<string>;
  readonly server: ServerOptions;
  readonly election: ElectionSection;
  readonly watcher: WatcherSection;
}

/** True if only programs on this machine can reach the address. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  return name === 'localhost' || name === '::1' || /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/.test(name);
}
