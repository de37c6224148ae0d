import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { eachRanked, mustRank } from '../../case/must.ts';
import {
  account,
  atLeast,
  type Draft,
  eachOnPriorityPool,
  maxPriority,
  minPriority,
  openScene,
  type Scene,
} from '../../scenario/priority.ts';

/** The exact price to replace one that pays `old`, with a bump in per cent. */
const prices: readonly (readonly [id: string, old: bigint, bump: number, required: bigint])[] = [
  ['exact', 100n, 10, 110n],
  ['rounded-up', 101n, 10, 112n],
  ['one', 1n, 10, 2n],
  ['zero', 0n, 10, 1n],
  ['minus-one', -1n, 10, 0n],
  ['minus-hundred', -100n, 10, -99n],
  ['lowest', minPriority, 10, minPriority + 1n],
  ['no-bump', 100n, 0, 101n],
  ['doubled', 100n, 100, 200n],
  ['hundredfold', 3n, 10_000, 303n],
  ['beyond-doubles', 2n ** 53n + 1n, 10, 9_907_919_180_215_093n],
  ['large-odd', 2n ** 61n + 7n, 1, 2n ** 61n + 7n + (2n ** 61n + 7n + 99n) / 100n],
];

function priced([id, old, bump, required]: (typeof prices)[number]): ConformanceCase {
  const title = `one of priority ${old} is replaced by ${required} at a bump of ${bump} per cent, and not by one less`;
  return mustRank(`P4/price-${id}`, title, async (context) => {
    const scene = await openScene(context, { replacementBump: bump });
    await scene.fill({ old: { provides: ['x'], priority: old } });
    const [low, enough] = [required - 1n, required].map((priority) => ({ provides: ['x'], priority }));
    await scene.refuses('new', low ?? {}, { kind: 'replacement-underpriced', required });
    assert.equal((await scene.add('new', enough)).kind, 'received');
    assert.deepEqual([await scene.ready(), await scene.reasons('old')], [['new'], ['replaced']]);
  });
}

const heir: Draft = { provides: ['x'], priority: 110n };

async function family(scene: Scene, child: Draft): Promise<void> {
  await scene.fill({ old: { provides: ['x'], priority: 100n }, child: { requires: ['x'], ...child } });
}

