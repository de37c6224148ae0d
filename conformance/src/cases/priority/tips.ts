import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { eachRanked } from '../../case/must.ts';
import { type Draft, maxPriority, minPriority, openScene, type Scene } from '../../scenario/priority.ts';

const tipped = (most: number | bigint, tip: number | bigint, more: Draft = {}): Draft => ({
  maxPriority: BigInt(most),
  tip: BigInt(tip),
  ...more,
});
const plain = (priority: number, more: Draft = {}): Draft => ({ priority: BigInt(priority), ...more });

function move(scene: Scene, floor: number | bigint): Promise<unknown> {
  return scene.store.setLimits({ minPriority: BigInt(floor) });
}

/** What the ready ones pay, best first. */
async function paid(scene: Scene): Promise<bigint[]> {
  return (await scene.store.reap()).map(({ priority }) => priority);
}

const placeCases = eachRanked({
  'P29/pays: one with a tip pays the floor and its tip, but not more than it may': async (context) => {
    const scene = await openScene(context, { minPriority: 10n });
    await scene.fill({ a: tipped(100, 5), b: tipped(12, 9), c: plain(14), d: tipped(10, 0) });
    assert.deepEqual(
      [await scene.ready(), await paid(scene)],
      [
        ['a', 'c', 'b', 'd'],
        [15n, 14n, 12n, 10n],
      ],
    );
    const { effectivePriority } = (await scene.place('a')) ?? {};
    assert.equal(effectivePriority, 15n);
  },
  'P29/follows: when the floor moves, those with a tip move with it, past those without one': async (context) => {
    const scene = await openScene(context, { minPriority: 10n });
    await scene.fill({ a: tipped(100, 5), b: tipped(18, 6), c: plain(17), d: tipped(100, 1), e: plain(30) });
    assert.deepEqual(await scene.ready(), ['e', 'c', 'b', 'a', 'd']);
    await move(scene, 12);
    assert.deepEqual(
      [await scene.ready(), await paid(scene)],
      [
        ['e', 'b', 'a', 'c', 'd'],
        [30n, 18n, 17n, 17n, 13n],
      ],
    );
    await move(scene, 16);
    assert.deepEqual(
      [await scene.ready(), await paid(scene)],
      [
        ['e', 'a', 'b', 'c', 'd'],
        [30n, 21n, 18n, 17n, 17n],
      ],
    );
    await move(scene, 10);
    assert.deepEqual(await scene.ready(), ['e', 'c', 'b', 'a', 'd']);
  },
  'P29/below: one that may not pay the floor is parked as below it, and one that pays just the floor is ready': async (
    context,
  ) => {
    const scene = await openScene(context, { minPriority: 10n });
    const low = await scene.add('low', tipped(9, 5));
    assert.deepEqual([low.kind, low.kind === 'received' && low.parked], ['received', true]);
    await scene.fill({ a: tipped(10, 5), b: tipped(20, 5) });
    assert.deepEqual([await scene.ready(), await scene.parked()], [['b', 'a'], ['low']]);
    const events = await scene.eventsOf(() => move(scene, 15));
    assert.deepEqual(
      events.map((event) => event.kind === 'parked' && event.reason),
      ['below-floor'],
    );
    assert.deepEqual([await scene.ready(), (await scene.load()).belowFloor], [['b'], 2]);
    await move(scene, 8);
    assert.deepEqual(
      [await scene.ready(), await paid(scene)],
      [
        ['b', 'a', 'low'],
        [13n, 10n, 9n],
      ],
    );
  },
  'P29/exact: floor and tip are added in full, at both ends of 64 bits': async (context) => {
    const scene = await openScene(context, { minPriority: 2n ** 53n });
    await scene.fill({ a: tipped(maxPriority, 1), b: tipped(maxPriority, 2), c: tipped(maxPriority, maxPriority) });
    assert.deepEqual(await paid(scene), [maxPriority, 2n ** 53n + 2n, 2n ** 53n + 1n]);
    await move(scene, minPriority);
    assert.deepEqual(
      [await scene.ready(), await paid(scene)],
      [
        ['c', 'b', 'a'],
        [-1n, minPriority + 2n, minPriority + 1n],
      ],
    );
  },
  'P29/family: a child with a tip pays no more than its parent, at every floor': async (context) => {
    const scene = await openScene(context, { minPriority: 10n });
    await scene.fill({ parent: tipped(20, 5, { provides: ['p'] }), other: plain(16) });
    await scene.fill({ child: tipped(100, 9, { requires: ['p'] }), poor: tipped(17, 1, { requires: ['p'] }) });
    const effective = async (): Promise<unknown[]> =>
      Promise.all(['parent', 'child', 'poor'].map(async (name) => (await scene.place(name))?.effectivePriority));
    assert.deepEqual(
      [await scene.ready(), await effective()],
      [
        ['other', 'parent', 'child', 'poor'],
        [15n, 15n, 11n],
      ],
    );
    await move(scene, 14);
    assert.deepEqual(
      [await scene.ready(), await effective()],
      [
        ['parent', 'child', 'other', 'poor'],
        [19n, 19n, 15n],
      ],
    );
    await move(scene, 18);
    assert.deepEqual(
      [await scene.ready(), await effective()],
      [
        ['parent', 'child'],
        [20n, 20n, 17n],
      ],
    );
  },
  'P29/ties: of equals at the present floor the earlier one comes first, and a child counts from the later one': async (
    context,
  ) => {
    const scene = await openScene(context, { minPriority: 10n });
    await scene.fill({ parent: plain(20, { provides: ['p'] }), other: plain(20) });
    await scene.fill({ child: tipped(100, 5, { requires: ['p'] }), last: plain(20) });
    await move(scene, 14);
    assert.deepEqual(await scene.ready(), ['parent', 'other', 'last', 'child']);
    // It pays as much as its parent, and came later than the other one.
    await move(scene, 15);
    assert.deepEqual(await scene.ready(), ['parent', 'other', 'child', 'last']);
    await move(scene, 16);
    assert.deepEqual(await scene.ready(), ['parent', 'child', 'other', 'last']);
    await move(scene, 15);
    assert.deepEqual(await scene.ready(), ['parent', 'other', 'child', 'last']);
  },
  'P29/revised: a new verdict gives a tip, changes it, or takes it away': async (context) => {
    const scene = await openScene(context, { minPriority: 10n });
    await scene.fill({ a: plain(12), b: tipped(50, 1) });
    const revise = (name: string, version: number, answer: Draft): Promise<unknown> =>
      scene.store.revise([{ hash: scene.hash(name), version, answer }]);
    await revise('a', 1, tipped(30, 5));
    await revise('b', 1, tipped(50, 9));
    assert.deepEqual(await paid(scene), [19n, 15n]);
    await revise('b', 2, plain(11));
    await move(scene, 11);
    assert.deepEqual(
      [await scene.ready(), await paid(scene)],
      [
        ['a', 'b'],
        [16n, 11n],
      ],
    );
  },
});

