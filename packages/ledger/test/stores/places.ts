import { randomUUID } from 'node:crypto';
import { scratchFolder } from 'mempool-testkit/vitest';
import type { Place } from './place.ts';

/** The stores that several processes share, with a new place for each call. */
export const places: Readonly<Record<string, () => Place>> = {
  sqlite: () => `sqlite:${scratchFolder()}`,
  redis: () => `redis:${randomUUID()}:${process.env.MEMPOOL_TEST_REDIS_URL}`,
};
