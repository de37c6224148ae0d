// Measures how long the server needs to migrate a pool with a million transactions: `node --conditions=mempool-source
// test/pool/million.ts`, with MEMPOOL_TEST_REDIS_URL set. Fails if it is more than a second. Formats 1 and 2, which rewrite what is in flight,
// have no such limit.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { Redis } from 'ioredis';
import { redis } from 'mempool-redis';
import { sampleOptions } from 'mempool-testkit';
import { restoreKeys } from './stored-keys.ts';

const mostUs = 1_000_000;
const millions = 1_000_000;
const perCall = 10_000;
const fill = `
  local key, first, last = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])
  for i = first, last do
    local hash = redis.sha1hex(i)
    redis.call('ZADD', key .. ':idx', string.format('%d', i), hash)
    redis.call('HSET', key .. ':body', hash, string.rep('x', 106))
    if redis.call('EXISTS', key .. ':entries') == 1 then redis.call('HSET', key .. ':entries', hash, string.rep('x', 60)) end
  end
  redis.call('HSET', key .. ':meta', 'seq', last)
`;

const url = process.env.MEMPOOL_TEST_REDIS_URL ?? '';
const client = new Redis(url);
await client.config('SET', 'slowlog-log-slower-than', '0');
for (const [kind, format] of [
  ['claimed', 3],
  ['priority', 4],
] as const) {
  const keyPrefix = randomUUID();
  const fixture = new URL(`../fixtures/${kind}-${format}.json.gz`, import.meta.url);
  await restoreKeys(client, keyPrefix, JSON.parse(gunzipSync(readFileSync(fixture)).toString()).stored);
  for (let n = 0; n < millions; n += perCall)
    await client.eval(fill, 1, `{${keyPrefix}}`, 1_000 + n, 999 + n + perCall);
  await client.slowlog('RESET');
  const store = await redis.open({ ...sampleOptions(kind), url, keyPrefix });
  const entries = (await client.slowlog('GET', 128)) as [id: number, at: number, us: number, command: string[]][];
  await store.close();
  const us = Math.max(...entries.filter(([, , , [name]]) => /^EVAL/i.test(String(name))).map(([, , each]) => each));
  console.log(`${kind}: the longest script of the open, with its migration, took ${us / 1_000} ms of the server`);
  if (us > mostUs) process.exitCode = 1;
  await client.unlink(await client.keys(`{${keyPrefix}}*`));
}
client.disconnect();
