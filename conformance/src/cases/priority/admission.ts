import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { eachRanked, mustRank } from '../../case/must.ts';
import { kindsOf } from '../../scenario/pool.ts';
import {
  account,
  type Draft,
  eachOnPriorityPool,
  onPriorityPool,
  openScene,
  type Refused,
  type Scene,
} from '../../scenario/priority.ts';
import { refusals } from '../../scenario/priority-refusals.ts';

/** Stages in which the provider of a tag is not replaced. */
const beyondPending: readonly (readonly [string, (scene: Scene) => Promise<unknown>])[] = [
  ['Propagated', (scene) => scene.mark('old')],
  ['Acknowledged', (scene) => scene.mark('old').then(() => scene.acknowledge('old'))],
  ['Confirmed', (scene) => scene.block(1, { seen: ['old'] })],
];

function conflicts([stage, bring]: (typeof beyondPending)[number]): ConformanceCase {
  const title = `what is provided by one that is ${stage} is a conflict with it, at any priority`;
  return onPriorityPool(`P3/conflict-${stage.toLowerCase()}`, title, async (scene) => {
    await scene.fill({ old: { provides: ['x'] } });
    await bring(scene);
    await scene.refuses('new', { provides: ['x'], priority: 1_000n }, { kind: 'conflict', with: scene.hash('old') });
    assert.deepEqual(await scene.stages('old', 'new'), [stage, 'Unknown']);
  });
}

const refused: readonly ConformanceCase[] = refusals.map(({ id, title, limits, arrange, draft, refused: due }) =>
  mustRank(`P3/refused-${id}`, `${title}, and nothing at all has changed`, async (context) => {
    const scene = await openScene(context, limits);
    await arrange(scene);
    await scene.refuses('new', draft, due(scene));
  }),
);

const refusedTwice: readonly ConformanceCase[] = refusals.map((one) =>
  mustRank(
    `P3/refused-twice-${one.id}`,
    `${one.title}; the same hash later in the call is refused in the same way`,
    async (context) => {
      const scene = await openScene(context, one.limits);
      await one.arrange(scene);
      const batch = [scene.submission('new', one.draft), scene.submission('new', { priority: 5n })];
      const due = { ...one.refused(scene), hash: scene.hash('new') };
      await scene.unchanged(async () => assert.deepEqual(await scene.store.receive(batch), [due, due]));
    },
  ),
);

/** Drafts that break two rules at once: the refusal names the first in the order of the rules. */
async function tells(scene: Scene, draft: Parameters<Scene['refuses']>[1], due: Refused): Promise<void> {
  await scene.refuses('new', draft, due);
}