const onePool = eachOnPriorityPool({
  'P4/beyond-the-highest: one with the highest priority is not replaced, not even by an equal': async (scene) => {
    await scene.fill({ old: { provides: ['x'], priority: maxPriority } });
    const required = (maxPriority * 110n) / 100n + 1n;
    await scene.refuses(
      'new',
      { provides: ['x'], priority: maxPriority },
      { kind: 'replacement-underpriced', required },
    );
  },
  'P4/dearest-of-several: if several are replaced, the highest priority sets the price': async (scene) => {
    const small = { bytes: 1 };
    await scene.fill({
      a: { provides: ['a'], priority: 50n, ...small },
      b: { provides: ['b'], priority: 100n, ...small },
    });
    const draft = { provides: ['a', 'b'], bytes: 1_000 };
    await scene.refuses('new', { ...draft, priority: 109n }, { kind: 'replacement-underpriced', required: 110n });
    assert.equal((await scene.add('new', { ...draft, priority: 110n })).kind, 'received');
    assert.deepEqual(await scene.reasons('a', 'b'), ['replaced', 'replaced']);
  },
  'P4/sum-of-one: one that replaces a single one needs only the bump': async (scene) => {
    await scene.fill({ old: { provides: ['x'], priority: 100n, bytes: 5_000 } });
    assert.equal((await scene.add('new', { ...heir, bytes: 1 })).kind, 'received');
  },
  'P4/sum-of-the-parked: descendants that get parked count in the sum': async (scene) => {
    await scene.fill({ old: { provides: ['x', 'y'], priority: 100n }, child: { requires: ['y'], priority: 60n } });
    await scene.refuses('new', { ...heir, priority: 160n }, { kind: 'replacement-underpriced', required: 161n });
    assert.equal((await scene.add('new', { ...heir, priority: 161n })).kind, 'received');
    assert.deepEqual([await scene.ready(), await scene.parked()], [['new'], ['child']]);
  },
  'P4/sum-of-an-empty-one: one without a byte can exceed no sum, whatever it pays': async (scene) => {
    await scene.fill({ a: { provides: ['a'], priority: 1n }, b: { provides: ['b'], priority: 1n } });
    const refused = { kind: 'replacement-underpriced', required: maxPriority + 1n } as const;
    await scene.refuses('new', { provides: ['a', 'b'], priority: maxPriority, bytes: 0 }, refused);
  },
  'P4/sum-below-zero: a sum below 0 asks for no more than the bump': async (scene) => {
    await scene.fill({ a: { provides: ['a'], priority: -50n }, b: { provides: ['b'], priority: -60n } });
    assert.equal((await scene.add('new', { provides: ['a', 'b'], priority: -49n })).kind, 'received');
  },
  'P4/price-below-zero: the price of a sum below 0 is the least that exceeds it': async (scene) => {
    const rival = { priority: -10n, bytes: 3 };
    await scene.fill({ a: { ...rival, provides: ['a'] }, b: { ...rival, provides: ['b'] } });
    const draft = { provides: ['a', 'b'], bytes: 7 };
    await scene.refuses('new', { ...draft, priority: -9n }, { kind: 'replacement-underpriced', required: -8n });
    assert.equal((await scene.add('new', { ...draft, priority: -8n })).kind, 'received');
  },
  'P4/sum-in-full: a sum is compared to the last unit, however large': async (scene) => {
    const [half, small] = [2n ** 60n, { bytes: 1 }];
    await scene.fill({
      a: { provides: ['a'], priority: half, ...small },
      b: { provides: ['b'], priority: half + 1n, ...small },
    });
    const draft = { provides: ['a', 'b'], ...small };
    const [sum, refused] = [2n * half + 1n, { kind: 'replacement-underpriced', required: 2n * half + 2n } as const];
    await scene.refuses('new', { ...draft, priority: sum }, refused);
    assert.equal((await scene.add('new', { ...draft, priority: sum + 1n })).kind, 'received');
  },
  'P4/descendants-stay: descendants stay where the replacement provides what they need': async (scene) => {
    await family(scene, { provides: ['c'], priority: 120n });
    await scene.add('grandchild', { requires: ['c'], priority: 130n });
    await scene.add('new', heir);
    assert.deepEqual(await scene.ready(), ['new', 'child', 'grandchild']);
    assert.deepEqual(await scene.stages('old', 'child'), ['Dropped', 'Pending']);
  },
  'P4/cheap-child: a cheap child does not protect its parent: the bump is enough': async (scene) => {
    await family(scene, { priority: minPriority, bytes: 100_000 });
    assert.equal((await scene.add('new', heir)).kind, 'received');
    assert.deepEqual(await scene.ready(), ['new', 'child']);
  },
  'P4/many-children: any number of children that would stay do not raise the price': async (scene) => {
    await family(scene, { priority: 90n });
    for (let i = 0; i < 20; i++) await scene.add(`c${i}`, { requires: ['x'], priority: 99n });
    assert.equal((await scene.add('new', heir)).kind, 'received');
    assert.equal((await scene.ready()).length, 22);
  },
  'P4/not-a-tag-less: without a common tag nothing is replaced, even of the same sender': async (scene) => {
    await scene.fill({ a: { ...account('s', 0), priority: 1n }, b: { sender: 's', priority: 100n } });
    assert.deepEqual(await scene.stages('a', 'b'), ['Pending', 'Pending']);
  },
  'P4/parked-one: a parked one is replaced like any other': async (scene) => {
    await scene.fill({ old: { ...account('s', 4), priority: 100n } });
    await scene.refuses(
      'new',
      { ...account('s', 4), priority: 109n },
      { kind: 'replacement-underpriced', required: 110n },
    );
    assert.equal((await scene.add('new', { ...account('s', 4), priority: 110n })).kind, 'received');
    assert.deepEqual([await scene.parked(), await scene.stages('old')], [['new'], ['Dropped']]);
  },
  'P4/parked-for-ready: one that would be parked replaces none that is ready, whatever it pays': async (scene) => {
    await scene.fill({ a: { provides: ['a'], requires: ['missing'] }, b: { provides: ['b'] }, c: { provides: ['c'] } });
    await scene.fill({ child: { requires: ['b'] } });
    const draft = { provides: ['a', 'b', 'c'], requires: ['other'], priority: 400n };
    await scene.refuses('new', draft, { kind: 'conflict', with: scene.hash('b') });
    assert.deepEqual(await scene.ready(), ['b', 'c', 'child']);
  },
  'P4/below-the-floor-for-ready: one below the floor replaces none that is ready': async (scene) => {
    await scene.fill({ old: { provides: ['x'], priority: 5n }, low: { provides: ['y'], priority: 1n } });
    await scene.fill({ cheap: { provides: ['z'], priority: 2n } });
    await scene.store.setLimits({ minPriority: 3n });
    const draft = { provides: ['x'], requires: ['y'], priority: 400n };
    await scene.refuses('new', draft, { kind: 'conflict', with: scene.hash('old') });
    assert.equal((await scene.add('dear', { provides: ['z'], requires: ['y'], priority: 9n })).kind, 'received');
    assert.deepEqual([await scene.ready(), await scene.parked()], [['old'], ['low', 'dear']]);
  },
  'P4/own-tag-of-its-rival: one that needs a tag of its rival replaces it not, though both provide that tag': async (
    scene,
  ) => {
    await scene.fill({ old: { provides: ['in', 'out'] }, child: { requires: ['out'] } });
    const conflict = { kind: 'conflict', with: scene.hash('old') } as const;
    await scene.refuses('new', { provides: ['in'], requires: ['out'], priority: 400n }, conflict);
    await scene.refuses('all', { provides: ['in', 'out'], requires: ['out'], priority: 400n }, conflict);
    assert.deepEqual(await scene.ready(), ['old', 'child']);
  },
  'P4/parked-parent: one that needs a tag of a parked rival replaces it not': async (scene) => {
    await scene.fill({ old: { provides: ['in', 'out'], requires: ['missing'] } });
    const conflict = { kind: 'conflict', with: scene.hash('old') } as const;
    await scene.refuses('new', { provides: ['in'], requires: ['out'], priority: 400n }, conflict);
  },
  'P4/ancestor: one that needs its rival through others, in flight too, replaces it not': async (scene) => {
    await scene.fill({ old: { provides: ['in', 'a'] }, b: { provides: ['b'], requires: ['a'] } });
    await scene.fill({ c: { provides: ['c'], requires: ['b'] } });
    const conflict = { kind: 'conflict', with: scene.hash('old') } as const;
    const draft = { provides: ['in'], requires: ['c'], priority: 400n };
    await scene.refuses('new', draft, conflict);
    await scene.mark('old', 'b', 'c');
    await scene.release('old');
    await scene.refuses('new', draft, conflict);
  },
  'P4/new-place: a replacement stands by its own seq, behind older ones of its priority': async (scene) => {
    await scene.fill({ old: { provides: ['x'], priority: 5n }, rival: { priority: 9n } });
    await scene.add('new', { provides: ['x'], priority: 9n });
    assert.deepEqual(await scene.ready(), ['rival', 'new']);
  },
  'P4/told: a replaced one is Dropped as replaced, before the event of its successor': async (scene) => {
    await scene.fill({ old: { provides: ['x'], priority: 100n } });
    const events = await scene.eventsOf(() => scene.add('new', heir));
    assert.deepEqual(
      events.map((event) => event.kind === 'transaction' && [event.hash, event.stage, event.reason]),
      [
        [scene.hash('old'), 'Dropped', 'replaced'],
        [scene.hash('new'), 'Pending', null],
      ],
    );
    const { entries } = await scene.store.dumpFinalized();
    assert.deepEqual(
      entries.map(({ hash, reason }) => [hash, reason]),
      [[scene.hash('old'), 'replaced']],
    );
  },
  'P4/spam: each repeated replacement costs more, and only one transaction is left': async (scene) => {
    let price = 1_000n;
    await scene.fill({ r0: { provides: ['x'], priority: price } });
    for (let i = 1; i <= 30; i++) {
      const refused = await scene.add(`r${i}`, { provides: ['x'], priority: price + 1n });
      assert.equal(refused.kind, 'replacement-underpriced');
      price = refused.kind === 'replacement-underpriced' ? refused.required : price;
      assert.equal((await scene.add(`r${i}`, { provides: ['x'], priority: price })).kind, 'received');
    }
    assert.ok(price >= 17_000n);
    const { totals, providers } = await scene.dump();
    assert.deepEqual([totals.transactions, providers], [1, [['x', [scene.hash('r30')]]]]);
  },
  'P4/back-again: a replaced one comes back only for more than its successor pays': async (scene) => {
    await scene.fill({ old: { provides: ['x'], priority: 100n }, new: heir });
    await scene.refuses(
      'old',
      { provides: ['x'], priority: 100n },
      { kind: 'replacement-underpriced', required: 121n },
    );
  },
});

