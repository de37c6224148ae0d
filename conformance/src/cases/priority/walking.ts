import assert from 'node:assert/strict';
import { type BestWalk, type BestWalkOptions, Mempool, type PriorityStore } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { type Drafts, eachOnPriorityPool, type Scene } from '../../scenario/priority.ts';

/** The ready transactions in the order of the pool, each with the names of its parents. */
async function parentsIn(scene: Scene): Promise<(readonly [string | undefined, readonly string[]])[]> {
  const ranked = await scene.store.best();
  return ranked.map((one) => [scene.names([one])[0], scene.names(one.parents)]);
}

/** A walk over the pool of the scene, which stays open. */
function walkOver({ store }: Scene, options?: BestWalkOptions): BestWalk {
  return new Mempool(store as PriorityStore, { sweepEveryMs: 0 }).bestIterator(options);
}

/** The names that the walk delivers; `visit` is called with each, and with the number of those before it. */
async function walked(
  scene: Scene,
  walk: BestWalk,
  visit: (name: string | undefined, at: number) => Promise<unknown> = async () => undefined,
): Promise<string[]> {
  const met: string[] = [];
  for await (const one of walk) {
    const [name] = scene.names([one]);
    met.push(name ?? '');
    await visit(name, met.length - 1);
  }
  return met;
}

const family: Drafts = {
  parent: { priority: 9n, provides: ['p'] },
  child: { priority: 8n, requires: ['p'], provides: ['c'] },
  grandchild: { priority: 7n, requires: ['c'] },
  other: { priority: 2n },
};

const onePool = eachOnPriorityPool({
  'P25/parents: best names the Pending transactions that each one requires directly, by seq, each once': async (
    scene,
  ) => {
    await scene.fill({ first: { priority: 3n, provides: ['f', 'g'] }, second: { priority: 9n, provides: ['s'] } });
    await scene.fill({ child: { requires: ['s', 'g', 'f'], provides: ['c'] }, grandchild: { requires: ['c'] } });
    assert.deepEqual(await parentsIn(scene), [
      ['second', []],
      ['first', []],
      ['child', ['first', 'second']],
      ['grandchild', ['child']],
    ]);
  },
  'P25/parents-met: what is in flight, or what a block satisfied, is no parent': async (scene) => {
    await scene.block(1, { provides: ['chain'] });
    await scene.fill({ out: { provides: ['o'] }, wait: { priority: 9n, provides: ['w'] } });
    await scene.fill({ child: { requires: ['o', 'w', 'chain'] } });
    assert.deepEqual((await parentsIn(scene)).at(-1), ['child', ['out', 'wait']]);
    await scene.mark('out');
    assert.deepEqual((await parentsIn(scene)).at(-1), ['child', ['wait']]);
    await scene.block(2, { seen: ['wait'] });
    assert.deepEqual(await parentsIn(scene), [['child', []]]);
    await scene.release('out');
    assert.deepEqual(await parentsIn(scene), [
      ['out', []],
      ['child', ['out']],
    ]);
  },
  'P25/parents-of-pages: parents are told on a page that does not have them': async (scene) => {
    await scene.fill(family);
    const [first] = await scene.store.best({ limit: 1 });
    const [second] = await scene.store.best({ limit: 1, after: first?.key });
    assert.deepEqual([scene.names([second?.hash ?? '']), scene.names(second?.parents ?? [])], [['child'], ['parent']]);
  },
  'P25/mark-invalid: a walk passes over what is marked and over its descendants, the next walk does not': async (
    scene,
  ) => {
    await scene.fill(family);
    await scene.unchanged(async () => {
      const walk = walkOver(scene);
      const met = await walked(
        scene,
        walk,
        async (name) => name === 'parent' && walk.markInvalid(scene.hash('parent')),
      );
      assert.deepEqual(met, ['parent', 'other']);
      assert.deepEqual(await walked(scene, walkOver(scene)), ['parent', 'child', 'grandchild', 'other']);
    });
  },
  'P25/live: a walk meets what arrives behind its point, and not what has left before it was read': async (scene) => {
    await scene.fill({ a: { priority: 9n }, b: { priority: 7n }, c: { priority: 5n }, d: { priority: 3n } });
    const met = await walked(scene, walkOver(scene, { readAhead: 1 }), async (name) => {
      if (name !== 'b') return;
      await scene.drop('c');
      await scene.fill({
        late: { priority: 4n },
        better: { priority: 8n, provides: ['x'] },
        below: { requires: ['x'] },
      });
    });
    assert.deepEqual(met, ['a', 'b', 'late', 'd']);
  },
  'P25/newcomers: a walk that is asked to meets what arrives before its point, each hash once': async (scene) => {
    await scene.fill({ a: { priority: 9n }, b: { priority: 7n }, c: { priority: 5n } });
    const met = await walked(scene, walkOver(scene, { readAhead: 1, newcomers: true }), async (name) => {
      if (name !== 'b') return;
      await scene.fill({ better: { priority: 8n, provides: ['x'] }, below: { requires: ['x'] } });
    });
    assert.deepEqual(met, ['a', 'b', 'better', 'c', 'below']);
  },
});

/** P25. */
export const walkingCases: readonly ConformanceCase[] = onePool;