const onePool = eachOnPriorityPool({
  'P3/conflict-lowest-seq: of several conflicts the refusal names the one that came first': async (scene) => {
    await scene.fill({ pending: { provides: ['p'] }, second: { provides: ['s'] }, third: { provides: ['t'] } });
    await scene.mark('third', 'second');
    await scene.refuses('new', { provides: ['t', 's', 'p'] }, { kind: 'conflict', with: scene.hash('second') });
  },
  'P3/one-after-the-other: transactions of one call are admitted in order, each counts for the next': async (scene) => {
    const outcomes = await scene.addAll({ a: { provides: ['x'], priority: 5n }, b: { provides: ['x'], priority: 6n } });
    assert.deepEqual(kindsOf(outcomes), ['received', 'received']);
    assert.deepEqual([await scene.stages('a', 'b'), await scene.reasons('a')], [['Dropped', 'Pending'], ['replaced']]);
  },
  'P3/twice-in-a-call: a hash that was received is a duplicate later in the call': async (scene) => {
    await scene.fill({ known: {} });
    await scene.mark('known');
    const batch = ['new', 'new', 'known', 'known', 'new'].map((name) => scene.submission(name));
    const outcomes = await scene.store.receive(batch);
    assert.deepEqual(
      outcomes.map((outcome) => [outcome.kind, 'stage' in outcome && outcome.stage]),
      [
        ['received', 'Pending'],
        ['duplicate', 'Pending'],
        ['duplicate', 'Propagated'],
        ['duplicate', 'Propagated'],
        ['duplicate', 'Pending'],
      ],
    );
  },
  'P3/new-life-new-entry: a new life has a new entry: version, times, sources and height': async (scene) => {
    await scene.add('a', { from: 'peer1' }, { height: 3 });
    await scene.store.revise([{ hash: scene.hash('a'), version: 1, answer: { priority: 4n } }], { height: 5 });
    await scene.drop('a');
    scene.clock.nowMs += 70;
    await scene.add('a', { from: 'peer2' }, { height: 9 });
    const { version, admittedAt, admittedHeight, checkedHeight, sources, priority } = await scene.entry('a');
    assert.deepEqual(
      [version, admittedAt, admittedHeight, checkedHeight, sources, priority],
      [1, scene.clock.nowMs, 9, 9, ['peer2'], 0n],
    );
  },
  'P3/sources: the sender of a duplicate joins its sources, once': async (scene) => {
    await scene.add('a', { from: 'one' });
    for (const from of ['two', 'one', 'three', 'two']) await scene.add('a', { from });
    await scene.add('a');
    assert.deepEqual((await scene.entry('a')).sources, ['one', 'two', 'three']);
  },
  'P3/sources-within-a-call: a peer that sends it again within one call joins its sources too': async (scene) => {
    await scene.store.receive(['one', 'two', 'one'].map((from) => scene.submission('a', { from })));
    assert.deepEqual((await scene.entry('a')).sources, ['one', 'two']);
  },
  'P3/sources-at-most-64: a transaction keeps at most 64 sources, the first ones': async (scene) => {
    const peers = Array.from({ length: 70 }, (_, i) => `peer${i}`);
    for (const from of peers) await scene.add('a', { from });
    assert.deepEqual((await scene.entry('a')).sources, peers.slice(0, 64));
  },
  'P3/sources-of-a-final-one: a Finalized one that is still in the log gains sources too': async (scene) => {
    await scene.add('a', { from: 'one' });
    await scene.block(1, { seen: ['a'] }, { finalizeThreshold: 1 });
    assert.equal((await scene.add('a', { from: 'two' })).kind, 'duplicate');
    assert.deepEqual((await scene.entry('a')).sources, ['one', 'two']);
  },
  'P3/moment: the time and height of a call are its entry’s; time is never past the pool’s': async (scene) => {
    const { nowMs } = scene.clock;
    await scene.blocks(1, 4);
    await scene.add('plain');
    await scene.add('earlier', {}, { now: nowMs - 500, height: 90 });
    await scene.add('later', {}, { now: nowMs + 500, height: 0 });
    const moments = await Promise.all(['plain', 'earlier', 'later'].map((name) => scene.entry(name)));
    assert.deepEqual(
      moments.map(({ admittedAt, admittedHeight, checkedHeight }) => [admittedAt, admittedHeight, checkedHeight]),
      [
        [nowMs, 4, 4],
        [nowMs - 500, 90, 90],
        [nowMs, 0, 0],
      ],
    );
  },
});

