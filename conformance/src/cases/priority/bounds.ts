import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { eachRanked } from '../../case/must.ts';
import { account, type Draft, eachOnPriorityPool, openScene, type Scene } from '../../scenario/priority.ts';

async function kindOf(scene: Scene, name: string, draft: Draft): Promise<string> {
  return (await scene.add(name, draft)).kind;
}

const one: Draft = { sender: 's', senderLimit: 1 };

const ownPools = eachRanked({
  'P3/sender-exempt: no limit per sender counts those of no sender': async (context) => {
    const scene = await openScene(context, { maxPerSender: 1 });
    await scene.fill({ a: { senderLimit: 1 }, b: { senderLimit: 1 }, c: {} });
    assert.deepEqual(await scene.ready(), ['a', 'b', 'c']);
  },
  'P3/sender-own: a limit per sender counts each sender by itself': async (context) => {
    const scene = await openScene(context, { maxPerSender: 1 });
    await scene.fill({ a: { sender: 's' }, b: { sender: 't' }, c: { sender: 'S' } });
    assert.deepEqual(await scene.ready(), ['a', 'b', 'c']);
  },
  'P3/sender-lower-limit: of the pool’s and the verdict’s limit per sender the lower one counts': async (context) => {
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
  'P3/ancestors-each-once: an ancestor reached on two ways counts once': async (context) => {
    const scene = await openScene(context, { maxAncestors: 3 });
    await scene.fill({ root: { provides: ['r'] } });
    await scene.fill({ a: { provides: ['a'], requires: ['r'] }, b: { provides: ['b'], requires: ['r'] } });
    assert.equal(await kindOf(scene, 'me', { requires: ['a', 'b'] }), 'received');
  },
  'P3/last-first: a chain that is sent from its end is no longer than one sent from its head': async (context) => {
    const scene = await openScene(context, { maxAncestors: 2 });
    await scene.fill({ d: account('s', 3), c: account('s', 2), b: account('s', 1) });
    await scene.refuses('a', account('s', 0), { kind: 'limit', limit: 'maxAncestors' });
    await scene.mark('b');
    await scene.drop('d');
    assert.equal(await kindOf(scene, 'a', account('s', 0)), 'received');
  },
  'P3/joins-two-chains: one that joins two chains counts the ancestors of the lowest': async (context) => {
    const scene = await openScene(context, { maxAncestors: 3 });
    await scene.fill({ a: account('s', 0), b: account('s', 1), d: account('s', 3) });
    await scene.fill({ other: { provides: ['o'] }, e: { requires: ['s:3', 'o'] } });
    await scene.refuses('c', account('s', 2), { kind: 'limit', limit: 'maxAncestors' });
    await scene.drop('e');
    assert.equal(await kindOf(scene, 'c', account('s', 2)), 'received');
  },
  'P3/siblings-have-ancestors-of-their-own: ancestors are counted for each descendant by itself': async (context) => {
    const scene = await openScene(context, { maxAncestors: 2 });
    await scene.fill({ p: { provides: ['p'] }, q: { provides: ['q'] } });
    await scene.fill({ a: { requires: ['new', 'p'] }, b: { requires: ['new', 'q'] } });
    assert.equal(await kindOf(scene, 'new', { provides: ['new'] }), 'received');
    assert.deepEqual(await scene.parked(), []);
  },
  'P3/replacement-with-more-ancestors: a replacement with more needs counts for all below it': async (context) => {
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
  'P3/descendants-between: one that comes between counts for those above and below': async (context) => {
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
  'P3/parked-replacement: a replacement is exempt from the limit of parked ones': async (context) => {
    const scene = await openScene(context, { maxParked: 1 });
    await scene.fill({ parked: { requires: ['missing'] }, old: { provides: ['x'], priority: 10n } });
    assert.equal(await kindOf(scene, 'new', { provides: ['x'], requires: ['missing'], priority: 11n }), 'received');
    assert.deepEqual(await scene.parked(), ['parked', 'new']);
  },
  'P3/future-nonces: a flood of future nonces never pushes out what is ready': async (context) => {
    const scene = await openScene(context, { maxTxs: 10, maxParked: 4 });
    await scene.fill(Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`r${i}`, { priority: -9n }])));
    for (let i = 0; i < 40; i++) await scene.add(`f${i}`, { ...account(`s${i}`, 9), priority: 1_000n });
    assert.equal((await scene.ready()).length, 8);
    assert.ok((await scene.parked()).length <= 2);
  },
  'P3/future-nonces-parked: parked ones take no more room than their limit': async (context) => {
    const scene = await openScene(context, { maxTxs: 10, maxParked: 4 });
    for (let i = 0; i < 40; i++) await scene.add(`f${i}`, { ...account(`s${i}`, 9), priority: BigInt(i) });
    assert.deepEqual([(await scene.parked()).length, (await scene.load()).parked], [4, 4]);
  },
});

const onePool = eachOnPriorityPool({
  'P3/sender-counts-in-flight: a sender’s place is taken while it is in flight, parked or not': async (scene) => {
    await scene.fill({ a: one });
    await scene.mark('a');
    assert.equal(await kindOf(scene, 'b', one), 'sender-limit');
    await scene.acknowledge('a');
    assert.equal(await kindOf(scene, 'b', one), 'sender-limit');
    await scene.block(1, { seen: ['a'] });
    assert.equal(await kindOf(scene, 'b', { ...one, requires: ['missing'] }), 'received');
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
  'P3/cycle-through-flight: a circle through one in flight is refused too': async (scene) => {
    await scene.fill({ first: { provides: ['x'] }, a: { provides: ['a'], requires: ['x'] } });
    await scene.fill({ b: { provides: ['b'], requires: ['a'] } });
    await scene.mark('first', 'a');
    await scene.drop('first');
    await scene.refuses('new', { provides: ['x'], requires: ['b'] }, { kind: 'cycle' });
    await scene.acknowledge('a');
    await scene.refuses('new', { provides: ['x'], requires: ['b'] }, { kind: 'cycle' });
  },
  'P3/no-cycle-over-the-chain: a tag that the chain satisfied closes no circle': async (scene) => {
    await scene.fill({ b: { provides: ['x'], requires: ['a'] } });
    await scene.block(1, { seen: ['b'], provides: ['x'] });
    assert.equal(await kindOf(scene, 'new', { provides: ['a'], requires: ['x'] }), 'received');
    assert.deepEqual(await scene.ready(), ['new']);
  },
});

export const boundCases: readonly ConformanceCase[] = [...ownPools, ...onePool];
