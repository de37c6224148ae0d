import type { MempoolConfig } from 'mempool-core';

/** What a token may do, from the smallest right to the largest; in the ledger, too. */
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

/** A token that the server accepts. The token itself is not kept. */
export interface TokenOptions {
  /** Names it in logs and in operation ids; unique. */
  readonly name: string;
  /** `sha256:` and the SHA-256 of the token as 64 hex digits. */
  readonly hash: string;
  readonly scopes: readonly Scope[];
  /** The owners whose wallets the scope `ledger:transfer` is for; needed with it, and only with it. */
  readonly owners?: 'all' | readonly string[] | undefined;
}

/** The named ways to compute the hash of a transaction from its bytes. */
export const payloadHashNames = ['sha256', 'blake2b-256', 'keccak-256', 'cardano'] as const;

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
  /** True: `/` is the dashboard; default true. */
  readonly dashboard: boolean;
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

/** Where one edge listens. The address is that of `[server]`. */
export interface EdgeSection {
  /** The port to listen on; 0: a free one. */
  readonly port: number;
}

/** The section `[edges.ethereum]`, complete. */
export interface EthereumSection extends EdgeSection {
  /** The chain that transactions must be signed for. */
  readonly chainId: number;
  /**
   * The HTTP URL of an Ethereum node, which gives nonces and balances and answers all other methods; `null`: none. It may
   * hold a key, so it is in no log and no error.
   */
  readonly upstream: string | null;
}

/** The section `[edges.cometbft]`, complete. */
export interface CometBftSection extends EdgeSection {
  /** The id of the chain, by which clients sign; default `mempool`. */
  readonly chainId: string;
}

/** The section `[edges]`, complete: protocols beside the HTTP API, each on a port of its own; `null`: off. */
export interface EdgesSection {
  /** Blockfrost and the Cardano submit API; default port 3000. */
  readonly blockfrost: EdgeSection | null;
  /** Ethereum JSON-RPC over HTTP and WebSocket; default port 8545. */
  readonly ethereum: EthereumSection | null;
  /** CometBFT's RPC; default port 26657. */
  readonly cometbft: CometBftSection | null;
  /** UTxO RPC's service for submitting: gRPC, gRPC-Web and Connect; default port 50051. */
  readonly utxorpc: EdgeSection | null;
}

/** The section `[ledger]`, complete. */
export interface LedgerSection {
  /** The currency of the wallet `vault`, and of a request that names none. */
  readonly currency: string;
  /** Ledgers of other names share nothing; default `main`. */
  readonly name: string;
  /** The file of the ledger beside a pool on SQLite; `null`: `pool.ledger.sqlite` for `pool.sqlite`. */
  readonly path: string | null;
  /** How long records are kept at least; default `never` to remove any. */
  readonly retentionMs: number | 'never';
  /** How many refusals of one owner are recorded; default 10,000. */
  readonly maxRefusals: number;
  /** How often reservations whose time has come are expired; default 1,000. */
  readonly sweepMs: number;
  /** True: `/turbo` speaks the API of turbo-ledger; default false. */
  readonly turbo: boolean;
}

/** The section `[sequencer]`, complete: the epochs of one validator, which run elsewhere and are watched here. */
export interface SequencerSection {
  readonly protocol: string;
  readonly market: string;
  /** The Redis with its pools; `null`: that of `[mempool]`. It may hold a password, so it is in no log and no error. */
  readonly url: string | null;
  /** The folder with its pools, a SQLite file for each; `null`: they are on Redis. */
  readonly folder: string | null;
  /** How often the epochs are read; default 1,000. */
  readonly refreshMs: number;
  /** From the close of a window until level 1 is missing; default 60,000. */
  readonly level1GraceMs: number;
  /** From the end of level 1 until level 2 is missing; default 60,000. */
  readonly level2GraceMs: number;
  /** From the agreement until it is missing on the chain; default 300,000. */
  readonly onchainGraceMs: number;
}

/** The configuration of a server: one file with seven sections. */
export interface ServerConfig {
  /** What `openMempool` and `openNode` take. */
  readonly mempool: MempoolConfig<string>;
  readonly server: ServerOptions;
  readonly election: ElectionSection;
  readonly watcher: WatcherSection;
  readonly edges: EdgesSection;
  /** `null`: there is no ledger. */
  readonly ledger: LedgerSection | null;
  /** `null`: no epochs are watched. */
  readonly sequencer: SequencerSection | null;
}

/** True if only programs on this machine can reach the address. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  return name === 'localhost' || name === '::1' || /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/.test(name);
}