const ownPools = eachRanked({
  'P3/first-that-fits: of several refusals that apply, the first in the rules’ order is told': async (context) => {
    const scene = await openScene(context, { maxTxGas: 10, maxPerSender: 1, maxAncestors: 1, maxParked: 0 });
    await scene.fill({ a: { provides: ['a'], sender: 's' }, b: { provides: ['b'], requires: ['a'] } });
    await scene.fill({ x: { provides: ['x'], priority: 7n } });
    const both = { gas: 11, provides: ['x'], requires: ['x'], sender: 's' };
    await tells(scene, both, { kind: 'limit', limit: 'maxTxGas' });
    await tells(scene, { ...both, gas: 10 }, { kind: 'conflict', with: scene.hash('x') });
    await tells(scene, { ...both, gas: 10, requires: ['a'] }, { kind: 'replacement-underpriced', required: 8n });
    await tells(scene, { ...both, gas: 0, provides: ['y'], requires: ['y'] }, { kind: 'sender-limit', limit: 1 });
    await tells(scene, { provides: ['y'], requires: ['y', 'b'] }, { kind: 'cycle' });
    await tells(scene, { requires: ['missing', 'b'] }, { kind: 'limit', limit: 'maxAncestors' });
    await tells(scene, { requires: ['missing'] }, { kind: 'limit', limit: 'maxParked' });
  },
  'P3/spent-before-sender: a tag that is spent is told before the limit of its sender': async (context) => {
    const scene = await openScene(context, { maxPerSender: 1 });
    await scene.fill({ a: { sender: 's' } });
    await scene.block(1, { provides: ['x'] });
    await tells(scene, { provides: ['x'], sender: 's' }, { kind: 'conflict', with: null });
  },
  'P3/bounds-in-order: of sum, ancestors, descendants and parked, the refusal names the first': async (context) => {
    const scene = await openScene(context, { maxParked: 2, maxDescendants: 1, maxAncestors: 1, eviction: 'none' });
    await scene.fill({
      a: { provides: ['a'] },
      b: { provides: ['b'] },
      c: { requires: ['a'] },
      d: { requires: ['b'] },
    });
    const all = { provides: ['a', 'b'], priority: 1n, bytes: 1 };
    await scene.fill({ top: { provides: ['t'] } });
    await tells(scene, { ...all, requires: ['t'], bytes: 0 }, { kind: 'replacement-underpriced', required: 2n ** 63n });
    await tells(scene, { ...all, requires: ['t'] }, { kind: 'limit', limit: 'maxAncestors' });
    await tells(scene, all, { kind: 'limit', limit: 'maxDescendants' });
    await scene.fill({ e: { requires: ['x'] }, f: { requires: ['y'] } });
    await tells(scene, { requires: ['x'] }, { kind: 'limit', limit: 'maxDescendants' });
    await tells(scene, { requires: ['z'] }, { kind: 'limit', limit: 'maxParked' });
  },
  'P3/each-by-itself: a refused one leaves the others of its call as they are': async (context) => {
    const scene = await openScene(context, { maxTxGas: 10 });
    const outcomes = await scene.addAll({ a: { gas: 10 }, b: { gas: 11 }, c: {}, d: { gas: 12 } });
    assert.deepEqual(kindsOf(outcomes), ['received', 'limit', 'received', 'limit']);
    assert.deepEqual([await scene.ready(), await scene.seq('c')], [['a', 'c'], 2]);
  },
  'P3/known-before-judged: a known hash is a duplicate, whatever its new verdict': async (context) => {
    const scene = await openScene(context, { maxTxGas: 10 });
    await scene.fill({ a: { priority: 3n, sender: 's', gas: 1 } });
    await scene.unchanged(async () => {
      const outcome = await scene.add('a', { priority: 9n, sender: 't', gas: 11, requires: ['missing'] });
      assert.deepEqual(outcome, { kind: 'duplicate', hash: scene.hash('a'), stage: 'Pending' });
    });
  },
  'P3/known-while-full: a known hash is a duplicate while the pool is full': async (context) => {
    const scene = await openScene(context, { maxTxs: 1 });
    await scene.fill({ a: {} });
    assert.equal((await scene.add('a')).kind, 'duplicate');
  },
  'P3/refused-hash-is-free: a hash that was refused may be received later': async (context) => {
    const scene = await openScene(context, { maxTxGas: 10 });
    assert.equal((await scene.add('a', { gas: 11 })).kind, 'limit');
    assert.deepEqual(await scene.stages('a'), ['Unknown']);
    assert.equal((await scene.add('a', { gas: 10 })).kind, 'received');
  },
  'P3/evicted-hash-is-free: one that was evicted may be received again, as a new life': async (context) => {
    const scene = await openScene(context, { maxTxs: 1 });
    await scene.fill({ a: { priority: 1n }, b: { priority: 2n } });
    await scene.drop('b');
    const outcome = await scene.add('a', { priority: 3n });
    assert.deepEqual(outcome, { kind: 'received', hash: scene.hash('a'), seq: 3, stage: 'Pending' });
    assert.deepEqual((await scene.entry('a')).priority, 3n);
  },
  'P3/gas-limit-itself: gas of exactly the limit is taken': async (context) => {
    const scene = await openScene(context, { maxTxGas: 10 });
    assert.equal((await scene.add('a', { gas: 10 })).kind, 'received');
  },
});

