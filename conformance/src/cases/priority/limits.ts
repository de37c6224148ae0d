import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { eachRanked } from '../../case/must.ts';
import { eachOnPriorityPool, ladder, minPriority, openScene } from '../../scenario/priority.ts';

const defaults = {
  maxTxs: 100_000,
  maxBytes: 268_435_456,
  maxTxGas: Number.POSITIVE_INFINITY,
  maxPerSender: 64,
  maxParked: 10_000,
  maxProtected: 1_000,
  maxAncestors: 100,
  maxDescendants: 1_000,
  maxEvictions: 100,
  replacementBump: 10,
  ttlMs: Number.POSITIVE_INFINITY,
  ttlBlocks: Number.POSITIVE_INFINITY,
  parkedTtlMs: 600_000,
  minPriority,
  acceptUntil: Number.POSITIVE_INFINITY,
  eviction: 'lowest',
} as const;

const onePool = eachOnPriorityPool({
  'P6/defaults: a pool opened without limits has the documented ones': async (scene) => {
    assert.deepEqual(await scene.store.setLimits({}), defaults);
    assert.deepEqual((await scene.dump()).limits, defaults);
  },
  'P6/sweep-evicts: sweep evicts the excess over the limits, from the end of the order': async (scene) => {
    await scene.fill({ ...ladder([4, 1, 3, 2]), parked: { priority: 9n, requires: ['missing'] } });
    await scene.store.setLimits({ maxTxs: 2 });
    const { returned, expired, evicted, more } = await scene.store.sweep({ overLimits: true });
    assert.deepEqual([returned, expired, scene.names(evicted), more], [[], [], ['parked', 't1', 't3'], false]);
    assert.deepEqual([await scene.ready(), await scene.reasons('t1')], [['t0', 't2'], ['evicted']]);
  },
  'P6/sweep-evicts-bytes: sweep evicts no more than the bytes that are over': async (scene) => {
    await scene.fill({
      a: { priority: 3n, bytes: 50 },
      b: { priority: 2n, bytes: 10 },
      c: { priority: 1n, bytes: 30 },
    });
    await scene.store.setLimits({ maxBytes: 60 });
    assert.deepEqual(scene.names((await scene.store.sweep({ overLimits: true })).evicted), ['c']);
  },
  'P6/sweep-leaves-in-flight: a sweep over the limits leaves transactions in flight': async (scene) => {
    await scene.fill(ladder([1, 2, 3]));
    await scene.mark('t0', 't1');
    await scene.acknowledge('t1');
    await scene.store.setLimits({ maxTxs: 1 });
    assert.deepEqual(scene.names((await scene.store.sweep({ overLimits: true })).evicted), ['t2']);
    assert.deepEqual(await scene.stages('t0', 't1'), ['Propagated', 'Acknowledged']);
  },
});

const ownPools = eachRanked({
  'P6/without-limit: Infinity takes a limit away': async (context) => {
    const scene = await openScene(context, { maxTxs: 1, maxTxGas: 1 });
    const { POSITIVE_INFINITY: maxTxs } = Number;
    await scene.store.setLimits({ maxTxs, maxTxGas: maxTxs });
    await scene.fill({ a: { gas: 2 }, b: { gas: 3 } });
    assert.deepEqual((await scene.load()).headroom.transactions, maxTxs);
  },
  'P6/sweep-ignores-max-evictions: maxEvictions does not bound a sweep': async (context) => {
    const scene = await openScene(context, { maxEvictions: 1, eviction: 'none' });
    await scene.fill(ladder([1, 2, 3, 4]));
    await scene.store.setLimits({ maxTxs: 1 });
    assert.deepEqual((await scene.store.sweep({ overLimits: true })).evicted.length, 3);
    assert.deepEqual(await scene.ready(), ['t3']);
  },
  'P6/zero: a limit of 0 lets nothing in, and the pool is closed': async (context) => {
    const scene = await openScene(context, { maxTxs: 0 });
    await scene.refuses('a', { priority: 9n }, { kind: 'full', floor: { kind: 'closed' } });
  },
  'P6/retention-apart: limits leave the log and the events as they are': async (context) => {
    const scene = await openScene(context, { maxTxs: 1 });
    for (let i = 0; i < 6; i++) await scene.fill({ [`n${i}`]: { priority: BigInt(i) } });
    const { logged, lastEventSeq } = await scene.store.usage();
    assert.deepEqual([logged, lastEventSeq], [5, 11]);
  },
});

export const limitCases: readonly ConformanceCase[] = [...onePool, ...ownPools];
