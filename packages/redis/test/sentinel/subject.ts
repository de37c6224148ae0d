import { Redis } from 'ioredis';
import type { Subject } from 'mempool-conformance';
import { subjectAt } from '../subject-at.ts';

/** Sentinels with commas between them, and the number of replicas to wait for. Without them no server may be written to. */
const sentinels = process.env.MEMPOOL_TEST_REDIS_SENTINELS?.split(',') ?? [];
const minReplicas = Number(process.env.MEMPOOL_TEST_MIN_REPLICAS ?? 0);
if (sentinels.length === 0)
  throw new Error('set MEMPOOL_TEST_REDIS_SENTINELS to Sentinels whose master tests may write to');

const addresses = sentinels.map((each) => {
  const { hostname, port } = new URL(`redis://${each}`);
  return { host: hostname, port: Number(port) };
});

export const subject: Subject = subjectAt('redis-sentinel', import.meta.url, {
  options: { sentinels, masterName: 'main', minReplicas },
  // It may outlive the servers.
  connect: () => new Redis({ sentinels: addresses, name: 'main' }).on('error', () => undefined),
});
