import { Random, seed } from 'mempool-testkit';
import { expect, test } from 'vitest';
import { RandomHistory } from './history.ts';
import { openScene } from './scene.ts';

for (const postOn of ['finalized', 'confirmed'] as const) {
  test(`a thousand histories of crashes, forks and stalled processes (${postOn}, seed ${seed})`, async () => {
    const random = new Random(seed);
    for (let i = 0; i < 1_000; i++) {
      const each = random.uint32();
      const scene = await openScene({ postOn, orphanAfterMs: 1 });
      const history = new RandomHistory(each, scene);
      await history.run(40 + random.below(160));
      expect(await history.faults(), `history ${each}`).toEqual([]);
    }
  });
}
