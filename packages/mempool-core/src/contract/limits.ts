import { invalid } from './errors.ts';

/** The order of a pool, chosen when it is made: by arrival, or by priority. */
export type Ordering = 'fifo' | 'priority';

/**
 * What a pool holds at the most. Stored with the pool; the latest open or `setLimits` that names one sets it for all nodes.
 * A count is a safe integer of at least 0, or `Infinity`.
 */
export interface Limits {
  /** Pending, Propagated and Acknowledged ones. Default 100,000; without a limit in order of arrival. */
  readonly maxTxs: number;
  /** Their payload bytes. Default 256 MiB. Only by priority. */
  readonly maxBytes: number;
  /** Gas of one transaction. Default: no limit. Only by priority, as all that follow. */
  readonly maxTxGas: number;
  /** Pending, Propagated and Acknowledged ones of one sender. Default 64. */
  readonly maxPerSender: number;
  /** Parked ones. Default 10,000. */
  readonly maxParked: number;
  /** Pending ancestors of one transaction. Default 100. */
  readonly maxAncestors: number;
  /** Pending descendants of one transaction. Default 1,000. */
  readonly maxDescendants: number;
  /** Transactions that one newcomer may push out. Default 100. */
  readonly maxEvictions: number;
  /** By how many per cent a replacement must pay more: 0–10,000, default 10. */
  readonly replacementBump: number;
  /** Milliseconds that one may wait since it was first taken in. Default: no limit. */
  readonly ttlMs: number;
  /** Blocks that one may wait since it was first taken in. Default: no limit. */
  readonly ttlBlocks: number;
  /** Whether a newcomer may push out what sorts last. Default `lowest`; `none`: a full pool refuses. */
  readonly eviction: 'lowest' | 'none';
}

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
  eviction: 'lowest',
});

/** The names of the limits, in a fixed order. */
export const limitNames: readonly (keyof Limits)[] = Object.freeze(Object.keys(defaultLimits) as (keyof Limits)[]);

/** Only what is named, checked. @throws `ERR_MEMPOOL_INVALID` naming the limit */
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
  if (name === 'replacementBump') {
    if (!Number.isSafeInteger(value) || (value as number) < 0 || (value as number) > 10_000)
      throw invalid(name, 'a whole number of 0–10,000');
    return value;
  }
  if (value !== Number.POSITIVE_INFINITY && (!Number.isSafeInteger(value) || (value as number) < 0))
    throw invalid(name, 'a safe integer of at least 0, or Infinity');
  return value;
}
