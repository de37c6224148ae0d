import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { eachRanked, mustRank } from '../../case/must.ts';
import { startMs } from '../../scenario/on-pool.ts';
import { gist } from '../../scenario/pool.ts';
import { type Draft, eachOnPriorityPool, ladder, openScene, type Scene } from '../../scenario/priority.ts';

type CallTime = NonNullable<Parameters<Scene['store']['sweep']>[0]>;

async function expired(scene: Scene, moment: CallTime = {}): Promise<string[]> {
  return scene.names((await scene.store.sweep(moment)).expired);
}

/** A way to expire, with the last time before and the first time after. */
interface Expiry {
  readonly id: string;
  readonly title: string;
  readonly limits: { readonly ttlMs?: number; readonly ttlBlocks?: number };
  readonly draft: Draft;
  /** The last time at which it is still Pending, and the first at which it is expired. */
  readonly moments: readonly [last: CallTime, first: CallTime];
}

const expiries: readonly Expiry[] = [
  {
    id: 'ttl-ms',
    title: 'more milliseconds than ttlMs in the pool',
    limits: { ttlMs: 500 },
    draft: {},
    moments: [{ now: startMs + 500 }, { now: startMs + 501 }],
  },
  {
    id: 'ttl-blocks',
    title: 'more blocks than ttlBlocks in the pool',
    limits: { ttlBlocks: 5 },
    draft: {},
    moments: [{ height: 15 }, { height: 16 }],
  },
  {
    id: 'own-time',
    title: 'past its own time',
    limits: {},
    draft: { expiresAt: startMs + 70 },
    moments: [{ now: startMs + 70 }, { now: startMs + 71 }],
  },
  {
    id: 'own-height',
    title: 'above its own height',
    limits: {},
    draft: { expiresAtHeight: 12 },
    moments: [{ height: 12 }, { height: 13 }],
  },
];

function expires({ id, title, limits, draft, moments: [last, first] }: Expiry): ConformanceCase {
  return mustRank(`P9/expired-${id}`, `one that is ${title} is dropped by a sweep, and not before`, async (context) => {
    const scene = await openScene(context, limits);
    await scene.add('old', draft, { height: 10 });
    scene.clock.nowMs += 300;
    await scene.add('young', {}, { height: 14 });
    scene.clock.nowMs += 300;
    assert.deepEqual(await expired(scene, { height: 10, ...last }), []);
    assert.deepEqual(await expired(scene, { height: 10, ...first }), ['old']);
    assert.deepEqual([await scene.ready(), await scene.reasons('old')], [['young'], ['expired']]);
  });
}

