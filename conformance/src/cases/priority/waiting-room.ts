import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { eachRanked } from '../../case/must.ts';
import { kindsOf } from '../../scenario/pool.ts';
import { type Draft, type Drafts, openScene, type Scene } from '../../scenario/priority.ts';

const tooMany = { kind: 'limit', limit: 'maxDescendants' } as const;

function needs(requires: readonly string[], priority = 0, more: Draft = {}): Draft {
  return { requires, priority: BigInt(priority), ...more };
}

/** A chain that begins at a tag: `c1` requires it, and each one requires the one before. */
function chain(tag: string, length: number, priority = 0): Drafts {
  const links = Array.from({ length }, (_, i): [string, Draft] => [
    `c${i + 1}`,
    needs([i === 0 ? tag : `${tag}${i}`], priority, { provides: [`${tag}${i + 1}`] }),
  ]);
  return Object.fromEntries(links);
}

async function receives(scene: Scene, name: string, draft: Draft): Promise<void> {
  const outcome = await scene.add(name, draft);
  assert.deepEqual([outcome.kind, 'parked' in outcome], ['received', false]);
}

const familyCases = eachRanked({
  'P22/long-chain: a chain of parked ones never keeps out its root, whatever they pay': async (context) => {
    const scene = await openScene(context);
    const outcomes = await scene.addAll(chain('r', 101, -1_000));
    assert.ok(kindsOf(outcomes).every((kind) => kind === 'received'));
    await receives(scene, 'root', { provides: ['r'], priority: 1_000_000n });
    assert.deepEqual([(await scene.load()).ready, await scene.reasons('c101')], [101, ['evicted']]);
    assert.deepEqual(await scene.stages('c100'), ['Pending']);
  },
  'P22/readers: as many wait for one missing tag as may depend on its provider, which comes in': async (context) => {
    const scene = await openScene(context);
    const readers = Array.from({ length: 1_000 }, (_, i): [string, Draft] => [`r${i}`, needs(['x'], i)]);
    const outcomes = await scene.addAll(Object.fromEntries(readers));
    assert.ok(kindsOf(outcomes).every((kind) => kind === 'received'));
    await scene.refuses('less', needs(['x'], -1), tooMany);
    await scene.fill({ more: needs(['x'], 1) });
    assert.deepEqual(await scene.reasons('r0'), ['evicted']);
    await receives(scene, 'provider', { provides: ['x'], priority: 1n });
    assert.equal((await scene.load()).ready, 1_001);
  },
});

export const waitingRoomCases: readonly ConformanceCase[] = [...familyCases];
