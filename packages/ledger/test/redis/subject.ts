import { Redis } from 'ioredis';
import type { LedgerSubject } from 'mempool-conformance';
import { openLedger } from 'mempool-ledger';
import { redisLedger } from 'mempool-ledger/redis';
import { ledgerKeys } from '../../src/redis/scripts.ts';

/** Set by the global set-up, and handed on to child processes. Without it no server may be written to. */
const url = process.env.MEMPOOL_TEST_REDIS_URL ?? '';
if (url === '') throw new Error('set MEMPOOL_TEST_REDIS_URL to a Redis that tests may write to');

export const subject: LedgerSubject = {
  name: 'ledger-redis',
  ledger: (options) => openLedger(redisLedger, { ...options, url }),
  ledgerTraits: ['durable', 'shared'],
  async destroy(name) {
    const client = new Redis(url);
    await client.unlink(ledgerKeys(`{ledger}:${name}`));
    client.disconnect();
  },
};