const ownPools = eachRanked({
  'P9/without-blocks: time runs on while no block comes': async (context) => {
    const scene = await openScene(context, { ttlMs: 1_000 });
    await scene.fill(ladder([1, 2]));
    scene.clock.nowMs += 1_001;
    assert.deepEqual([await expired(scene), (await scene.store.tip()).tick], [['t0', 't1'], 0]);
  },
  'P9/pools-clock: a sweep is made at the pool’s time, or earlier, never later': async (context) => {
    const scene = await openScene(context, { ttlMs: 100 });
    await scene.fill(ladder([1]));
    scene.clock.nowMs += 100;
    assert.deepEqual(await expired(scene, { now: startMs + 5_000 }), []);
    scene.clock.nowMs += 1;
    assert.deepEqual(await expired(scene, { now: startMs + 100 }), []);
    assert.deepEqual(await expired(scene), ['t0']);
  },
  'P9/pools-height: without a height a sweep is made at the pool’s tick': async (context) => {
    const scene = await openScene(context, { ttlBlocks: 2 });
    await scene.fill(ladder([1]));
    await scene.blocks(1, 2);
    assert.deepEqual(await expired(scene), []);
    await scene.block(3);
    assert.deepEqual(await expired(scene), ['t0']);
  },
  'P9/parked-too: a parked one expires like any other': async (context) => {
    const scene = await openScene(context, { ttlMs: 100 });
    await scene.fill({ parked: { requires: ['missing'] } });
    scene.clock.nowMs += 101;
    assert.deepEqual([await expired(scene), await scene.order()], [['parked'], []]);
  },
  'P9/by-seq: expired ones are told by seq, in events, log and answer': async (context) => {
    const scene = await openScene(context, { ttlMs: 100 });
    await scene.fill({
      a: { expiresAt: startMs + 90 },
      b: {},
      c: { expiresAt: startMs + 10 },
      d: { expiresAtHeight: 0 },
    });
    await scene.block(1);
    scene.clock.nowMs += 101;
    const events = await scene.eventsOf(async () => {
      assert.deepEqual(await expired(scene), ['a', 'b', 'c', 'd']);
    });
    const due = ['a', 'b', 'c', 'd'];
    assert.deepEqual(
      events.map(gist),
      scene.hashes(due).map((hash) => `Dropped ${hash}`),
    );
    assert.deepEqual(scene.names((await scene.store.dumpFinalized()).entries), due);
  },
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
  'P9/whatever-comes-first: the first limit reached, of time or height, counts': async (context) => {
    const scene = await openScene(context, { ttlMs: 1_000, ttlBlocks: 10 });
    const at = { height: 10 };
    await scene.add('height', { expiresAtHeight: 12, expiresAt: startMs + 900 }, at);
    await scene.add('time', { expiresAt: startMs + 100, expiresAtHeight: 19 }, at);
    await scene.add('late', { expiresAt: startMs + 9_000, expiresAtHeight: 99 }, at);
    scene.clock.nowMs += 101;
    assert.deepEqual(await expired(scene, { height: 12 }), ['time']);
    assert.deepEqual(await expired(scene, { height: 13 }), ['height']);
    await scene.add('later', { expiresAt: startMs + 9_000 }, { height: 18 });
    assert.deepEqual(await expired(scene, { height: 20 }), []);
    assert.deepEqual(await expired(scene, { height: 21 }), ['late']);
    scene.clock.nowMs += 1_001;
    assert.deepEqual(await expired(scene, { height: 21 }), ['later']);
  },
  'P9/after-a-block: a sweep after a block drops what has waited for too many blocks': async (context) => {
    const scene = await openScene(context, { ttlBlocks: 2 });
    await scene.fill(ladder([5, 4, 3]));
    await scene.block(1, { seen: ['t0'] });
    await scene.fill({ young: {} });
    await scene.blocks(2, 3);
    assert.deepEqual(await expired(scene), ['t1', 't2']);
    assert.deepEqual([await scene.ready(), await scene.stages('t0')], [['young'], ['Confirmed']]);
    assert.equal((await scene.add('t0')).kind, 'duplicate');
  },
});

const onePool = eachOnPriorityPool({
  'P9/new-limit: a shorter time to live counts for Pending transactions too': async (scene) => {
    await scene.fill(ladder([1]));
    scene.clock.nowMs += 60;
    assert.deepEqual(await expired(scene), []);
    await scene.store.setLimits({ ttlMs: 50 });
    assert.deepEqual(await expired(scene), ['t0']);
  },
  'P9/expired-parent: an expired parent leaves its child parked, to expire by its own time': async (scene) => {
    await scene.fill({ parent: { provides: ['p'], expiresAt: startMs + 10 }, child: { requires: ['p'] } });
    scene.clock.nowMs += 11;
    assert.deepEqual([await expired(scene), await scene.parked()], [['parent'], ['child']]);
  },
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
  'P9/parked-by-the-same-sweep: a sweep evicts first what it parked itself': async (scene) => {
    await scene.fill({
      parent: { priority: 9n, provides: ['p'], expiresAt: startMs },
      child: { priority: 9n, requires: ['p'] },
    });
    await scene.fill({ poor: { priority: 1n } });
    await scene.store.setLimits({ maxTxs: 1 });
    scene.clock.nowMs += 1;
    assert.deepEqual(scene.names((await scene.store.sweep({ overLimits: true })).evicted), ['child']);
    assert.deepEqual(await scene.ready(), ['poor']);
  },
});

export const sweepingCases: readonly ConformanceCase[] = [...expiries.map(expires), ...ownPools, ...onePool];
