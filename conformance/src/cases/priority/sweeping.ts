import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { eachRanked } from '../../case/must.ts';
import { startMs } from '../../scenario/on-pool.ts';
import { eachOnPriorityPool, ladder, openScene } from '../../scenario/priority.ts';

const ownPools = eachRanked({
  'P9/batches: a sweep moves at most a thousand, and reports that there is more': async (context) => {
    const scene = await openScene(context, { ttlMs: 100 });
    for (let n = 0; n < 3; n++)
      await scene.addAll(Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`${n}-${i}`, { bytes: 1 }])));
    scene.clock.nowMs += 101;
    const first = await scene.store.sweep();
    const second = await scene.store.sweep();
    assert.deepEqual([first.expired.length, first.more], [1_000, true]);
    assert.deepEqual([second.expired.length, second.more], [500, false]);
    assert.deepEqual(scene.names(first.expired.slice(0, 2)), ['0-0', '0-1']);
    for (let n = 0; n < 2; n++)
      await scene.addAll(Object.fromEntries(Array.from({ length: 501 }, (_, i) => [`new ${n}-${i}`, { bytes: 1 }])));
    await scene.store.setLimits({ maxTxs: 1 });
    const evicted = await scene.store.sweep({ overLimits: true });
    const rest = await scene.store.sweep({ overLimits: true });
    assert.deepEqual([evicted.evicted.length, evicted.more], [1_000, true]);
    assert.deepEqual([rest.evicted.length, rest.more], [1, false]);
  },
  'P9/exactly-a-thousand: a sweep that moves a thousand and leaves none has no more': async (context) => {
    const scene = await openScene(context, { ttlMs: 1_000 });
    await scene.addAll(Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`${i}`, { bytes: 1 }])));
    await scene.store.take({}, { owner: 'o', claimMs: 10 });
    scene.clock.nowMs += 11;
    const ended = await scene.store.sweep();
    assert.deepEqual([ended.returned.length, ended.more], [1_000, false]);
    await scene.store.take({ maxTxs: 1 }, { owner: 'o', claimMs: 2_000 });
    scene.clock.nowMs += 1_000;
    const expired = await scene.store.sweep();
    assert.deepEqual([expired.expired.length, expired.more], [999, false]);
    await scene.addAll(Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`new ${i}`, { bytes: 1 }])));
    await scene.store.setLimits({ maxTxs: 1 });
    const evicted = await scene.store.sweep({ overLimits: true });
    assert.deepEqual([evicted.evicted.length, evicted.more], [1_000, false]);
  },
});

const onePool = eachOnPriorityPool({
  'P9/one-after-the-other: claims end first, then the old go, then what is over the limits': async (scene) => {
    await scene.fill({ taken: { priority: 9n }, old: { priority: 8n, expiresAt: startMs }, ...ladder([5, 4, 3]) });
    await scene.store.take({ maxTxs: 1 }, { owner: 'o', claimMs: 10 });
    await scene.store.setLimits({ maxTxs: 3 });
    scene.clock.nowMs += 11;
    const { returned, expired: gone, evicted } = await scene.store.sweep({ overLimits: true });
    assert.deepEqual(
      [returned, gone, evicted].map((hashes) => scene.names(hashes)),
      [['taken'], ['old'], ['t2']],
    );
    assert.deepEqual(await scene.ready(), ['taken', 't0', 't1']);
  },
});

export const sweepingCases: readonly ConformanceCase[] = [...ownPools, ...onePool];