export const admissionCases: readonly ConformanceCase[] = [
  ...refused,
  ...refusedTwice,
  ...beyondPending.map(conflicts),
  ...onePool,
  ...ownPools,
];

async function kindOf(scene: Scene, name: string, draft: Draft): Promise<string> {
  return (await scene.add(name, draft)).kind;
}

const one: Draft = { sender: 's', senderLimit: 1 };

const boundOwnPools = eachRanked({
  'P3/sender-exempt: transactions without a sender have no limit per sender': async (context) => {
    const scene = await openScene(context, { maxPerSender: 1 });
    await scene.fill({ a: { senderLimit: 1 }, b: { senderLimit: 1 }, c: {} });
    assert.deepEqual(await scene.ready(), ['a', 'b', 'c']);
  },
  'P3/sender-own: a limit per sender counts each sender by itself': async (context) => {
    const scene = await openScene(context, { maxPerSender: 1 });
    await scene.fill({ a: { sender: 's' }, b: { sender: 't' }, c: { sender: 'S' } });
    assert.deepEqual(await scene.ready(), ['a', 'b', 'c']);
  },
  'P3/sender-lower-limit: of the pool’s and the verdict’s sender limit the lower one counts': async (context) => {
    const scene = await openScene(context, { maxPerSender: 2 });
    await scene.fill({ a: { sender: 's', senderLimit: 5 }, b: { sender: 's', senderLimit: 5 } });
    await scene.refuses('c', { sender: 's', senderLimit: 5 }, { kind: 'sender-limit', limit: 2 });
    await scene.refuses('c', { sender: 's', senderLimit: 1 }, { kind: 'sender-limit', limit: 1 });
  },
  'P3/sender-replacement: a replacement is exempt from the limit per sender': async (context) => {
    const scene = await openScene(context, { maxPerSender: 1 });
    await scene.fill({ a: { ...account('s', 0), priority: 10n } });
    assert.equal(await kindOf(scene, 'b', { ...account('s', 0), priority: 11n }), 'received');
    assert.deepEqual(await scene.ready(), ['b']);
  },
  'P3/ancestors-itself: exactly as many Pending ancestors as the limit are taken': async (context) => {
    const scene = await openScene(context, { maxAncestors: 2 });
    await scene.fill({ a: account('s', 0), b: account('s', 1), c: account('s', 2) });
    await scene.mark('a');
    assert.equal(await kindOf(scene, 'd', account('s', 3)), 'received');
  },
  'P3/ancestors-each-once: an ancestor reached on two paths counts once': async (context) => {
    const scene = await openScene(context, { maxAncestors: 3 });
    await scene.fill({ root: { provides: ['r'] } });
    await scene.fill({ a: { provides: ['a'], requires: ['r'] }, b: { provides: ['b'], requires: ['r'] } });
    assert.equal(await kindOf(scene, 'me', { requires: ['a', 'b'] }), 'received');
  },
  'P3/siblings-have-ancestors-of-their-own: ancestors are counted for each descendant by itself': async (context) => {
    const scene = await openScene(context, { maxAncestors: 2 });
    await scene.fill({ p: { provides: ['p'] }, q: { provides: ['q'] } });
    await scene.fill({ a: { requires: ['new', 'p'] }, b: { requires: ['new', 'q'] } });
    assert.equal(await kindOf(scene, 'new', { provides: ['new'] }), 'received');
    assert.deepEqual(await scene.parked(), []);
  },
  'P3/replacement-with-more-ancestors: new ancestors of a replacement count for all below it': async (context) => {
    const scene = await openScene(context, { maxAncestors: 1 });
    await scene.fill({ p: { provides: ['p'] }, old: { provides: ['x'], priority: 1n }, child: { requires: ['x'] } });
    await scene.refuses(
      'new',
      { provides: ['x'], requires: ['p'], priority: 9n },
      { kind: 'limit', limit: 'maxAncestors' },
    );
    assert.equal(await kindOf(scene, 'new', { provides: ['x'], priority: 9n }), 'received');
  },
  'P3/descendants-itself: exactly as many Pending descendants as the limit are taken': async (context) => {
    const scene = await openScene(context, { maxDescendants: 2 });
    await scene.fill({ a: account('s', 0), b: account('s', 1), c: account('s', 2) });
    await scene.mark('c');
    assert.equal(await kindOf(scene, 'd', account('s', 3)), 'received');
  },
  'P3/descendants-between: one inserted in a chain counts for those above and below': async (context) => {
    const scene = await openScene(context, { maxDescendants: 3 });
    await scene.fill({ a: account('s', 0), c: account('s', 2), d: account('s', 3) });
    assert.equal(await kindOf(scene, 'b', account('s', 1)), 'received');
    assert.equal(await kindOf(scene, 'e', account('s', 4)), 'limit');
  },
  'P3/descendants-far: the limit of descendants counts for every ancestor, not the parent alone': async (context) => {
    const scene = await openScene(context, { maxDescendants: 3 });
    await scene.fill({ root: { provides: ['r'] }, a: { provides: ['a'], requires: ['r'] } });
    await scene.fill({ b: { requires: ['r'] }, c: { requires: ['a'] } });
    await scene.refuses('d', { requires: ['a'] }, { kind: 'limit', limit: 'maxDescendants' });
  },
  'P3/parked-itself: exactly as many parked ones as the limit are taken, and ready ones besides': async (context) => {
    const scene = await openScene(context, { maxParked: 2 });
    const requires = ['missing'];
    await scene.fill({ a: { requires }, b: { requires }, c: {}, d: {} });
    await scene.refuses('e', { requires }, { kind: 'limit', limit: 'maxParked' });
  },
  'P3/future-nonces-parked: parked ones take no more room than their limit': async (context) => {
    const scene = await openScene(context, { maxTxs: 10, maxParked: 4 });
    for (let i = 0; i < 40; i++) await scene.add(`f${i}`, { ...account(`s${i}`, 9), priority: BigInt(i) });
    assert.deepEqual([(await scene.parked()).length, (await scene.load()).parked], [4, 4]);
  },
});

