import { expect, test } from 'vitest';
import { alone, fates, onEpoch, openEpoch } from './cast.ts';
import { signed } from './validator.ts';

test('what somebody else has put into the pool of an epoch is dropped as malformed', async () => {
  const {
    scene,
    one,
    first: { gateway, dequeuer },
  } = await alone('ephemeral');
  await one.join();
  await openEpoch(scene, 1);
  const foreign = [
    'no JSON',
    'null',
    '[]',
    '{}',
    '{"slot":1}',
    new TextDecoder().decode(signed({ epoch: 1, slot: 1, project: 'p', cid: 'c' })),
    new TextDecoder().decode(signed({ epoch: 2, slot: 1, project: 'p', cid: 'c' })).replace('}', ',"peer":"p","at":1}'),
    '\xff',
  ];
  await onEpoch(one.first, 1, async (pool) => {
    for (const [n, text] of foreign.entries())
      await pool.submit({ hash: `${n}`.padStart(64, '0'), payload: Buffer.from(text, 'latin1') });
  });
  await gateway.accept(signed({ epoch: 1, slot: 1, project: 'p', cid: 'c' }), { peer: 'p' });
  expect(await dequeuer.step(1)).toBe(foreign.length + 1);
  expect((await fates(one.first, 1)).map(([, reason]) => reason)).toEqual(foreign.map(() => 'malformed'));
});
