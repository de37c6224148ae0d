import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { eachRanked } from '../../case/must.ts';
import { eachOnPriorityPool, minPriority, openScene } from '../../scenario/priority.ts';

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
});

const ownPools = eachRanked({
  'P6/retention-apart: limits leave the log and the events as they are': async (context) => {
    const scene = await openScene(context, { maxTxs: 1 });
    for (let i = 0; i < 6; i++) await scene.fill({ [`n${i}`]: { priority: BigInt(i) } });
    const { logged, lastEventSeq } = await scene.store.usage();
    assert.deepEqual([logged, lastEventSeq], [5, 11]);
  },
});

export const limitCases: readonly ConformanceCase[] = [...onePool, ...ownPools];
