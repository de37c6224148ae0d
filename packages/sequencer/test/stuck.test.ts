// A part that never answers stops its own epoch at most, and that one for a limited time.
import { describe, expect, test } from 'vitest';
import { alone, backends, fates, onEpoch, openEpoch, phaseReached } from './cast.ts';
import { submit } from './played.ts';

const never = new Promise<never>(() => undefined);
const root = '11'.repeat(32);

describe.each(backends)('on %s', (backend) => {
  test('a check that never answers keeps no other epoch from going on, and counts as a failed one', async () => {
    const verify = ({ cid }: { readonly cid: string }) => (cid === 'stuck' ? never : true);
    const { scene, one, first } = await alone(backend, { verify, claimMs: 200 }, ['v1']);
    await one.start();
    for (const epoch of [1, 2]) await openEpoch(scene, epoch);
    await submit(first, 1, { a: 'x', b: 'stuck' });
    await submit(first, 2, { a: 'x' });
    scene.clock.ms += 10_000;
    await phaseReached(one, 2, 'onchain');
    const phaseLater = async () => {
      // It is checked again when it is not held back any more. Its claim must not end before the check is given up.
      const { held } = await first.namespace.withEpoch({ epoch: 1 }, (pool) => pool.usage());
      if (held > 0) scene.clock.ms += 300;
      return (await first.epoch(1))?.phase;
    };
    await expect.poll(phaseLater).toBe('onchain');
    expect((await fates(first, 1)).map(([, fate]) => fate)).toEqual(['failed']);
    expect((await first.epoch(1))?.tally).toMatchObject({ counted: 1 });
  });

  test('a service that never answers for one epoch keeps no other from going on', async () => {
    const publish = ({ epoch }: { readonly epoch: number }) => (epoch === 1 ? published.promise : 'cid');
    const published = Promise.withResolvers<string>();
    const { scene, one } = await alone(backend, { publish }, ['v1']);
    await one.start();
    for (const epoch of [1, 2]) {
      await openEpoch(scene, epoch);
      await submit(one.first, epoch, { a: 'x' });
    }
    scene.clock.ms += 10_000;
    await phaseReached(one, 2, 'onchain');
    expect(await one.first.epoch(1)).toMatchObject({ phase: 'level1' });
    published.resolve('cid');
    await phaseReached(one, 1, 'onchain');
  });

  test('an epoch that nobody checks fails in time, and its submissions end for the right reasons', async () => {
    const { scene, one, first } = await alone(backend, {}, ['v1']);
    await one.join();
    await openEpoch(scene, 1);
    await submit(first, 1, { a: 'x', b: 'rejected' });
    const { lease } = one.leadership;
    scene.clock.ms += 9_000 + 599_999;
    expect(await first.monitor.step(1, lease)).toBe(false);
    scene.clock.ms += 1;
    expect(await first.monitor.step(1, lease)).toBe(true);
    expect(await first.epoch(1)).toMatchObject({
      ...{ phase: 'failed', level1: 'failed', reason: 'submissions_not_checked', tally: null },
    });
    expect(await first.dequeuer.step(1)).toBe(2);
    await first.monitor.apply({ kind: 'confirmed', epoch: 1, root, transaction: 't' }, lease);
    await first.monitor.apply({ kind: 'finalized', epoch: 1, root }, lease);
    await one.start();
    await expect.poll(() => first.activeEpochs()).toEqual([]);
    expect((await fates(first, 1)).map(([, fate]) => fate).sort()).toEqual(['counted', 'rejected']);
  });

  test('an epoch whose parts nobody counts fails in time, and the chain overrides that', async () => {
    const { scene, one, first } = await alone(backend, { level1TimeoutMs: 60_000 }, ['v1']);
    await one.start({ isCounting: false });
    await openEpoch(scene, 1);
    await submit(first, 1, { a: 'x' });
    scene.clock.ms += 10_000;
    await expect.poll(() => first.epoch(1)).toMatchObject({ phase: 'level1', tally: { parts: 1 } });
    scene.clock.ms += 60_000;
    await phaseReached(one, 1, 'failed');
    expect(await first.epoch(1)).toMatchObject({ level1: 'failed', reason: 'parts_not_counted' });
    await expect.poll(() => first.activeEpochs()).toEqual([]);
    expect(await first.namespace.parts.usage()).toMatchObject({ pending: 0, propagated: 0, acknowledged: 0 });
    expect(await onEpoch(first, 1, (pool) => pool.usage())).toMatchObject({ acknowledged: 1 });
    await first.monitor.apply({ kind: 'confirmed', epoch: 1, root, transaction: 't' }, one.leadership.lease);
    expect(await first.epoch(1)).toMatchObject({ phase: 'complete', root, reason: null });
  });
});
