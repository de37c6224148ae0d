import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { apart, eachRanked, eachRow } from '../../case/must.ts';
import { eachOnPriorityPool, openScene, type Refused, type Scene } from '../../scenario/priority.ts';
import { refusals } from '../../scenario/priority-refusals.ts';

/** Drafts that break two rules at once: the refusal names the first in the order of the rules. */
async function tells(scene: Scene, draft: Parameters<Scene['refuses']>[1], due: Refused): Promise<void> {
  await scene.refuses('new', draft, due);
}

const onePool = eachOnPriorityPool({
  'P3/sources-at-most-64: a transaction keeps at most 64 sources, the first ones': async (scene) => {
    const peers = Array.from({ length: 70 }, (_, i) => `peer${i}`);
    for (const from of peers) await scene.add('a', { from });
    assert.deepEqual((await scene.entry('a')).sources, peers.slice(0, 64));
  },
});

const ownPools = eachRanked({
  'P3/refused: each refusal has its own answer, also for the same hash later in the call, and changes nothing': (
    context,
  ) =>
    eachRow(
      refusals,
      ({ id }) => id,
      async ({ limits, arrange, draft, refused }) => {
        const scene = await openScene(apart(context), limits);
        await arrange(scene);
        await scene.refuses('new', draft, refused(scene));
        const batch = [scene.submission('new', draft), scene.submission('new', { priority: 5n })];
        const due = { ...refused(scene), hash: scene.hash('new') };
        await scene.unchanged(async () => assert.deepEqual(await scene.store.receive(batch), [due, due]));
      },
    ),
  'P3/first-that-fits: of several refusals that apply, the first in the rules’ order is told': async (context) => {
    const scene = await openScene(context, { maxTxGas: 10, maxPerSender: 1, maxAncestors: 1, maxParked: 0 });
    await scene.fill({ a: { provides: ['a'], sender: 's' }, b: { provides: ['b'], requires: ['a'] } });
    await scene.fill({ x: { provides: ['x'], priority: 7n } });
    const both = { gas: 11, provides: ['x'], requires: ['x'], sender: 's' };
    await tells(scene, both, { kind: 'limit', limit: 'maxTxGas' });
    await tells(scene, { ...both, gas: 10 }, { kind: 'conflict', with: scene.hash('x') });
    await tells(scene, { ...both, gas: 10, requires: ['a'] }, { kind: 'replacement-underpriced', required: 8n });
    await tells(scene, { ...both, gas: 0, provides: ['y'], requires: ['y'] }, { kind: 'sender-limit', limit: 1 });
    await tells(scene, { provides: ['y'], requires: ['y', 'b'] }, { kind: 'cycle' });
    await tells(scene, { requires: ['missing', 'b'] }, { kind: 'limit', limit: 'maxAncestors' });
    await tells(scene, { requires: ['missing'] }, { kind: 'limit', limit: 'maxParked' });
  },
  'P3/bounds-in-order: of sum, ancestors, descendants and parked, the refusal names the first': async (context) => {
    const scene = await openScene(context, { maxParked: 2, maxDescendants: 1, maxAncestors: 1, eviction: 'none' });
    await scene.fill({
      a: { provides: ['a'] },
      b: { provides: ['b'] },
      c: { requires: ['a'] },
      d: { requires: ['b'] },
    });
    const all = { provides: ['a', 'b'], priority: 1n, bytes: 1 };
    await scene.fill({ top: { provides: ['t'] } });
    await tells(scene, { ...all, requires: ['t'], bytes: 0 }, { kind: 'replacement-underpriced', required: 2n ** 63n });
    await tells(scene, { ...all, requires: ['t'] }, { kind: 'limit', limit: 'maxAncestors' });
    await tells(scene, all, { kind: 'limit', limit: 'maxDescendants' });
    await scene.fill({ e: { requires: ['x'] }, f: { requires: ['y'] } });
    await tells(scene, { requires: ['x'] }, { kind: 'limit', limit: 'maxDescendants' });
    await tells(scene, { requires: ['z'] }, { kind: 'limit', limit: 'maxParked' });
  },
});

export const admissionCases: readonly ConformanceCase[] = [...onePool, ...ownPools];
