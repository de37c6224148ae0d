import { Redis } from 'ioredis';
import type { Subject } from 'mempool-conformance';
import { subjectAt } from './subject-at.ts';

/** Set by the global set-up, and handed on to child processes. Without it no server may be written to. */
const url = process.env.MEMPOOL_TEST_REDIS_URL ?? '';
if (url === '') throw new Error('set MEMPOOL_TEST_REDIS_URL to a Redis that tests may write to');

export const subject: Subject = subjectAt('redis', import.meta.url, {
  options: { url },
  // Another attempt would keep a process alive whose server has ended.
  connect: () => new Redis(url, { retryStrategy: () => null }),
});
