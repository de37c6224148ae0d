import type { Limits } from '../../model/priority/entry.ts';

/** Small limits, so that a few calls fill the pool, and nearly every limit is reached often. */
export const historyLimits: Limits = {
  maxTxs: 8,
  maxBytes: 130,
  maxTxGas: 9,
  maxPerSender: 3,
  maxParked: 3,
  maxProtected: 2,
  maxAncestors: 2,
  maxDescendants: 2,
  maxEvictions: 2,
  replacementBump: 10,
  ttlMs: 400,
  ttlBlocks: 12,
  parkedTtlMs: 300,
  minPriority: -(2n ** 63n),
  eviction: 'lowest',
};

/** The limits of a fifo pool that sets none. */
export const fifoLimits: Limits = {
  maxTxs: Number.POSITIVE_INFINITY,
  maxBytes: Number.POSITIVE_INFINITY,
  maxTxGas: Number.POSITIVE_INFINITY,
  maxPerSender: Number.POSITIVE_INFINITY,
  maxParked: Number.POSITIVE_INFINITY,
  maxProtected: Number.POSITIVE_INFINITY,
  maxAncestors: Number.POSITIVE_INFINITY,
  maxDescendants: Number.POSITIVE_INFINITY,
  maxEvictions: 0,
  replacementBump: 0,
  ttlMs: Number.POSITIVE_INFINITY,
  ttlBlocks: Number.POSITIVE_INFINITY,
  parkedTtlMs: Number.POSITIVE_INFINITY,
  minPriority: -(2n ** 63n),
  eviction: 'none',
};

/** Values for `setLimits`. The first of each is the pool's initial value, so that a history returns to it. */
export const otherLimits: { readonly [L in keyof Limits]: readonly Limits[L][] } = {
  maxTxs: [8, 8, 4, 12],
  maxBytes: [130, 130, 50, 1_000, 100_000],
  maxTxGas: [9, 9, 5, Number.POSITIVE_INFINITY],
  maxPerSender: [3, 3, 1, 64],
  maxParked: [3, 3, 0, 8],
  maxProtected: [2, 2, 0, 8],
  maxAncestors: [2, 1, 0, 8],
  maxDescendants: [2, 1, 0, 8],
  maxEvictions: [2, 2, 1, 8],
  replacementBump: [10, 10, 0, 100],
  ttlMs: [400, 400, 100, Number.POSITIVE_INFINITY],
  ttlBlocks: [12, 12, 4, Number.POSITIVE_INFINITY],
  parkedTtlMs: [300, 300, 50, Number.POSITIVE_INFINITY],
  minPriority: [-(2n ** 63n), -(2n ** 63n), 0n, 1n, 5n, 11n, 2n ** 53n],
  eviction: ['lowest', 'lowest', 'lowest', 'none'],
};

/** Most calls meet a pool that admits. */
export const usualLimits: Partial<Limits> = {
  maxTxs: historyLimits.maxTxs,
  maxBytes: historyLimits.maxBytes,
  maxTxGas: historyLimits.maxTxGas,
  minPriority: historyLimits.minPriority,
};