const ownPools = eachRanked({
  'P4/above-64-bits: a price above 64 bits is reported in full': async (context) => {
    const scene = await openScene(context, { replacementBump: 0 });
    await scene.fill({ old: { provides: ['x'], priority: maxPriority } });
    const required = maxPriority + 1n;
    await scene.refuses(
      'new',
      { provides: ['x'], priority: maxPriority },
      { kind: 'replacement-underpriced', required },
    );
  },
  'P4/sum: if several leave, the replacement must exceed their sum, not equal it': async (context) => {
    const scene = await openScene(context);
    await scene.fill({
      a: { provides: ['a'], priority: 100n, bytes: 30 },
      b: { provides: ['b'], priority: 40n, bytes: 50 },
    });
    const draft = { provides: ['a', 'b'], bytes: 25 };
    await scene.refuses('new', { ...draft, priority: 200n }, { kind: 'replacement-underpriced', required: 201n });
    assert.equal((await scene.add('new', { ...draft, priority: 201n })).kind, 'received');
  },
  'P4/while-full: in a full pool a replacement takes the place that it frees': async (context) => {
    const scene = await openScene(context, { maxTxs: 2 });
    await scene.fill({ old: { provides: ['x'], priority: 100n }, rival: { priority: 500n } });
    assert.equal((await scene.add('new', heir)).kind, 'received');
    assert.deepEqual(await scene.stages('old', 'rival'), ['Dropped', 'Pending']);
  },
  'P4/refused-when-full: a replacement that finds no room for its bytes leaves the old one': async (context) => {
    const scene = await openScene(context, { maxBytes: 100 });
    await scene.fill({ old: { provides: ['x'], priority: 100n, bytes: 50 }, rival: { priority: 500n, bytes: 50 } });
    await scene.refuses('new', { ...heir, bytes: 51 }, { kind: 'full', floor: atLeast(101n) });
  },
});

export const replacementCases: readonly ConformanceCase[] = [...prices.map(priced), ...onePool, ...ownPools];
