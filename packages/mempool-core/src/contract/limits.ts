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

/** The default limits of a priority pool. */
export const defaultLimits: Limits = Object.freeze({
  maxTxs: 100_000,
  maxBytes: 256 * 1024 * 1024,
  maxTxGas: Number.POSITIVE_INFINITY,
  maxPerSender: 64,
  maxParked: 10_000,
  maxProtected: 1_000,
  maxAncestors: 100,
  maxDescendants: 1_000,
  maxEvictions: 100,
  replacementBump: 10,
  ttlMs: Number.POSITIVE_INFINITY,
  ttlBlocks: Number.POSITIVE_INFINITY,
  parkedTtlMs: 600_000,
  minPriority: lowestPriority,
  eviction: 'lowest',
});

/** The names of the limits, in a fixed order. */
export const limitNames: readonly (keyof Limits)[] = Object.freeze(Object.keys(defaultLimits) as (keyof Limits)[]);

/** Returns the limits among the given fields, after checking them. @throws `ERR_MEMPOOL_INVALID` naming the limit */
export function namedLimits(given: Partial<Record<keyof Limits, unknown>>): Partial<Limits> {
  const named: Partial<Record<keyof Limits, unknown>> = {};
  for (const name of limitNames) {
    const value = given[name];
    if (value !== undefined) named[name] = checkLimitValue(name, value);
  }
  return named as Partial<Limits>;
}

function checkLimitValue(name: keyof Limits, value: unknown): unknown {
  if (name === 'eviction') {
    if (value !== 'lowest' && value !== 'none') throw invalid(name, "'lowest' or 'none'");
    return value;
  }
  if (name === 'minPriority') {
    if (typeof value !== 'bigint' || value < lowestPriority || value > maxPriority)
      throw invalid(name, 'a bigint of 64 bits, signed');
    return value;
  }
  if (name === 'replacementBump') {
    if (!Number.isSafeInteger(value) || (value as number) < 0 || (value as number) > 10_000)
      throw invalid(name, 'a whole number of 0–10,000');
    return value;
  }
  if (value !== Number.POSITIVE_INFINITY && (!Number.isSafeInteger(value) || (value as number) < 0))
    throw invalid(name, 'a safe integer of at least 0, or Infinity');
  return value;
}
