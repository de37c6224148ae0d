import type { MempoolConfig } from 'mempool-core';
import type { ConfiguredExtension } from './extension.ts';

/** The scopes of tokens, from the smallest right to the largest, for the pool and for the ledger. */
export const scopes = [
  'read',
  'submit',
  'propagate',
  'chain',
  'admin',
  'ledger:read',
  'ledger:transfer',
  'ledger:admin',
] as const;

/** A right of a token. */
export type Scope = (typeof scopes)[number];

/** A token that the server accepts. It has only the hash of the token. */
export interface TokenOptions {
  /** The unique name of the token, used in logs and in operation ids. */
  readonly name: string;
  /** `sha256:` and the SHA-256 of the token as 64 hex digits. */
  readonly hash: string;
  /** The rights of the token. */
  readonly scopes: readonly Scope[];
  /** The owners for whose wallets the scope `ledger:transfer` is valid. Required with that scope, and allowed only with it. */
  readonly owners?: 'all' | readonly string[] | undefined;
}

/** The named ways to compute the hash of a transaction from its bytes. `cardano` needs the package `mempool-cardano`. */
export const payloadHashNames = ['sha256', 'blake2b-256', 'keccak-256', 'cardano'] as const;

/** One of `payloadHashNames`. */
export type PayloadHashName = (typeof payloadHashNames)[number];

/** The section `[server]`, with defaults filled in. */
export interface ServerOptions {
  /** The address to listen on; default `127.0.0.1`. Any address that is not a loopback address needs tokens. */
  readonly host: string;
  /** The port to listen on; default 4420. 0 means any free port. */
  readonly port: number;
  /** The tokens of callers, `[[server.tokens]]`. */
  readonly tokens: readonly TokenOptions[];
  /** Origins of browser pages that may call the server, such as `https://pool.example`; default none. */
  readonly corsOrigins: readonly string[];
  /** Values of the header `Host` that are accepted in addition to the loopback names and `host`; default none. */
  readonly allowedHosts: readonly string[];
  /** The algorithm that computes the hash of a transaction from its bytes; default `sha256`. */
  readonly hash: PayloadHashName;
  /** If true, the path `/` serves the dashboard; default true. */
  readonly dashboard: boolean;
  /** If true, clients can read payloads; default false. */
  readonly exposePayloads: boolean;
  /** The largest request body; default 8 MiB. All bodies above 64 KiB together may use 32 times this size. */
  readonly maxBodyBytes: number;
  /** The most event streams at once; default 1,000. */
  readonly maxSseClients: number;
  /** The most requests that wait for a stage at once; default 1,000. */
  readonly maxWaits: number;
  /** The most requests in flight; default 1,000. */
  readonly maxRequests: number;
  /** The most requests per second of one token or address; default `Infinity`. */
  readonly ratePerSecond: number;
  /** How long a stop waits for requests in flight, in milliseconds; default 10,000. */
  readonly drainMs: number;
  /** A label to display, such as `production`; default empty. */
  readonly environment: string;
}

/** The section `[election]`, with defaults filled in. */
export interface ElectionSection {
  /** If true, this process takes part in the election. Default: true if there is a watcher's source. */
  readonly enabled: boolean;
  /** The name of the election, which is also in `mempool.election`; default `watcher`. */
  readonly name: string;
  /** The id of this node; `null` for a new UUID at each start. */
  readonly nodeId: string | null;
  /** How long a lease lasts, in milliseconds, which is also in `mempool.watcherLockTtlMs`; `null` for the election's default. */
  readonly ttlMs: number | null;
}

/** The section `[watcher]`, with defaults filled in. */
export interface WatcherSection {
  /** A module that exports a `ChainSource`: a package or an absolute path, with `#name` for a named export; `null` for none. */
  readonly source: string | null;
}

/** The configuration of a server: one file with a section for each part. */
export interface ServerConfig {
  /** The configuration for `openMempool` and `openNode`. */
  readonly mempool: MempoolConfig<string>;
  /** The section `[server]`. */
  readonly server: ServerOptions;
  /** Computes the hash of a transaction as `server.hash` names it. */
  readonly hashOf: (payload: Uint8Array) => string;
  /** The section `[election]`. */
  readonly election: ElectionSection;
  /** The section `[watcher]`. */
  readonly watcher: WatcherSection;
  /** The extensions that are on, by their sections, such as `edges.blockfrost`. */
  readonly extensions: Readonly<Record<string, ConfiguredExtension>>;
}

/** True if only programs on this machine can reach the address. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  return name === 'localhost' || name === '::1' || /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/.test(name);
}
