import type { Limits } from '../contract/limits.ts';

/** What a pool in order of arrival holds at the most: nothing limits it but `maxTxs`, where that is set. */
export const fifoLimits: Limits = Object.freeze({
  maxTxs: Number.POSITIVE_INFINITY,
  maxBytes: Number.POSITIVE_INFINITY,
  maxTxGas: Number.POSITIVE_INFINITY,
  maxPerSender: Number.POSITIVE_INFINITY,
  maxParked: Number.POSITIVE_INFINITY,
  maxAncestors: Number.POSITIVE_INFINITY,
  maxDescendants: Number.POSITIVE_INFINITY,
  maxEvictions: 0,
  replacementBump: 0,
  ttlMs: Number.POSITIVE_INFINITY,
  ttlBlocks: Number.POSITIVE_INFINITY,
  eviction: 'none',
});
