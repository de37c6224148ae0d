import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { original } from '../src/peers/original.ts';
import type { PeerPlace, PeerStore } from '../src/peers/peer.ts';
import { type CutProxy, startCutProxy } from '../src/peers/proxy.ts';
import { freshTransactions, hashesOf } from '../src/workloads/sample.ts';

const open: (PeerStore | CutProxy)[] = [];

function placeAt(url: string): PeerPlace {
  return { folder: '', url, name: `original-${randomUUID()}` };
}

async function opened(place: PeerPlace): Promise<PeerStore> {
  const store = await original.open(place);
  open.push(store);
  return store;
}

afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
  const client = new Redis(inject('redisUrl'));
  for await (const keys of client.scanStream({ match: 'original-*', count: 1_000 }))
    if (keys.length > 0) await client.unlink(keys);
  client.disconnect();
});

describe("the original design's commands", () => {
  test('take a transaction through its stages', async () => {
    const store = await opened(placeAt(inject('redisUrl')));
    const transactions = freshTransactions(3);
    const hashes = hashesOf(transactions);
    await store.add(transactions);
    expect(await store.census?.()).toEqual({ waiting: hashes, inflight: [], done: [] });
    expect(await store.take(hashes.slice(0, 2))).toEqual(hashes.slice(0, 2));
    await store.confirm(hashes.slice(0, 1));
    expect(await store.census?.()).toEqual({ waiting: [hashes[2]], inflight: [hashes[1]], done: [hashes[0]] });
  });

  test('keep one of two that have the same hash', async () => {
    const store = await opened(placeAt(inject('redisUrl')));
    const transactions = freshTransactions(1);
    await store.add(transactions);
    await store.add(transactions);
    expect(await store.census?.()).toMatchObject({ waiting: hashesOf(transactions) });
  });

  test('rewrite every record in flight for a block, the unmentioned ones too, with a command for each', async () => {
    const place = placeAt(inject('redisUrl'));
    const store = await opened(place);
    const transactions = freshTransactions(5);
    await store.add(transactions);
    await store.take(hashesOf(transactions));
    const proxy = await startCutProxy(place.url);
    open.push(proxy);
    const watched = await opened({ ...place, url: proxy.url });
    proxy.arm(0);
    await watched.confirm([]);
    expect(proxy.replies).toBeGreaterThanOrEqual(1 + transactions.length);
    const client = new Redis(place.url);
    const records = Object.values(await client.hgetall(`${place.name}:inflight`)).map((text) => JSON.parse(text));
    client.disconnect();
    expect(records.map(({ nonConfirmations }) => nonConfirmations)).toEqual([1, 1, 1, 1, 1]);
  });

  test('double a transaction whose RPUSH was answered to nobody', async () => {
    const place = placeAt(inject('redisUrl'));
    const proxy = await startCutProxy(place.url);
    open.push(proxy);
    const [watched, witness] = [await opened({ ...place, url: proxy.url }), await opened(place)];
    const transactions = freshTransactions(1);
    const [hash] = hashesOf(transactions);
    // LPOS, HGET, RPUSH.
    proxy.arm(3);
    await watched.add(transactions);
    expect(proxy.cut).toBe(true);
    expect(await witness.census?.()).toMatchObject({ waiting: [hash, hash] });
  });
});
