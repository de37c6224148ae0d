import { expect, test } from 'vitest';
import { merkleRoot, RecordsFillingError, recordNames } from '../src/index.ts';
import { alone, backends, carry, openEpoch, phaseReached } from './cast.ts';
import { submit } from './played.ts';

test.each(backends)(
  'the leader forgets old epochs by itself, and archives their agreements, on %s',
  async (backend) => {
    const archived: number[] = [];
    const archive = ({ epoch }: { readonly epoch: number }) => void archived.push(epoch);
    const { scene, one, first } = await alone(backend, { archive, pruneMs: 20, keepMs: 3_600_000 }, ['v1']);
    await one.start();
    await openEpoch(scene, 1);
    const leaves = await submit(first, 1, { p: 'c' });
    scene.clock.ms += 10_000;
    await phaseReached(one, 1, 'onchain');
    await carry(one, 1, merkleRoot(leaves));
    await expect.poll(() => first.activeEpochs()).toEqual([]);
    expect(await first.epoch(1)).not.toBeNull();
    scene.clock.ms += 3_600_000;
    await expect.poll(() => first.epoch(1)).toBeNull();
    expect(archived).toEqual([1]);
    expect(await first.agreement(1)).toBeNull();
  },
);

test('the leader warns before the records are full, and says how much they have', async () => {
  const reported: unknown[] = [];
  const { one } = await alone('ephemeral', { pruneMs: 20, report: (error) => reported.push(error) }, ['v1']);
  const { records } = one.first.namespace;
  await one.start();
  const mebibyte = 'x'.repeat(1_048_000);
  for (let epoch = 0; epoch < 49; epoch++) await records.put(recordNames.agreed(epoch), { mebibyte });
  await expect.poll(() => reported.at(-1)).toBeInstanceOf(RecordsFillingError);
  await expect
    .poll(() => one.processes.map(({ monitor }) => monitor.recordBytes).some((n) => n > 49 * 1_048_000))
    .toBe(true);
});

test('an archive that fails is reported, tried again, and stops nothing else', async () => {
  const reported: unknown[] = [];
  let isDown = true;
  const archive = () => {
    if (isDown) throw new Error('no room');
  };
  const options = { archive, pruneMs: 20, keepMs: 0, report: (...each: unknown[]) => reported.push(each) };
  const { scene, one } = await alone('ephemeral', options, ['v1']);
  await one.start();
  const run = async (epoch: number) => {
    await openEpoch(scene, epoch);
    const leaves = await submit(one.first, epoch, { p: 'c' });
    scene.clock.ms += 10_000;
    await phaseReached(one, epoch, 'onchain');
    await carry(one, epoch, merkleRoot(leaves));
  };
  await run(1);
  await expect.poll(() => reported.at(-1)).toEqual([new Error('no room'), null]);
  await run(2);
  isDown = false;
  await expect.poll(async () => [await one.first.epoch(1), await one.first.epoch(2)]).toEqual([null, null]);
});
