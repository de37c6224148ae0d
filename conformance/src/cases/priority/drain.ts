import assert from 'node:assert/strict';
import type { CaseContext, ConformanceCase } from '../../case/case.ts';
import { eachRanked } from '../../case/must.ts';
import { account, eachOnPriorityPool, ladder, openScene, type Scene } from '../../scenario/priority.ts';

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

const onePool = eachOnPriorityPool({
  'P13/gas-in-full: the total of gas is exact to the last unit, however large': async (scene) => {
    const gas = Number.MAX_SAFE_INTEGER;
    await scene.fill({ a: { gas }, b: { gas }, c: { gas: 2 } });
    await scene.drop('a', 'b');
    assert.equal((await scene.load()).gas, 2);
  },
  'P13/load-follows: count and bytes follow receives, blocks and flushes': async (scene) => {
    const load = async () => {
      const { transactions, bytes } = await scene.load();
      return [transactions, bytes];
    };
    const names = Array.from({ length: 100 }, (_, i) => `n${i}`);
    await scene.addAll(Object.fromEntries(names.map((name) => [name, {}])));
    assert.deepEqual(await load(), [100, 2_000]);
    await scene.block(1, { seen: names.slice(0, 50) });
    assert.deepEqual(await load(), [50, 1_000]);
    await scene.store.rollback('origin');
    assert.deepEqual(await load(), [100, 2_000]);
    await scene.block(1, { seen: names.slice(20, 60) }, { finalizeThreshold: 1 });
    await scene.store.flush();
    assert.deepEqual(await load(), [0, 0]);
  },
  'P13/flush: a flush drops what is Pending, parked too, and nothing else': async (scene) => {
    await scene.fill({ ...ladder([1, 2, 3, 4, 5]), parked: { requires: ['missing'] } });
    await scene.mark('t0', 't1', 't4');
    await scene.acknowledge('t4');
    await scene.block(1, { seen: ['t1'] });
    assert.equal(await scene.store.flush(), 3);
    assert.deepEqual(await scene.stages('t0', 't1', 't4', 't2', 't3', 'parked'), [
      'Propagated',
      'Confirmed',
      'Acknowledged',
      'Dropped',
      'Dropped',
      'Dropped',
    ]);
    assert.deepEqual(await scene.reasons('t2', 'parked'), ['flushed', 'flushed']);
    assert.equal(await scene.store.flush(), 0);
  },
  'P13/flush-all: a flush has no limit per call: more than a thousand are dropped in one step': async (scene) => {
    for (let n = 0; n < 3; n++)
      await scene.addAll(Object.fromEntries(Array.from({ length: 700 }, (_, i) => [`${n}-${i}`, { bytes: 1 }])));
    assert.equal(await scene.store.flush(), 2_100);
    const { pending, logged } = await scene.store.usage();
    assert.deepEqual([pending, logged, await scene.order()], [0, 2_100, []]);
  },
});

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
  'P13/ready-and-parked: those that are ready and those that are parked are all that are Pending': async (context) => {
    const scene = await openScene(context);
    await scene.fill({
      a: { provides: ['a'] },
      b: { requires: ['a'] },
      c: { requires: ['missing'] },
      held: {},
      out: {},
    });
    await scene.mark('held', 'out');
    await scene.store.release([scene.hash('held')], { notBeforeMs: scene.clock.nowMs + 1_000 });
    const counts = async (): Promise<number[]> => {
      const { pending, load } = await scene.store.usage();
      return [pending, load?.ready ?? -1, load?.parked ?? -1];
    };
    assert.deepEqual(await counts(), [4, 2, 2]);
    await scene.drop('a');
    assert.deepEqual(await counts(), [3, 0, 3]);
    await scene.fill({ again: { provides: ['a', 'missing'] } });
    assert.deepEqual(await counts(), [4, 3, 1]);
  },
  'P13/drained-by-flush: after a flush nothing is left but the log': async (context) => {
    const scene = await traces(context);
    scene.clock.nowMs += 1_001;
    await scene.store.sweep();
    await scene.store.flush();
    assert.deepEqual(await rest(scene), { totals: empty, ...lists, stages: ['Dropped'] });
    assert.equal((await scene.dump()).entries.length, 4);
  },
  'P13/drained-by-the-chain: when everything is final and past undoing, only the log is left': async (context) => {
    const scene = await traces(context);
    const { entries } = await scene.dump();
    await scene.fill(ladder([1, 2, 3, 4]));
    await scene.block(1, { seen: scene.names(entries), provides: ['foreign'] });
    await scene.blocks(2, 20);
    await scene.block(21, { seen: ['t0', 't1', 't2', 't3'] });
    await scene.blocks(22, 40);
    assert.deepEqual(await rest(scene), { totals: empty, ...lists, stages: ['Finalized'] });
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

export const drainCases: readonly ConformanceCase[] = [...onePool, ...ownPools];
