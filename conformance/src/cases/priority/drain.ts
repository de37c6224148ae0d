import assert from 'node:assert/strict';
import type { CaseContext, ConformanceCase } from '../../case/case.ts';
import { eachRanked } from '../../case/must.ts';
import { account, openScene, type Scene } from '../../scenario/priority.ts';

const empty = { transactions: 0, bytes: 0, gas: 0, parked: 0 };
const lists = { order: [], providers: [], dependents: [], senders: [], claims: [], gossip: [], satisfied: [] };

/** A dump without limits and the last gossip number; of its entries only the stages. */
async function rest(scene: Scene): Promise<unknown> {
  const { limits: _, lastGossipSeq: __, entries, ...others } = await scene.dump();
  return { ...others, stages: [...new Set(entries.map(({ stage }) => stage))] };
}

/** Fills a pool with all that leaves traces: tags, senders, leases, sources, parked ones, expiries. */
async function traces(context: CaseContext): Promise<Scene> {
  const scene = await openScene(context, { maxRollback: 2, maxFinalized: 4, ttlMs: 100_000 });
  for (let s = 0; s < 6; s++)
    for (let nonce = 0; nonce < 4; nonce++)
      await scene.add(`${s}-${nonce}`, {
        ...account(`s${s}`, nonce),
        gas: 2,
        from: `peer${nonce}`,
        expiresAtHeight: 90,
      });
  await scene.fill({ parked: { requires: ['missing'] } });
  await scene.store.take({ maxTxs: 8 }, { owner: 'o', claimMs: 1_000 });
  return scene;
}

const ownPools = eachRanked({
  'P13/load: usage has transactions, bytes, gas, parked ones and the room left': async (context) => {
    const scene = await openScene(context, { maxTxs: 10, maxBytes: 1_000 });
    await scene.fill({
      a: { bytes: 5, gas: 3 },
      b: { bytes: 7, gas: 1 },
      c: { bytes: 11, requires: ['missing'], gas: 9 },
    });
    await scene.fill({ d: { bytes: 100, gas: 100 } });
    await scene.mark('a', 'b');
    await scene.acknowledge('b');
    await scene.block(1, { seen: ['d'] });
    const { floor: _, ...load } = await scene.load();
    const headroom = { transactions: 7, bytes: 977 };
    assert.deepEqual(load, {
      transactions: 3,
      bytes: 23,
      gas: 13,
      ready: 0,
      parked: 1,
      belowFloor: 0,
      protected: 0,
      headroom,
    });
    const { pending, propagated, acknowledged, confirmed } = await scene.store.usage();
    assert.deepEqual([pending, propagated, acknowledged, confirmed], [1, 1, 1, 1]);
  },
  'P13/drained-by-expiry: after all has expired nothing is left but the log': async (context) => {
    const scene = await traces(context);
    scene.clock.nowMs += 200_000;
    await scene.store.sweep();
    assert.deepEqual(await rest(scene), { totals: empty, ...lists, stages: ['Dropped'] });
  },
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
  'P13/sender-place-free: draining gives every sender its places back': async (context) => {
    const scene = await openScene(context, { maxPerSender: 1 });
    await scene.fill({ a: { sender: 's' } });
    await scene.store.flush();
    assert.equal((await scene.add('b', { sender: 's' })).kind, 'received');
  },
});

export const drainCases: readonly ConformanceCase[] = [...ownPools];
