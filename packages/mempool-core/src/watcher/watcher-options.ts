import { checkPolicy } from '../boundary/arguments.ts';
import { checkNames } from '../boundary/option-names.ts';
import { invalid } from '../contract/errors.ts';
import type { Leadership } from '../contract/lease.ts';
import type { Logger } from '../contract/options.ts';
import type { MempoolStore, Policy } from '../contract/store.ts';
import type { ChainPoint, Tip } from '../contract/transaction.ts';
import type { ChainSource } from './chain-source.ts';

/** All that a watcher asks of an election: `mempool-election` has one, any other with these two will do. */
export interface WatcherElection {
  /**
   * Waits until this node leads, then does the work. When the leadership ends before the work has, its signal aborts, and the
   * work is begun anew when this node leads again. Rejects when `signal` aborts or the election ends.
   */
  runAsLeader<T>(
    work: (signal: AbortSignal, term: number, leadership: Leadership) => Promise<T>,
    options: { readonly signal: AbortSignal },
  ): Promise<T>;
  /** Gives the leadership away, if this node has it. May wait for the work to end. */
  resign(): Promise<void>;
  /** Who led at the last look, where the election tells. */
  readonly leader?: { readonly term: number } | null;
  /** Takes the lease from the live leader of this term. Without it a leader whose work hangs is left alone. */
  depose?(term: number): Promise<unknown>;
}

/** Of a store or of a `Mempool`. */
export type WatcherPool = Pick<MempoolStore, 'tip' | 'confirm' | 'rollback'>;

export interface WatcherOptions {
  readonly election: WatcherElection;
  readonly pool: WatcherPool;
  readonly source: ChainSource;
  /** Thresholds for the blocks applied by this node; what is left out is the pool's. */
  readonly policy?: Policy | undefined;
  /** How many of the last blocks are kept; default 2,160. */
  readonly ringSize?: number | undefined;
  /**
   * A standby that has blocks beyond the pool's tip, while the tip and the leader stay the same for so long, takes the lease
   * from that leader: its source hangs. In milliseconds; default 30,000; `false`: never.
   */
  readonly progressTimeoutMs?: number | false | undefined;
  /** Silent by default. */
  readonly log?: Logger | undefined;
}

export type ResolvedWatcherOptions = { readonly [O in keyof WatcherOptions]-?: Exclude<WatcherOptions[O], undefined> };

const watcherNames: ReadonlySet<string> = new Set([
  'election',
  'pool',
  'source',
  'policy',
  'ringSize',
  'progressTimeoutMs',
  'log',
]);

/** @throws `ERR_MEMPOOL_INVALID` naming the option */
export function resolveWatcherOptions(options: WatcherOptions): ResolvedWatcherOptions {
  checkNames('options', options, watcherNames);
  const { election, pool, source, policy = {}, ringSize = 2_160, log = () => undefined } = options;
  const { progressTimeoutMs = 30_000 } = options;
  requireMethods('election', election, ['runAsLeader', 'resign']);
  requireMethods('pool', pool, ['tip', 'confirm', 'rollback']);
  requireMethods('source', source, ['intersect']);
  if (!Number.isSafeInteger(ringSize) || ringSize < 1) throw invalid('ringSize', 'a whole number of at least 1');
  if (progressTimeoutMs !== false && !isTimeout(progressTimeoutMs))
    throw invalid('progressTimeoutMs', `a whole number of milliseconds from 1 to ${longestTimeoutMs}, or false`);
  if (typeof log !== 'function') throw invalid('log', 'a function');
  return { election, pool, source, policy: checkPolicy(policy), ringSize, progressTimeoutMs, log: harmless(log) };
}

/** A week, far below what a timer can wait. */
const longestTimeoutMs = 604_800_000;

function isTimeout(valueMs: number): boolean {
  return Number.isSafeInteger(valueMs) && valueMs >= 1 && valueMs <= longestTimeoutMs;
}

/** A log that fails is its owner's affair, and no block's. */
function harmless(log: Logger): Logger {
  return (...line) => {
    try {
      log(...line);
    } catch {
      // There is nobody left to tell.
    }
  };
}

function requireMethods<T extends object>(field: string, value: T, methods: readonly (keyof T & string)[]): void {
  const missing = methods.find((method) => typeof value?.[method] !== 'function');
  if (missing !== undefined) throw invalid(`${field}.${missing}`, 'a function');
}

/** What a watcher tells of its work. `term`: that of the leadership it happened in. */
export type WatcherEvent =
  /** This node leads, and the pool is where the chain is, as far as this node has seen it. */
  | { readonly kind: 'ready'; readonly tip: Tip; readonly term: number }
  /** The pool and the source have no block in common. Nothing was applied, and the leadership was given up. */
  | { readonly kind: 'diverged'; readonly tip: Tip; readonly term: number }
  | { readonly kind: 'applied'; readonly tip: Tip; readonly term: number }
  | { readonly kind: 'undone'; readonly tip: Tip; readonly term: number }
  /** The pool refused the block of a leader whose lease is over (X6). */
  | { readonly kind: 'fenced'; readonly point: ChainPoint | null; readonly term: number }
  /** The pool failed in a way that trying again does not cure. The leadership was given up. */
  | { readonly kind: 'failed'; readonly error: unknown; readonly term: number }
  /** A block came while another node leads, or the leadership ended before it; it is kept. */
  | { readonly kind: 'skipped'; readonly point: ChainPoint };

export type WatcherEventKind = WatcherEvent['kind'];
export type WatcherEventOf<K extends WatcherEventKind> = Extract<WatcherEvent, { readonly kind: K }>;
