import { Cluster } from 'ioredis';
import type { Subject } from 'mempool-conformance';
import { subjectAt } from '../subject-at.ts';

/** Nodes with commas between them. Without it no cluster may be written to. */
const cluster = process.env.MEMPOOL_TEST_REDIS_CLUSTER?.split(',') ?? [];
if (cluster.length === 0) throw new Error('set MEMPOOL_TEST_REDIS_CLUSTER to a cluster that tests may write to');

const nodes = cluster.map((node) => new URL(`redis://${node}`));
const connect = () => new Cluster(nodes.map(({ hostname, port }) => ({ host: hostname, port: Number(port) })));

export const subject: Subject = subjectAt('redis-cluster', import.meta.url, { options: { cluster }, connect });
