import { invalid } from './errors.ts';
import { minPriority as lowestPriority, maxPriority } from './verdict.ts';

/** The order of a pool: `fifo` (order of arrival) or `priority`. It is fixed when the pool is made. */
export type Ordering = 'fifo' | 'priority';

/**
 * The limits of a pool. They are stored with the pool and hold for all nodes. An open or a `setLimits` call changes the
 * limits that it names. A count is a safe integer of at least 0, or `Infinity`. A fifo pool has only `maxTxs`.
 */
export interface Limits {
  /** Most transactions that are Pending, Propagated or Acknowledged. Default 100,000; in a fifo pool no limit. */
  readonly maxTxs: number;
  /** Most payload bytes of these transactions. Default 256 MiB. */
  readonly maxBytes: number;
  /** Most gas of one transaction. Default: no limit. */
  readonly maxTxGas: number;
  /** Most transactions of one sender that are Pending, Propagated or Acknowledged. Default 64. */
  readonly maxPerSender: number;
  /** Most parked transactions. A further one evicts parked ones that are worse, or is refused (P22). Default 10,000. */
  readonly maxParked: number;
  /** Most protected transactions that are Pending, Propagated or Acknowledged (P28). Default 1,000. */
  readonly maxProtected: number;
  /** Most Pending transactions that one transaction depends on, directly or indirectly. Default 100. */
  readonly maxAncestors: number;
  /** Most Pending transactions that depend on one transaction, directly or indirectly. Default 1,000. */
  readonly maxDescendants: number;
  /** Most transactions that one new transaction may evict. Default 100. */
  readonly maxEvictions: number;
  /** The percentage by which a replacement must pay more: 0–10,000, default 10. */
  readonly replacementBump: number;
  /** Milliseconds that a transaction may wait, from its admission. Default: no limit. */
  readonly ttlMs: number;
  /** Blocks that a transaction may wait, from its admission. Default: no limit. */
  readonly ttlBlocks: number;
  /** Milliseconds that a transaction may stay parked, counted from when it was last parked (P22). Default 10 minutes. */
  readonly parkedTtlMs: number;
  /**
   * The effective priority that a transaction needs to be ready. A transaction below it is parked (P26). A signed 64-bit
   * integer; the default is the lowest one, so no transaction is below it.
   */
  readonly minPriority: bigint;
  /**
   * The behaviour of a full pool. With `lowest`, a new transaction may evict those that sort last. With `none`, the pool
   * refuses new transactions. Default `lowest`.
   */
  readonly eviction: 'lowest' | 'none';
}

/** The values of a limit: a count, a duration, a percentage, a priority, or a policy of a full pool. */
export type LimitKind = 'count' | 'duration' | 'percentage' | 'priority' | 'eviction';

interface LimitRow<Value> {
  readonly kind: LimitKind;
  /** The default in a priority pool. */
  readonly priority: Value;
  /** The default in a fifo pool, where only `maxTxs` can be set. */
  readonly fifo: Value;
}

const none = Number.POSITIVE_INFINITY;

/** Each limit, in a fixed order. The configuration and the checks follow from this table. */
export const limitRows: { readonly [Name in keyof Limits]: LimitRow<Limits[Name]> } = {
  maxTxs: { kind: 'count', priority: 100_000, fifo: none },
  maxBytes: { kind: 'count', priority: 256 * 1024 * 1024, fifo: none },
  maxTxGas: { kind: 'count', priority: none, fifo: none },
  maxPerSender: { kind: 'count', priority: 64, fifo: none },
  maxParked: { kind: 'count', priority: 10_000, fifo: none },
  maxProtected: { kind: 'count', priority: 1_000, fifo: none },
  maxAncestors: { kind: 'count', priority: 100, fifo: none },
  maxDescendants: { kind: 'count', priority: 1_000, fifo: none },
  maxEvictions: { kind: 'count', priority: 100, fifo: 0 },
  replacementBump: { kind: 'percentage', priority: 10, fifo: 0 },
  ttlMs: { kind: 'count', priority: none, fifo: none },
  ttlBlocks: { kind: 'count', priority: none, fifo: none },
  parkedTtlMs: { kind: 'duration', priority: 600_000, fifo: none },
  minPriority: { kind: 'priority', priority: lowestPriority, fifo: lowestPriority },
  eviction: { kind: 'eviction', priority: 'lowest', fifo: 'none' },
};

/** The names of the limits, in a fixed order. */
export const limitNames: readonly (keyof Limits)[] = Object.freeze(Object.keys(limitRows) as (keyof Limits)[]);

/** The default limits of a priority pool. */
export const defaultLimits: Limits = defaultsOf('priority');

/** The default limits of a fifo pool: no limit. Only `maxTxs` can be set. */
export const fifoLimits: Limits = defaultsOf('fifo');

function defaultsOf(ordering: Ordering): Limits {
  const values = Object.entries(limitRows).map(([name, row]) => [name, row[ordering]] as const);
  return Object.freeze(Object.fromEntries(values) as unknown as Limits);
}

/** Returns the limits among the given fields, after checking them. @throws `ERR_MEMPOOL_INVALID` naming the limit */
export function namedLimits(given: Partial<Record<keyof Limits, unknown>>): Partial<Limits> {
  const named: Partial<Record<keyof Limits, unknown>> = {};
  for (const name of limitNames) {
    const value = given[name];
    if (value === undefined) continue;
    const { isValid, form } = limitForms[limitRows[name].kind];
    if (!isValid(value)) throw invalid(name, form);
    named[name] = value;
  }
  return named as Partial<Limits>;
}

interface LimitForm {
  readonly form: string;
  isValid(value: unknown): boolean;
}

const endlessCount: LimitForm = {
  form: 'a safe integer of at least 0, or Infinity',
  isValid: (value) => value === none || (Number.isSafeInteger(value) && (value as number) >= 0),
};

const limitForms: Readonly<Record<LimitKind, LimitForm>> = {
  count: endlessCount,
  duration: endlessCount,
  percentage: {
    form: 'a whole number of 0–10,000',
    isValid: (value) => Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= 10_000,
  },
  priority: {
    form: 'a bigint of 64 bits, signed',
    isValid: (value) => typeof value === 'bigint' && value >= lowestPriority && value <= maxPriority,
  },
  eviction: { form: "'lowest' or 'none'", isValid: (value) => value === 'lowest' || value === 'none' },
};
