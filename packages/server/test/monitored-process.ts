// A process with a pool, a life and a monitor, until it is killed. Arguments: the configuration as JSON, a seed.
import { type MempoolConfig, openMempool } from 'mempool-core';
import { redis } from 'mempool-redis';
import { sqlite } from 'mempool-sqlite';
import { Random } from 'mempool-testkit';
import { Monitor } from '../src/monitor/monitor.ts';
import { RandomLife } from './random-pool.ts';

const [config = '', seed = '0'] = process.argv.slice(2);
const pool = await openMempool(JSON.parse(config) as MempoolConfig, { redis, sqlite });
await Monitor.start(pool, { saveEveryMs: 20 });
const random = new Random(Number(seed));
const life = new RandomLife(pool, random, undefined, Number(seed) * 1_000_000);
for (let step = 0; ; step++) {
  await life.step();
  if (step % 10 === 0) process.stdout.write(`${step}\n`);
}
