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
