import { redis } from 'mempool-redis';
import { ownGroup } from 'mempool-testkit/vitest';
import { expect, onTestFinished, test } from 'vitest';
import { judge } from '../src/sentinel/judgement.ts';
import { faultKinds } from '../src/sentinel/moments.ts';
import { SentinelRun } from '../src/sentinel/sentinel-run.ts';

const pool = 'watched';

test('nodes behind Sentinels go on after each kind of fail-over, and no loss is kept from readers', async () => {
  const group = await ownGroup();
  const load = { nodes: 2, callers: 1, callEveryMs: 10, blockEveryMs: 100 };
  const run = await SentinelRun.start({ group, pool, minReplicas: 1, ttlMs: 2_000, ...load });
  onTestFinished(() => run[Symbol.asyncDispose]());
  for (const kind of faultKinds) await run.fault(kind);
  await run.settle();
  await using store = await redis.open({ ...group.endpoint, pool });
  const { broken, answered, blocks } = await judge(run.moments, store, run.chain);
  expect(broken).toEqual([]);
  expect([answered, blocks].every((count) => count > 4)).toBe(true);
});

test('a master that is cut off from its replicas answers no write that waits for them, and no leader renews there', async () => {
  const group = await ownGroup({ replicas: 1, sentinels: 1 });
  const before = await group.master();
  // On the side of the old master: past the link that is cut.
  await using stray = await redis.open({ url: before.server.url, pool, minReplicas: 1 });
  await using watched = await redis.open({ ...group.endpoint, pool, minReplicas: 0, timeoutMs: 30_000 });
  const transaction = (n: number) => ({
    hash: n.toString(16).padStart(64, '0'),
    payload: new Uint8Array([n]),
    payloadType: 0,
  });
  await stray.receive([transaction(1)]);
  before.link.freeze();
  await expect(stray.receive([transaction(2)])).rejects.toMatchObject({ code: 'ERR_MEMPOOL_OUTCOME_UNKNOWN' });
  await group.successorOf(before);
  expect(await watched.receive([transaction(3)])).toMatchObject([{ kind: 'received', seq: 2 }]);
  await expect(stray.receive([transaction(2)])).rejects.toMatchObject({ code: 'ERR_MEMPOOL_OUTCOME_UNKNOWN' });
  expect((await watched.status([transaction(2).hash]))[0]).toMatchObject({ stage: 'Unknown' });
});
