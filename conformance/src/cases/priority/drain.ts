import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { eachRanked } from '../../case/must.ts';
import { account, openScene } from '../../scenario/priority.ts';

const ownPools = eachRanked({
  'P13/drained-again-and-again: filling and draining ten times leaves as little as once': async (context) => {
    const scene = await openScene(context, { maxFinalized: 3, maxRollback: 2, maxPerSender: 2 });
    const sizes = new Set<number>();
    for (let round = 0; round < 10; round++) {
      await scene.fill({
        a: account(`s${round}`, 0),
        b: account(`s${round}`, 1),
        c: { requires: [`never${round}`] },
      });
      await scene.store.flush();
      const { limits: _, ...dump } = await scene.dump();
      const text = JSON.stringify(dump, (_key, value) => (typeof value === 'bigint' ? 0 : value));
      sizes.add(text.replaceAll(/"gossipSeq":\d+|"lastGossipSeq":\d+|"seq":\d+/g, '').length);
    }
    assert.equal(sizes.size, 1);
  },
});

export const drainCases: readonly ConformanceCase[] = [...ownPools];
