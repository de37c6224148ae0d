import { randomUUID } from 'node:crypto';
import { redis } from 'mempool-redis';
import { expect, inject, test } from 'vitest';
import { operator } from '../own-server.ts';

test('P19: a claim under an old id, which is no longer recorded, is still extended as a whole', async () => {
  const [pool, url] = [randomUUID(), inject('redisUrl')];
  const admin = operator(url);
  await using store = await redis.open({ pool, url });
  const hashes = ['01', '02'];
  await store.receive(hashes.map((hash) => ({ hash, payload: new Uint8Array(), payloadType: 0 })));
  const again = { owner: 'taker', claimMs: 60_000, operationId: 'old' };
  await store.take({ maxTxs: 1 }, again);
  await admin.unlink(`{${pool}}:ops`);
  await store.take({ maxTxs: 1 }, again);
  expect(await store.extendClaim('old', 60_000)).toMatchObject({ kind: 'extended', held: 2 });
  expect(await store.release(hashes.slice(1), { claim: 'old' })).toEqual(hashes.slice(1));
  expect(await store.extendClaim('old', 60_000)).toMatchObject({ kind: 'extended', held: 1 });
});
