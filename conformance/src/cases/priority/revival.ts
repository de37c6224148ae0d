import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { eachRanked } from '../../case/must.ts';
import { type Draft, eachOnPriorityPool, openScene, type Scene } from '../../scenario/priority.ts';

const draft: Draft = {
  priority: 7n,
  sender: 's',
  gas: 3,
  provides: ['x'],
  requires: ['chain'],
  expiresAtHeight: 80,
  from: 'one',
};

/** Received at one height and moment, sent again by another peer, and judged once more. */
async function arranged(scene: Scene): Promise<void> {
  await scene.add('a', draft, { height: 4 });
  await scene.add('a', { from: 'two' });
  const { from: _, ...verdict } = draft;
  await scene.store.revise([{ hash: scene.hash('a'), version: 1, answer: { ...verdict, priority: 9n } }], {
    height: 6,
  });
  scene.clock.nowMs += 500;
}

/** What an entry keeps, whatever becomes of its transaction. */
async function kept(scene: Scene): Promise<unknown> {
  const { stage: _, place: __, gossipSeq: ___, lease: ____, checkedHeight: _____, ...entry } = await scene.entry('a');
  return entry;
}

const onePool = eachOnPriorityPool({
  'P12/entry-of-a-dropped-one: one back from the log has its verdict, sources and times': async (scene) => {
    await arranged(scene);
    const before = await kept(scene);
    await scene.drop('a');
    assert.deepEqual([await kept(scene), (await scene.dump()).providers], [before, []]);
    await scene.block(1, { seen: ['a'], provides: ['chain'] });
    assert.deepEqual(await kept(scene), before);
    await scene.block(2, { unseen: ['a'] });
    assert.deepEqual([await kept(scene), await scene.ready()], [before, ['a']]);
  },
  'P12/entry-of-a-final-one: one whose final block is undone keeps verdict, sources and times': async (scene) => {
    await arranged(scene);
    const before = await kept(scene);
    await scene.block(1, { seen: ['a'] }, { finalizeThreshold: 1 });
    assert.deepEqual([await kept(scene), (await scene.entry('a')).stage], [before, 'Finalized']);
    await scene.store.rollback(null);
    assert.deepEqual([await kept(scene), await scene.parked()], [before, ['a']]);
    assert.equal((await scene.place('a'))?.effectivePriority, 9n);
  },
});

const ownPools = eachRanked({
  'P12/entry-leaves-with-the-log: an entry is gone once its transaction has left the log': async (context) => {
    const scene = await openScene(context, { maxFinalized: 1 });
    await arranged(scene);
    await scene.fill({ b: {} });
    await scene.drop('a');
    await scene.drop('b');
    assert.deepEqual(scene.names((await scene.dump()).entries), ['b']);
  },
  'P12/revived-in-a-full-pool: what the chain brings back is not held up by limits': async (context) => {
    const scene = await openScene(context, { maxTxs: 1, maxPerSender: 1, eviction: 'none' });
    await arranged(scene);
    await scene.drop('a');
    await scene.fill({ b: { sender: 's' } });
    await scene.block(1, { seen: ['a'] });
    await scene.block(2, { unseen: ['a'] });
    assert.deepEqual([await scene.stages('a', 'b'), (await scene.load()).transactions], [['Pending', 'Pending'], 2]);
  },
  'P12/reborn-in-one-call: one that its call pushes out and takes in again has one life': async (context) => {
    const scene = await openScene(context, { maxTxs: 2 });
    await scene.fill({ queued: { priority: 1n }, taken: { provides: ['x'], priority: 2n } });
    await scene.store.markInflight([scene.hash('taken')]);
    await scene.block(1, { seen: ['shown'] });
    await scene.store.receive([
      scene.submission('better', { priority: 5n }),
      scene.submission('queued', { priority: 9n }),
      scene.submission('shown', { provides: ['x'] }),
      scene.submission('taken', { priority: 8n }),
    ]);
    assert.deepEqual([await scene.ready(), await scene.inflight()], [['queued', 'taken'], ['shown']]);
    assert.deepEqual(scene.names(await scene.store.peekPending()), ['queued', 'taken']);
    const { pending, propagated, confirmed } = await scene.store.usage();
    assert.deepEqual([pending, propagated, confirmed], [2, 0, 1]);
  },
});

export const revivedEntryCases: readonly ConformanceCase[] = [...onePool, ...ownPools];
