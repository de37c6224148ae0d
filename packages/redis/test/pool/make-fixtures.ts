// Makes the samples of the current formats: `node --conditions=mempool-source test/pool/make-fixtures.ts`, with MEMPOOL_TEST_REDIS_URL set.
// To be run once for a format, with the last code that writes it, and never again: later versions must open what was made then.
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { Redis } from 'ioredis';
import { redis } from 'mempool-redis';
import { fillSample, observeSample, repeatSample, type SampleKind, sampleOptions } from 'mempool-testkit';
import { dumpKeys } from './stored-keys.ts';

const url = process.env.MEMPOOL_TEST_REDIS_URL ?? '';
const client = new Redis(url);
for (const kind of ['claimed', 'priority'] as const satisfies SampleKind[]) {
  const keyPrefix = randomUUID();
  const store = await redis.open({ ...sampleOptions(kind), url, keyPrefix });
  await fillSample(store, kind);
  const then = { seen: await observeSample(store), repeats: await repeatSample(store, kind) };
  await store.close();
  const stored = await dumpKeys(client, keyPrefix);
  const format = await client.hget(`{${keyPrefix}}:meta`, 'format');
  const fixture = new URL(`../fixtures/${kind}-${format}.json.gz`, import.meta.url);
  writeFileSync(fixture, gzipSync(JSON.stringify({ stored, ...then }), { level: 9 }));
}
client.disconnect();
