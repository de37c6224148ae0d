import { expect, onTestFinished, test } from 'vitest';
import { alone, backends, openEpoch, phaseReached } from './cast.ts';
import { memoryHome } from './home.ts';
import { submit } from './played.ts';
import { openValidator } from './validator.ts';

test.each(backends)('a part whose finalizers died again and again is still counted, on %s', async (backend) => {
  const { scene, one } = await alone(backend, {}, ['v1']);
  const { parts } = one.first.namespace;
  await one.start({ isCounting: false });
  await openEpoch(scene, 1);
  await submit(one.first, 1, { a: 'x' });
  scene.clock.ms += 10_000;
  await expect.poll(() => parts.hasPending()).toBe(true);
  for (let i = 0; i < 12; i++) {
    const { claimId, transactions } = await parts.take({ maxTxs: 1 }, { owner: 'dying', claimMs: 60_000 });
    expect(
      await parts.release(
        transactions.map(({ hash }) => hash),
        { claim: claimId },
      ),
    ).toHaveLength(1);
  }
  one.count();
  await phaseReached(one, 1, 'onchain');
});

test('parts for which their pool has no room are handed out when it has', async () => {
  const clock = { ms: Date.now() };
  const reported: unknown[] = [];
  const home = memoryHome(() => clock.ms);
  const one = await openValidator(
    'v1',
    {
      ...home,
      openPool: (name, limits) => home.openPool(name, name.endsWith(':parts') ? { ...limits, maxTxs: 2 } : limits),
    },
    { now: () => clock.ms, report: (error) => reported.push(error) },
  );
  onTestFinished(() => one.stop());
  const { parts } = one.first.namespace;
  await parts.submit({ hash: 'aa', payload: Uint8Array.of(1) });
  const { claimId } = await parts.take({ maxTxs: 1 }, { owner: 'other', claimMs: 60_000 });
  await one.start();
  await one.first.monitor.apply(
    { kind: 'released', epoch: 1, closesAt: clock.ms + 10_000, validators: ['v1'] },
    one.leadership.lease,
  );
  const content = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`p${i}`, 'c']));
  await submit(one.first, 1, content);
  clock.ms += 10_000;
  await expect.poll(() => reported.length).toBeGreaterThan(0);
  expect(reported[0]).toMatchObject({ code: 'ERR_MEMPOOL_STORE_FULL' });
  await parts.drop(['aa'], { app: 'done' }, { claim: claimId });
  await phaseReached(one, 1, 'onchain');
});
