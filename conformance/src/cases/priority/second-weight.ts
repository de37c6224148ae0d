import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { eachRanked } from '../../case/must.ts';
import { atLeast, type Draft, openScene, type Scene } from '../../scenario/priority.ts';

const heavy = (priority: number, weight2: number, more: Draft = {}): Draft => ({
  priority: BigInt(priority),
  weight2,
  ...more,
});
const plain = (priority: number, more: Draft = {}): Draft => ({ priority: BigInt(priority), ...more });

async function total(scene: Scene): Promise<number> {
  return (await scene.load()).weight2;
}

/** P30. */
export const secondWeightCases: readonly ConformanceCase[] = eachRanked({
  'P30/reaped: reap and take stay within maxWeight2, and pass over what does not fit, as for gas': async (context) => {
    const scene = await openScene(context);
    await scene.fill({ a: heavy(9, 3), b: heavy(8, 2), c: plain(7), d: heavy(6, 1) });
    const reaped = async (maxWeight2: number, skip = 0): Promise<string[]> =>
      scene.names(await scene.store.reap({ maxWeight2, skip }));
    assert.deepEqual(await reaped(6), ['a', 'b', 'c', 'd']);
    assert.deepEqual(await reaped(5), ['a', 'b', 'c']);
    assert.deepEqual(await reaped(4), ['a']);
    assert.deepEqual(await reaped(4, 1), ['a', 'c', 'd']);
    assert.deepEqual(await reaped(0, 9), ['c']);
    const { transactions } = await scene.store.take({ maxWeight2: 5 }, { owner: 'w', claimMs: 1_000 });
    assert.deepEqual(scene.names(transactions), ['a', 'b', 'c']);
  },
  'P30/told: candidates tell their second weight if they have one': async (context) => {
    const scene = await openScene(context);
    await scene.fill({ a: heavy(9, 3, { provides: ['t'] }), b: plain(8), c: heavy(7, 0) });
    const weights = (list: readonly { readonly weight2?: number }[]): unknown[] =>
      list.map((one) => ('weight2' in one ? one.weight2 : 'none'));
    assert.deepEqual(weights(await scene.store.reap()), [3, 'none', 'none']);
    assert.deepEqual(weights(await scene.store.best()), [3, 'none', 'none']);
    assert.equal((await scene.store.byTag('t')).provider?.weight2, 3);
  },
  'P30/evicts: over maxWeight2 the last ones with a second weight leave, and none without': async (context) => {
    const scene = await openScene(context, { maxWeight2: 5 });
    await scene.fill({ a: heavy(9, 2), b: heavy(5, 3), low: plain(1), parked: plain(9, { requires: ['m'] }) });
    assert.equal((await scene.add('new', heavy(7, 1))).kind, 'received');
    assert.deepEqual([await scene.order(), await scene.reasons('b')], [['a', 'new', 'low', 'parked'], ['evicted']]);
    assert.equal(await total(scene), 3);
  },
  'P30/full: what is no better than those is full, and nothing without a second weight is': async (context) => {
    const scene = await openScene(context, { maxWeight2: 5 });
    await scene.fill({ a: heavy(9, 2), b: heavy(5, 3), low: plain(1) });
    await scene.refuses('equal', heavy(5, 1), { kind: 'full', floor: { kind: 'open' } });
    await scene.refuses('large', heavy(99, 6), { kind: 'full', floor: { kind: 'open' } });
    await scene.fill({ more: plain(0) });
    assert.deepEqual(await scene.ready(), ['a', 'b', 'low', 'more']);
  },
  'P30/both: one that is over both limits frees both': async (context) => {
    const scene = await openScene(context, { maxWeight2: 5, maxTxs: 3 });
    await scene.fill({ a: heavy(9, 2), b: heavy(5, 3), low: plain(1) });
    assert.equal((await scene.add('new', heavy(7, 2))).kind, 'received');
    assert.deepEqual(
      [await scene.ready(), await scene.reasons('b', 'low')],
      [
        ['a', 'new'],
        ['evicted', 'evicted'],
      ],
    );
  },
  'P30/children: what requires an evicted one and has no second weight stays, parked': async (context) => {
    const scene = await openScene(context, { maxWeight2: 3, maxParked: 0 });
    await scene.fill({ parent: heavy(5, 3, { provides: ['p'] }), child: plain(9, { requires: ['p'] }) });
    assert.equal((await scene.add('new', heavy(7, 1))).kind, 'received');
    assert.deepEqual([await scene.ready(), await scene.parked()], [['new'], ['child']]);
  },
  'P30/counted: usage and limits count what is Pending or in flight, and a sweep drops what is over': async (
    context,
  ) => {
    const scene = await openScene(context);
    await scene.fill({ a: heavy(9, 2 ** 32 - 1), b: heavy(8, 4), c: heavy(7, 3), low: plain(1) });
    await scene.mark('a');
    assert.equal(await total(scene), 2 ** 32 + 6);
    await scene.block(1, { seen: ['a'] });
    assert.equal(await total(scene), 7);
    await scene.store.setLimits({ maxWeight2: 4 });
    assert.deepEqual([await total(scene), (await scene.load()).floor], [7, atLeast(8n)]);
    const { evicted } = await scene.store.sweep({ overLimits: true });
    assert.deepEqual([scene.names(evicted), await scene.ready()], [['c'], ['b', 'low']]);
  },
  'P30/revised: a new verdict changes the second weight, and evicts nothing': async (context) => {
    const scene = await openScene(context, { maxWeight2: 5 });
    await scene.fill({ a: heavy(9, 2), b: heavy(5, 3) });
    const [hash] = scene.hashes(['a']) as [string];
    const revise = (version: number, answer: Draft) => scene.store.revise([{ hash, version, answer }]);
    assert.deepEqual(await revise(1, heavy(9, 4)), [{ kind: 'revised', hash, version: 2 }]);
    assert.equal(await total(scene), 7);
    await revise(2, plain(9));
    assert.equal(await total(scene), 3);
  },
});