const boundOnePool = eachOnPriorityPool({
  'P3/sender-counts-in-flight: a sender’s place is taken while its transaction is in flight': async (scene) => {
    await scene.fill({ a: one });
    await scene.mark('a');
    assert.equal(await kindOf(scene, 'b', one), 'sender-limit');
    await scene.acknowledge('a');
    assert.equal(await kindOf(scene, 'b', one), 'sender-limit');
    await scene.block(1, { seen: ['a'] });
    assert.equal(await kindOf(scene, 'b', one), 'received');
    assert.equal(await kindOf(scene, 'c', one), 'sender-limit');
  },
  'P3/sender-free-after-drop: a sender’s place is free once its transaction is Dropped': async (scene) => {
    await scene.fill({ a: one });
    await scene.drop('a');
    assert.equal(await kindOf(scene, 'b', one), 'received');
  },
  'P3/sender-returned: one that returned from the chain counts for its sender again': async (scene) => {
    await scene.fill({ a: one });
    await scene.block(1, { seen: ['a'] });
    await scene.block(2, { unseen: ['a'] });
    assert.equal(await kindOf(scene, 'b', one), 'sender-limit');
  },
  'P3/cycle-through-flight: a cycle through one in flight is refused too': async (scene) => {
    await scene.fill({ first: { provides: ['x'] }, a: { provides: ['a'], requires: ['x'] } });
    await scene.fill({ b: { provides: ['b'], requires: ['a'] } });
    await scene.mark('first', 'a');
    await scene.drop('first');
    await scene.refuses('new', { provides: ['x'], requires: ['b'] }, { kind: 'cycle' });
    await scene.acknowledge('a');
    await scene.refuses('new', { provides: ['x'], requires: ['b'] }, { kind: 'cycle' });
  },
  'P3/no-cycle-over-the-chain: a tag that the chain satisfied closes no cycle': async (scene) => {
    await scene.fill({ b: { provides: ['x'], requires: ['a'] } });
    await scene.block(1, { seen: ['b'], provides: ['x'] });
    assert.equal(await kindOf(scene, 'new', { provides: ['a'], requires: ['x'] }), 'received');
    assert.deepEqual(await scene.ready(), ['new']);
  },
});

export const boundCases: readonly ConformanceCase[] = [...boundOwnPools, ...boundOnePool];