const readingCases = eachRanked({
  'P29/told: every answer tells what it pays now, also in flight': async (context) => {
    const scene = await openScene(context, { minPriority: 10n });
    await scene.fill({ a: tipped(100, 5, { sender: 's', provides: ['t'] }), b: tipped(12, 5) });
    const { store } = scene;
    const told = async (): Promise<unknown> => [
      await paid(scene),
      (await store.best()).map(({ priority }) => priority),
      (await store.since()).items.map(({ priority }) => priority),
      (await store.bySender('s')).transactions.map(({ priority }) => priority),
      (await store.byTag('t')).provider?.priority,
    ];
    assert.deepEqual(await told(), [[15n, 12n], [15n, 12n], [15n, 12n], [15n], 15n]);
    await move(scene, 11);
    assert.deepEqual(await told(), [[16n, 12n], [16n, 12n], [16n, 12n], [16n], 16n]);
    const take = () => store.take({ maxTxs: 1 }, { owner: 'w', claimMs: 1_000, operationId: 'once' });
    assert.deepEqual((await take()).transactions[0]?.priority, 16n);
    await move(scene, 12);
    assert.deepEqual((await take()).transactions[0]?.priority, 17n);
    assert.equal((await store.byTag('t')).provider?.priority, 17n);
  },
  'P29/best-pages: pages of the best go on behind a key': async (context) => {
    const scene = await openScene(context, { minPriority: 10n });
    await scene.fill({ a: tipped(100, 5), b: plain(14), c: tipped(100, 3), d: plain(12), e: tipped(11, 9) });
    const names: string[] = [];
    for (let after: string | undefined; ; ) {
      const page = await scene.store.best({ after, limit: 2 });
      if (page.length === 0) break;
      names.push(...scene.names(page));
      after = page.at(-1)?.key;
    }
    assert.deepEqual(names, ['a', 'b', 'c', 'd', 'e']);
  },
  'P29/evicts: who leaves a full pool, or parking, depends on what they pay now': async (context) => {
    const scene = await openScene(context, { minPriority: 10n, maxTxs: 2 });
    await scene.fill({ a: tipped(100, 3), b: plain(14) });
    await move(scene, 12);
    assert.equal((await scene.add('c', plain(15))).kind, 'received');
    assert.deepEqual([await scene.ready(), await scene.reasons('b')], [['a', 'c'], ['evicted']]);
  },
  'P29/unparks: the worst parked one is the worst at the present floor': async (context) => {
    const scene = await openScene(context, { minPriority: 10n, maxParked: 2 });
    const requires = ['m'];
    await scene.fill({ a: tipped(100, 3, { requires }), b: plain(14, { requires }) });
    await scene.refuses('low', plain(12, { requires }), { kind: 'limit', limit: 'maxParked' });
    await move(scene, 12);
    assert.equal((await scene.add('c', plain(15, { requires }))).kind, 'received');
    assert.deepEqual([await scene.parked(), await scene.reasons('b')], [['a', 'c'], ['evicted']]);
  },
});

