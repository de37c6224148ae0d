import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { apart, eachRanked, eachRow } from '../../case/must.ts';
import { openScene, type Scene } from '../../scenario/priority.ts';

/** A stage in which a parent makes its child ready. */
const stages: readonly (readonly [string, (scene: Scene) => Promise<unknown>])[] = [
  ['Pending', async () => undefined],
  ['Propagated', (scene) => scene.mark('parent')],
  ['Acknowledged', (scene) => scene.mark('parent').then(() => scene.acknowledge('parent'))],
  ['Confirmed', (scene) => scene.block(1, { seen: ['parent'] })],
  ['Finalized', (scene) => scene.block(1, { seen: ['parent'] }, { finalizeThreshold: 1 })],
];

export const parkingCases: readonly ConformanceCase[] = eachRanked({
  'P2/met: a tag is met by a transaction in each of these stages, for those that wait and for those that come': (
    context,
  ) =>
    eachRow(
      stages,
      ([stage]) => stage,
      async ([stage, bring]) => {
        const scene = await openScene(apart(context));
        await scene.fill({ early: { requires: ['p'] }, parent: { provides: ['p'] } });
        await bring(scene);
        const outcome = await scene.add('late', { requires: ['p'] });
        assert.deepEqual(await scene.stages('parent'), [stage]);
        assert.deepEqual([outcome.kind === 'received' && outcome.parked, await scene.parked()], [undefined, []]);
      },
    ),
});
