import type { Policy } from 'mempool-core';

/** No block of the benchmark may age the transactions that others count on. */
export const never: Policy = { finalizeThreshold: Number.POSITIVE_INFINITY, dropThreshold: Number.POSITIVE_INFINITY };
