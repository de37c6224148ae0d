// The chain tells something while the leader is in the middle of a step.
import type { Mempool } from 'mempool-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type ChainEvent,
  forgetEpochs,
  LateReleaseError,
  merkleRoot,
  openSequencer,
  poolNames,
  RefusedReleaseError,
} from '../src/index.ts';
import { alone, backends, cast, openEpoch, phaseReached } from './cast.ts';
import { batchOf, leavesOf, send, submit } from './played.ts';
import { optionsOf, type Validator } from './validator.ts';

const four = ['v1', 'v2', 'v3', 'v4'];
const root = '11'.repeat(32);
const confirmed: ChainEvent = { kind: 'confirmed', epoch: 1, root, transaction: 't' };
const undone: ChainEvent = { kind: 'undone', epoch: 1 };

describe.each(backends)('on %s', (backend) => {
  test('a release that is read after the end of its window is reported once, with how late it is', async () => {
    const reported: unknown[] = [];
    const report = (error: unknown, epoch: number | null) => reported.push([epoch, error]);
    const { scene, one } = await alone(backend, { report });
    await one.join();
    const release = (epoch: number, closesAt: number) =>
      one.first.monitor.apply({ kind: 'released', epoch, closesAt, validators: four }, one.leadership.lease);
    await release(1, scene.clock.ms + 1);
    await release(2, scene.clock.ms - 2_500);
    await release(2, scene.clock.ms - 2_500);
    expect(reported).toEqual([[2, new LateReleaseError(2_500)]]);
  });

  test('an invalid release is recorded as refused and reported once, and the next one is applied', async () => {
    const reported: unknown[] = [];
    const report = (error: unknown, epoch: number | null) => reported.push([epoch, error]);
    const { scene, one } = await alone(backend, { report });
    await one.join();
    const { first, leadership } = one;
    const { ms } = scene.clock;
    const good = { kind: 'released', epoch: 9, closesAt: ms + 30 * 86_400_000, validators: four } as const;
    const wrong: readonly ChainEvent[] = [
      { ...good, epoch: 1, closesAt: ms * 1e6 },
      { ...good, epoch: 2, closesAt: ms * 1e3 },
      { ...good, epoch: 3, closesAt: good.closesAt + 1 },
      { ...good, epoch: 4, closesAt: Number.NaN },
      { ...good, epoch: 5, validators: ['v1', ''] },
      { ...good, epoch: 2 ** 60 },
    ];
    for (const event of [...wrong, ...wrong]) expect(await first.monitor.apply(event, leadership.lease)).toBe(false);
    expect(await first.monitor.apply(good, leadership.lease)).toBe(true);
    expect(await first.activeEpochs()).toEqual([9]);
    expect(reported).toEqual(wrong.map(({ epoch }) => [epoch, expect.any(RefusedReleaseError)]));
    const refused = await first.namespace.records.list('refused/');
    expect(refused).toHaveLength(wrong.length);
    expect(refused[0]).toMatchObject({ name: 'refused/1', value: { reason: expect.any(String), at: ms } });
    scene.clock.ms += 604_800_000;
    await forgetEpochs(first.namespace, leadership.lease);
    expect(await first.namespace.records.list('refused/')).toEqual([]);
  });

  test('the root that the chain carries stays, although this validator endorses another one at that moment', async () => {
    let meanwhile = async (): Promise<unknown> => undefined;
    const sign = async (digest: string) => {
      await meanwhile();
      return optionsOf('v1').sign(digest);
    };
    const { scene, one, first } = await alone(backend, { sign }, four);
    await one.start();
    await openEpoch(scene, 1);
    const large = await submit(first, 1, { a: 'x', b: 'y' });
    const small = leavesOf({ a: 'x' });
    scene.clock.ms += 10_000;
    await phaseReached(one, 1, 'level2');
    await send(first, await batchOf('v2', 1, large, four), await batchOf('v3', 1, large, four));
    await expect.poll(() => first.namespace.records.list('received/')).toHaveLength(3);
    scene.clock.ms += 10_000;
    await expect.poll(() => first.epoch(1)).toMatchObject({ phase: 'onchain', root: merkleRoot(large) });
    const { lease } = one.leadership;
    meanwhile = () => first.monitor.apply(confirmed, lease);
    await send(first, await batchOf('v3', 1, small, four), await batchOf('v4', 1, small, four));
    await expect.poll(() => first.activeEpochs()).toEqual([]);
    expect(await first.agreement(1)).toMatchObject({ root: merkleRoot(small) });
    expect(await first.epoch(1)).toMatchObject({ phase: 'complete', root });
    expect(await first.monitor.apply({ kind: 'finalized', epoch: 1, root }, lease)).toBe(true);
  });

  test('an epoch that a reorganisation undoes while its leader ends it still needs work', async () => {
    const scene = await cast(backend, {}, ['v1']);
    const { clock, protocol, validators } = scene;
    const [one] = validators as readonly [Validator];
    const { first, home } = one;
    await one.join();
    await openEpoch(scene, 1);
    const { lease } = one.leadership;
    await first.monitor.apply(confirmed, lease);
    scene.clock.ms += 10_000;
    expect([await first.monitor.step(1, lease), await first.monitor.step(1, lease)]).toEqual([true, true]);
    const ending = await openSequencer({
      ...{ ...optionsOf('v1'), protocol, now: clock.now, removePool: home.removePool },
      openPool: async (name, limits) => {
        if (name === poolNames(protocol, 'market').epoch(1)) await first.monitor.apply(undone, lease);
        return home.openPool(name, limits);
      },
    });
    onTestFinished(() => ending.close());
    await ending.monitor.step(1, lease);
    expect(await first.epoch(1)).toMatchObject({ phase: 'onchain' });
    expect(await first.activeEpochs()).toEqual([1]);
    await first.monitor.apply(confirmed, lease);
    await first.monitor.step(1, lease);
    expect(await first.activeEpochs()).toEqual([]);
  });

  test('an epoch is listed again if a leader died between a reorganisation and that', async () => {
    const scene = await cast(backend, {}, ['v1']);
    const { clock, protocol, validators } = scene;
    const [one] = validators as readonly [Validator];
    const { first, home } = one;
    await one.join();
    await openEpoch(scene, 1);
    const { lease } = one.leadership;
    await first.monitor.apply(confirmed, lease);
    scene.clock.ms += 10_000;
    for (let i = 0; i < 3; i++) await first.monitor.step(1, lease);
    expect(await first.activeEpochs()).toEqual([]);
    const dying = await openSequencer({
      ...{ ...optionsOf('v1'), protocol, now: clock.now, removePool: home.removePool },
      openPool: async (name, limits) => withoutWriting('active/', await home.openPool(name, limits)),
    });
    onTestFinished(() => dying.close());
    await expect(dying.monitor.apply(undone, lease)).rejects.toThrow('died');
    expect(await first.activeEpochs()).toEqual([]);
    expect(await first.monitor.apply(undone, lease)).toBe(false);
    expect(await first.activeEpochs()).toEqual([1]);
  });
});

/** A pool of a process that dies when it writes a record whose name begins so. */
function withoutWriting(prefix: string, pool: Mempool): Mempool {
  return new Proxy(pool, {
    get(target, key) {
      if (key === 'putRecord')
        return async (name: string, ...rest: [Uint8Array | null]) => {
          if (name.startsWith(prefix)) throw new Error('died');
          return target.putRecord(name, ...rest);
        };
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
