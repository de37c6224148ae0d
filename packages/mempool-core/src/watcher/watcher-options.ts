import { checkPolicy } from '../boundary/arguments.ts';
import { checkNames } from '../boundary/option-names.ts';
import type { ChainOptions, TipOptions } from '../contract/call-options.ts';
import { invalid } from '../contract/errors.ts';
import type { Leadership } from '../contract/lease.ts';
import type { Logger } from '../contract/options.ts';
import type { Block, ConfirmOutcome, Policy, RollbackOutcome, RollbackTarget, TipAnswer } from '../contract/store.ts';
import type { ChainPoint, Tip } from '../contract/transaction.ts';
import type { ChainSource } from './chain-source.ts';

/**
 * The part of an election that a watcher uses. `mempool-election` implements it. Any other election with `runAsLeader` and
 * `resign` works as well.
 */
export interface WatcherElection {
  /**
   * Waits until this node leads, then runs `work`. If the leadership ends before the work, the signal of `work` aborts,
   * and `work` runs again when this node leads again. Rejects if `signal` aborts or the election ends.
   */
  runAsLeader<T>(
    work: (signal: AbortSignal, term: number, leadership: Leadership) => Promise<T>,
    options: { readonly signal: AbortSignal },
  ): Promise<T>;
  /** Gives up the leadership, if this node has it. It may wait for the work to end. */
  resign(): Promise<void>;
  /** The leader when this node last read the store, if the election reports it. */
  readonly leader?: { readonly term: number } | null;
  /** Takes the lease from the live leader of this term. Without this method, a leader that hangs keeps its lease. */
  depose?(term: number): Promise<unknown>;
}

/** The verbs of a pool that a watcher calls. */
export interface WatcherPool {
  tip(options?: TipOptions): Promise<TipAnswer>;
  confirm(block: Block, policy?: Policy, options?: ChainOptions): Promise<ConfirmOutcome>;
  rollback(target: RollbackTarget, options?: ChainOptions): Promise<RollbackOutcome>;
}

/** Options of `Watcher`. */
export interface WatcherOptions {
  /** Only its leader applies blocks. */
  readonly election: WatcherElection;
  /** The pool to which the blocks are applied. */
  readonly pool: WatcherPool;
  /** The chain. */
  readonly source: ChainSource;
  /** Thresholds for the blocks that this node applies. A field that is left out defaults to the pool's own threshold. */
  readonly policy?: Policy | undefined;
  /** How many of the last blocks this node keeps; default 2,160. */
  readonly ringSize?: number | undefined;
  /**
   * The time without progress after which a standby takes the lease from the leader, in milliseconds; default 30,000.
   * `false` turns this off. There is no progress if the standby has blocks beyond the pool's tip, and neither the tip nor
   * the leader changes, because then the leader's source or watcher hangs.
   */
  readonly progressTimeoutMs?: number | false | undefined;
  /** Receives the log lines; silent by default. */
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

/** Checks the options and fills in the defaults. @throws `ERR_MEMPOOL_INVALID` naming the option */
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

/** A week. The limit of timers is far higher. */
const longestTimeoutMs = 604_800_000;

function isTimeout(valueMs: number): boolean {
  return Number.isSafeInteger(valueMs) && valueMs >= 1 && valueMs <= longestTimeoutMs;
}

/** Wraps a log so that an error in it does not stop the watcher. */
function harmless(log: Logger): Logger {
  return (...line) => {
    try {
      log(...line);
    } catch {
      // The log itself failed, so the failure cannot be reported.
    }
  };
}

function requireMethods<T extends object>(field: string, value: T, methods: readonly (keyof T & string)[]): void {
  const missing = methods.find((method) => typeof value?.[method] !== 'function');
  if (missing !== undefined) throw invalid(`${field}.${missing}`, 'a function');
}

/** An event of a watcher. `term` is the term of the leadership in which it happened. */
export type WatcherEvent =
  /** This node leads, and the pool is at the end of the chain that this node has seen. */
  | { readonly kind: 'ready'; readonly tip: Tip; readonly term: number }
  /** The pool and the source have no block in common. Nothing was applied, and this node gave up the leadership. */
  | { readonly kind: 'diverged'; readonly tip: Tip; readonly term: number }
  | { readonly kind: 'applied'; readonly tip: Tip; readonly term: number }
  | { readonly kind: 'undone'; readonly tip: Tip; readonly term: number }
  /** The pool refused the call of a leader whose lease is over (X6). */
  | { readonly kind: 'fenced'; readonly point: ChainPoint | null; readonly term: number }
  /** The pool failed with an error that is not retryable. This node gave up the leadership. */
  | { readonly kind: 'failed'; readonly error: unknown; readonly term: number }
  /** This node did not apply the block, because another node leads or the leadership ended. It keeps the block. */
  | { readonly kind: 'skipped'; readonly point: ChainPoint };

export type WatcherEventKind = WatcherEvent['kind'];
export type WatcherEventOf<K extends WatcherEventKind> = Extract<WatcherEvent, { readonly kind: K }>;
