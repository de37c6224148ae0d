import { invalid } from './errors.ts';
import { minPriority as lowestPriority, maxPriority } from './verdict.ts';

/** The order of a pool, fixed when it is made: `fifo`, by arrival, or `priority`. */
export type Ordering = 'fifo' | 'priority';

/**
 * The most that a pool holds, and until when it accepts. Limits are stored with the pool: the latest open or `setLimits` that names one sets it for
 * all nodes. A count is a safe integer of at least 0, or `Infinity`. A fifo pool has `maxTxs` and `acceptUntil` only.
 */
export interface Limits {
  /** Transactions that are Pending, Propagated or Acknowledged. Default 100,000; in a fifo pool no limit. */
  readonly maxTxs: number;
  /** Payload bytes of these transactions. Default 256 MiB. */
  readonly maxBytes: number;
  /** Gas of one transaction. Default: no limit. */
  readonly maxTxGas: number;
  /** Transactions of one sender that are Pending, Propagated or Acknowledged. Default 64. */
  readonly maxPerSender: number;
  /** Parked transactions: Pending, but waiting for a parent. Beyond it the worst leaves (P22). Default 10,000. */
  readonly maxParked: number;
  /** Pending transactions that one transaction depends on, directly or not. Default 100. */
  readonly maxAncestors: number;
  /** Pending transactions that depend on one transaction, directly or not. Default 1,000. */
  readonly maxDescendants: number;
  /** Transactions that one new transaction may evict. Default 100. */
  readonly maxEvictions: number;
  /** The percentage by which a replacement must pay more: 0–10,000, default 10. */
  readonly replacementBump: number;
  /** Milliseconds that a transaction may wait, from its admission. Default: no limit. */
  readonly ttlMs: number;
  /** Blocks that a transaction may wait, from its admission. Default: no limit. */
  readonly ttlBlocks: number;
  /** Milliseconds that a transaction may stay parked, from when it was last parked (P22). Default 10 minutes. */
  readonly parkedTtlMs: number;
  /**
   * The effective priority that a transaction needs to be ready; one below it is parked (P26). A signed 64-bit integer.
   * Default: the lowest one, so none is below.
   */
  readonly minPriority: bigint;
  /**
   * When the pool closes, in milliseconds since 1970: from then on each newcomer is answered `closed` (P27). 0: it is
   * closed. Default: never, `Infinity`.
   */
  readonly acceptUntil: number;
  /** `lowest`: a new transaction may evict those that sort last. `none`: a full pool refuses. Default `lowest`. */
  readonly eviction: 'lowest' | 'none';
}

/** The limits of a priority pool that is opened without others. */
export const defaultLimits: Limits = Object.freeze({
  maxTxs: 100_000,
  maxBytes: 256 * 1024 * 1024,
  maxTxGas: Number.POSITIVE_INFINITY,
  maxPerSender: 64,
  maxParked: 10_000,
  maxAncestors: 100,
  maxDescendants: 1_000,
  maxEvictions: 100,
  replacementBump: 10,
  ttlMs: Number.POSITIVE_INFINITY,
  ttlBlocks: Number.POSITIVE_INFINITY,
  parkedTtlMs: 600_000,
  minPriority: lowestPriority,
  acceptUntil: Number.POSITIVE_INFINITY,
  eviction: 'lowest',
});

/**
 * The limits of a pool that an older version stored, where it stored none: a limit that is newer than the pool drops
 * nothing of it until somebody sets it.
 */
export const formerLimits: Limits = Object.freeze({ ...defaultLimits, parkedTtlMs: Number.POSITIVE_INFINITY });

/** P27: true if a pool with this limit is closed at `nowMs`. */
export function isClosedAt({ acceptUntil }: Pick<Limits, 'acceptUntil'>, nowMs: number): boolean {
  return nowMs >= acceptUntil;
}

/** The names of the limits, in a fixed order. */
export const limitNames: readonly (keyof Limits)[] = Object.freeze(Object.keys(defaultLimits) as (keyof Limits)[]);

/** The limits that are given, checked; other fields are left out. @throws `ERR_MEMPOOL_INVALID` naming the limit */
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
