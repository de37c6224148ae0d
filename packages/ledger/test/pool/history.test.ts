import { Random, seed } from 'mempool-testkit';
import { expect, test } from 'vitest';
import { RandomHistory } from './history.ts';
import { openScene } from './scene.ts';

const random = new Random(seed);
const seeds = Array.from({ length: 24 }, () => random.uint32());

for (const postOn of ['finalized', 'confirmed'] as const) {
  test(`at rest a reservation is open exactly while its transaction lives, and what is final was paid once (${postOn}, seed ${seed})`, async () => {
    for (const each of seeds) {
      const scene = await openScene({ postOn, orphanAfterMs: 1 });
      const history = new RandomHistory(each, scene);
      await history.run(80);
      expect(await history.faults(), `history ${each}`).toEqual([]);
    }
  });
}

test('what a process voids late is reserved again, if others have counted on it', async () => {
  const scene = await openScene({ postOn: 'finalized', orphanAfterMs: 1 });
  const history = new RandomHistory(3_150_953_334, scene);
  await history.run(142);
  expect(await history.faults()).toEqual([]);
});
