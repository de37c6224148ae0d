import type { Ordering } from 'mempool-core';

export const orderings: readonly Ordering[] = ['fifo', 'priority'];
