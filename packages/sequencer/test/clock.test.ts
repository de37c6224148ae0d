// Windows are kept by the store's clock, whatever the clocks of the processes say.
import { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ClockError, openSequencer, type Sequencer } from '../src/index.ts';
import { backends, Clock, cast, fates, onEpoch, openEpoch, phaseReached } from './cast.ts';
import { signed, type Validator } from './validator.ts';

const windowMs = 9_000;

const submission = (slot: number) => signed({ epoch: 1, slot, project: 'p', cid: 'c' });
const send = ({ gateway }: Sequencer, slot: number) => gateway.accept(submission(slot), { peer: 'p' });

/** A validator whose store has the clock of the scene; all of its processes are ahead of it by so much, or behind. */
async function skewed(backend: string, aheadMs: number) {
  const clock = new Clock();
  const scene = await cast(backend, { now: () => clock.ms + aheadMs }, ['v1'], ['v1'], clock);
  const [one] = scene.validators as readonly [Validator];
  await one.join();
  await openEpoch(scene, 1);
  return { scene, one, first: one.first };
}

const reasonsOf = async (first: Sequencer) => (await fates(first, 1)).map(([, fate]) => fate);

describe.each(backends)('on %s', (backend) => {
  test('a leader and dequeuers that are a second ahead count all that came in time', async () => {
    const { scene, one, first } = await skewed(backend, 1_000);
    scene.clock.ms += windowMs - 600;
    await one.start();
    for (const slot of [1, 2, 3, 4, 5, 6, 7, 8]) {
      // The leader takes the window for over since half of its time; it is open by the store's clock.
      expect(await send(first, slot)).toMatchObject({ kind: 'received' });
      scene.clock.ms += 60;
    }
    expect(await first.epoch(1)).toMatchObject({ phase: 'submission', closedAt: null });
    scene.clock.ms += 120;
    await phaseReached(one, 1, 'onchain');
    const { closesAt, closedAt, tally } = (await first.epoch(1)) ?? {};
    expect(closedAt).toBe(closesAt);
    expect(tally).toMatchObject({ counted: 8 });
    expect(one.processes.map(({ dequeuer }) => dequeuer.overtaken)).toEqual([0, 0]);
  });

  test('what a gateway that is four seconds behind lets in too late is dropped as late, and the tally does not wait for it', async () => {
    const { scene, one, first } = await skewed(backend, -4_000);
    expect(await send(first, 1)).toMatchObject({ kind: 'received' });
    await first.dequeuer.step(1);
    scene.clock.ms += windowMs;
    for (const slot of [2, 3]) expect(await send(first, slot)).toMatchObject({ kind: 'received' });
    const { lease } = one.leadership;
    // Its own clock does not show the end yet.
    expect(await first.monitor.step(1, lease)).toBe(false);
    scene.clock.ms += 4_000;
    for (let step = 0; step < 2; step++) expect(await first.monitor.step(1, lease)).toBe(true);
    expect((await first.epoch(1))?.tally).toMatchObject({ counted: 1 });
    expect(await onEpoch(first, 1, (pool) => pool.usage())).toMatchObject({ pending: 2, acknowledged: 1 });
    scene.clock.ms += 1_000;
    expect(await send(first, 4)).toEqual({ kind: 'closed' });
    await first.dequeuer.step(1);
    expect(await reasonsOf(first)).toEqual(['late', 'late']);
    expect(first.dequeuer.overtaken).toBe(0);
  });

  test('a gateway that is a second ahead takes all that comes in time', async () => {
    const { scene, first } = await skewed(backend, 1_000);
    scene.clock.ms += windowMs - 1;
    expect(await send(first, 1)).toMatchObject({ kind: 'received' });
    scene.clock.ms += 1;
    expect(await send(first, 2)).toEqual({ kind: 'closed' });
  });

  test('when the clock of the store falls back after the close, nothing comes in time any more', async () => {
    const { scene, one, first } = await skewed(backend, 0);
    expect(await send(first, 1)).toMatchObject({ kind: 'received' });
    await first.dequeuer.step(1);
    scene.clock.ms += windowMs;
    const { lease } = one.leadership;
    for (let step = 0; step < 2; step++) expect(await first.monitor.step(1, lease)).toBe(true);
    scene.clock.ms -= 5_000;
    expect(await send(first, 2)).toMatchObject({ kind: 'received' });
    await first.dequeuer.step(1);
    expect(await reasonsOf(first)).toEqual(['late']);
    expect(first.dequeuer.overtaken).toBe(0);
    expect((await first.epoch(1))?.tally).toMatchObject({ counted: 1 });
  });

  test('a store that lost the close counts nothing that comes after the tally, and says how much that was', async () => {
    const { scene, one, first } = await skewed(backend, 0);
    scene.clock.ms += windowMs;
    const { lease } = one.leadership;
    for (let step = 0; step < 2; step++) expect(await first.monitor.step(1, lease)).toBe(true);
    // As after a fail-over to a copy without the last writes.
    await first.namespace.removeEpoch(1);
    scene.clock.ms -= 5_000;
    expect(await send(first, 1)).toMatchObject({ kind: 'received' });
    await first.dequeuer.step(1);
    expect(await reasonsOf(first)).toEqual(['late']);
    expect(first.dequeuer.overtaken).toBe(1);
  });

  test('a process warns if its clock is more than half a second off, and does not start if it is more than five', async () => {
    const warned: number[] = [];
    const scene = await cast(backend, {}, ['v1'], ['v1']);
    const [{ home, options }] = scene.validators as readonly [Validator];
    const start = (aheadMs: number) =>
      openSequencer({
        ...options,
        now: () => scene.clock.ms + aheadMs,
        reportClock: (offsetMs) => warned.push(offsetMs),
        openPool: home.openPool,
      });
    for (const aheadMs of [500, -500, 600, -600, 5_000, -5_000]) {
      await using process = await start(aheadMs);
      expect(process.clock.offsetMs).toBe(aheadMs);
    }
    expect(warned).toEqual([600, -600, 5_000, -5_000]);
    for (const aheadMs of [6_000, -6_000]) {
      const error = await start(aheadMs).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ClockError);
      expect(error).toMatchObject({ offsetMs: aheadMs });
    }
  });
});

test('on a Redis whose clock is behind the last time of the pool, nothing is received before that time', async () => {
  const scene = await cast('redis', { now: Date.now }, ['v1'], ['v1']);
  const [one] = scene.validators as readonly [Validator];
  await one.join();
  const event = { kind: 'released', epoch: 1, closesAt: Date.now() + 60_000, validators: ['v1'] } as const;
  await one.first.monitor.apply(event, one.leadership.lease);
  const operator = new Redis(scene.place.at);
  onTestFinished(() => operator.disconnect());
  // As after a fail-over from a server whose clock was a minute ahead.
  const [meta = ''] = (await one.home.content()).filter((key) => /:epoch:1.*:meta$/.test(key));
  await operator.hset(meta, 'at', event.closesAt);
  expect(await send(one.first, 1)).toMatchObject({ kind: 'received' });
  await one.first.dequeuer.step(1);
  expect(await reasonsOf(one.first)).toEqual(['late']);
});