const provides = ['n'];

const replacingCases = eachRanked({
  'P29/replaces: a replacement must raise both, what it may pay and the tip': async (context) => {
    const scene = await openScene(context, { minPriority: 10n });
    await scene.fill({ a: tipped(100, 20, { provides }) });
    const refused = { kind: 'replacement-underpriced', required: 110n, requiredTip: 22n } as const;
    await scene.refuses('most', tipped(200, 21, { provides }), refused);
    await scene.refuses('tip', tipped(109, 40, { provides }), refused);
    assert.equal((await scene.add('both', tipped(110, 22, { provides }))).kind, 'received');
    assert.deepEqual([await scene.ready(), await scene.reasons('a')], [['both'], ['replaced']]);
  },
  'P29/replaces-plain: without a tip, all of a priority counts as one': async (context) => {
    const scene = await openScene(context, { minPriority: 10n });
    await scene.fill({ a: plain(100, { provides }) });
    const refused = { kind: 'replacement-underpriced', required: 110n, requiredTip: 110n } as const;
    await scene.refuses('tipped', tipped(900, 109, { provides }), refused);
    assert.equal((await scene.add('b', tipped(900, 110, { provides }))).kind, 'received');
    await scene.refuses('plain', plain(989, { provides }), { kind: 'replacement-underpriced', required: 990n });
    assert.equal((await scene.add('c', plain(990, { provides }))).kind, 'received');
  },
  'P29/replaces-several: the sum of what it replaces is compared at the present floor': async (context) => {
    const scene = await openScene(context, { minPriority: 10n });
    await scene.fill({ a: tipped(40, 5, { provides: ['x'] }), b: plain(20, { provides: ['y'] }) });
    const both = { provides: ['x', 'y'] };
    // 15 and 20.
    await scene.refuses('tipped', tipped(60, 25, both), {
      kind: 'replacement-underpriced',
      required: 44n,
      requiredTip: 26n,
    });
    await scene.refuses('plain', plain(35, both), { kind: 'replacement-underpriced', required: 44n });
    await move(scene, 18);
    await scene.refuses('later', tipped(60, 25, both), {
      kind: 'replacement-underpriced',
      required: 44n,
      requiredTip: 26n,
    });
    assert.equal((await scene.add('c', tipped(60, 26, both))).kind, 'received');
  },
});

/** P29. */
export const tipCases: readonly ConformanceCase[] = [...placeCases, ...readingCases, ...replacingCases];
