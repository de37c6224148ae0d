import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import type { Redis } from 'ioredis';
import {
  durable,
  fillSample,
  goOn,
  observeSample,
  repeatSample,
  reuseSample,
  type SampleKind,
  sampleOptions,
} from 'mempool-testkit';
import { expect, inject, test } from 'vitest';
import { openPool, operator, ownServer } from '../own-server.ts';
import { restoreKeys, type StoredKeys } from './stored-keys.ts';

interface Sample {
  readonly stored: StoredKeys;
  readonly seen: unknown;
  readonly repeats: unknown;
}

/** Formats 1 and 2 are made of the samples of formats 3 and 4: their scores in flight had no digits of the seq. */
const formats = [
  { format: '1', kind: 'claimed', sample: 'claimed-3', now: '5' },
  { format: '2', kind: 'priority', sample: 'priority-4', now: '6' },
  { format: '3', kind: 'claimed', sample: 'claimed-3', now: '5' },
  { format: '4', kind: 'priority', sample: 'priority-4', now: '6' },
] as const satisfies { format: string; kind: SampleKind; sample: string; now: string }[];

function read(name: string): Sample {
  return JSON.parse(gunzipSync(readFileSync(new URL(`../fixtures/${name}.json.gz`, import.meta.url))).toString());
}

/** Stage and tick of a score in flight: the first ten of its sixteen digits. */
const inFlight = /^([123])(\d{9})\d{6}$/;

async function makeOlder(client: Redis, prefix: string, format: string): Promise<void> {
  const index = `{${prefix}}:idx`;
  const pairs = await client.zrangeBuffer(index, '0', '-1', 'WITHSCORES');
  for (let i = 0; i < pairs.length; i += 2) {
    const [, stage, tick] = inFlight.exec(String(pairs[i + 1])) ?? [];
    if (stage !== undefined) await client.zadd(index, `${stage}${String(tick).padStart(15, '0')}`, pairs[i] as Buffer);
  }
  await client.hset(`{${prefix}}:meta`, 'format', format);
}

async function restored({ format, sample }: (typeof formats)[number], url = inject('redisUrl')) {
  const keyPrefix = randomUUID();
  const client = operator(url);
  const then = read(sample);
  // Of a server that is killed it would complain for ever.
  client.on('error', () => client.disconnect());
  await restoreKeys(client, keyPrefix, then.stored);
  if (!sample.endsWith(format)) await makeOlder(client, keyPrefix, format);
  const formatNow = () => client.hget(`{${keyPrefix}}:meta`, 'format');
  expect(await formatNow()).toBe(format);
  return { keyPrefix, formatNow, ...then };
}

test.for(formats)('N2: a $kind pool of format $format is opened as it was, and migrated to $now', async (each) => {
  const { kind, now } = each;
  const { keyPrefix, formatNow, seen, repeats } = await restored(each);
  const options = { ...sampleOptions(kind), url: inject('redisUrl'), keyPrefix };
  const { store } = await openPool(options);
  expect(await formatNow()).toBe(now);
  expect(await observeSample(store)).toEqual(seen);
  expect(await repeatSample(store, kind)).toEqual(repeats);
  expect(await reuseSample(store, kind)).toEqual(Array(5).fill('ERR_MEMPOOL_INVALID'));
  const again = await openPool(options);
  expect(await observeSample(again.store)).toEqual(seen);
});

test.for(formats)('N2: a $kind pool of format $format goes on as one of this format', async (each) => {
  const { kind } = each;
  const { keyPrefix, repeats } = await restored(each);
  const options = { ...sampleOptions(kind), url: inject('redisUrl') };
  const old = await openPool({ ...options, keyPrefix });
  const own = await openPool({ ...options, keyPrefix: randomUUID() });
  await fillSample(own.store, kind);
  expect(await repeatSample(own.store, kind)).toEqual(repeats);
  expect(await goOn(old.store, kind)).toEqual(await goOn(own.store, kind));
});

test('N2: a server killed at any moment of a migration has a pool that opens as it was', async () => {
  const kills = 20;
  const server = await ownServer(...durable);
  let openMs = 0;
  for (let n = 0; n <= kills; n++) {
    const each = formats[n % formats.length] as (typeof formats)[number];
    const { keyPrefix, seen } = await restored(each, server.url);
    const options = { ...sampleOptions(each.kind), url: server.url, keyPrefix };
    const beginMs = performance.now();
    const opening = openPool({ ...options, timeoutMs: 1_000 }).catch(() => null);
    // The first one is not killed: it tells how long an open takes.
    if (n === 0) await opening;
    openMs = n === 0 ? performance.now() - beginMs : openMs;
    await pause((openMs * n) / kills);
    await server.restart();
    await opening;
    const { store } = await openPool(options);
    expect(await observeSample(store)).toEqual(seen);
    await store.close();
  }
});

test('N2: a pool of the other ordering is refused in every format, and stays as it is', async () => {
  for (const each of formats) {
    const { keyPrefix, formatNow } = await restored(each);
    const other = sampleOptions(each.kind === 'priority' ? 'claimed' : 'priority');
    const opening = openPool({ ...other, url: inject('redisUrl'), keyPrefix });
    await expect(opening).rejects.toMatchObject({ code: 'ERR_MEMPOOL_INCOMPATIBLE' });
    expect(await formatNow()).toBe(each.format);
  }
});
