import { fileURLToPath } from 'node:url';
import { startProgram } from 'mempool-testkit';
import { expect, onTestFinished, test } from 'vitest';
import { type Cast, cast, onEpoch, openEpoch, phaseReached } from './cast.ts';
import { signed, type Validator } from './validator.ts';

const program = fileURLToPath(new URL('victim.ts', import.meta.url));

/** Starts a process of the first validator, and kills it when it has taken so much. */
async function kill(
  role: string,
  { place, protocol }: Cast,
  taken: () => Promise<unknown>,
  count: number,
): Promise<void> {
  const { child, ended } = startProgram([program, role, place.backend, place.at, protocol]);
  onTestFinished(() => void child.kill('SIGKILL'));
  await expect.poll(taken).toMatchObject({ pending: 0, propagated: count });
  child.kill('SIGKILL');
  expect(await ended).toMatchObject({ signal: 'SIGKILL', stderr: '' });
}

test.each(['sqlite', 'redis'])(
  'the items of a killed worker are gone: no, others do them, once, on %s',
  async (backend) => {
    const scene = await cast(backend, {}, ['v1']);
    const [one] = scene.validators as readonly [Validator];
    const { first } = one;
    const { parts, records } = first.namespace;
    await one.join();
    await openEpoch(scene, 1);
    for (const slot of [1, 2, 3])
      await first.gateway.accept(signed({ epoch: 1, slot, project: 'p', cid: 'c' }), { peer: 'p' });
    await kill('dequeuer', scene, () => onEpoch(first, 1, (pool) => pool.usage()), 3);
    scene.clock.ms += 10_000;
    await one.start({ isCounting: false });
    await expect.poll(() => parts.usage()).toMatchObject({ pending: 1 });
    expect(await onEpoch(first, 1, (pool) => pool.usage())).toMatchObject({ acknowledged: 3, logged: 0 });
    await kill('finalizer', scene, () => parts.usage(), 1);
    one.count();
    await phaseReached(one, 1, 'level2');
    expect(await first.epoch(1)).toMatchObject({ tally: { counted: 3, slots: 3, parts: 1 } });
    expect(await records.list('part/')).toMatchObject([{ value: [{ project: 'p', cid: 'c' }] }]);
    expect(await parts.usage()).toMatchObject({ pending: 0, propagated: 0, acknowledged: 0, logged: 1 });
  },
);
