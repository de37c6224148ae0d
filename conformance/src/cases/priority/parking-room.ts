import assert from 'node:assert/strict';
import type { ReceiveOutcome } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { eachRanked } from '../../case/must.ts';
import { gist } from '../../scenario/pool.ts';
import { account, type Draft, openScene, type Scene } from '../../scenario/priority.ts';

const requires = ['missing'];
const tooMany = { kind: 'limit', limit: 'maxParked' } as const;
const parked = (priority: number | bigint, sender = ''): Draft => ({ priority: BigInt(priority), sender, requires });

async function kindOf(scene: Scene, name: string, draft: Draft): Promise<ReceiveOutcome['kind']> {
  return (await scene.add(name, draft)).kind;
}

const roomCases = eachRanked({
  'P22/worst-leaves: over maxParked the parked one of the lowest priority leaves as evicted, none that is ready':
    async (context) => {
      const scene = await openScene(context, { maxParked: 2 });
      await scene.fill({ ready: { priority: -9n }, low: parked(3), high: parked(5) });
      const events = await scene.eventsOf(async () => {
        assert.equal(await kindOf(scene, 'new', parked(4)), 'received');
      });
      const [low, newcomer] = scene.hashes(['low', 'new']);
      assert.deepEqual(events.map(gist), [`Dropped ${low}`, `Pending ${newcomer}`, `parked ${newcomer}`]);
      assert.deepEqual([await scene.order(), await scene.reasons('low')], [['ready', 'high', 'new'], ['evicted']]);
    },
  'P22/worse-refused: a newcomer that would be the worst parked one is refused': async (context) => {
    const scene = await openScene(context, { maxParked: 2 });
    await scene.fill({ a: parked(3), b: parked(5) });
    await scene.refuses('new', parked(2), tooMany);
  },
  'P22/by-effective-priority: a parked one is worth no more than its parents': async (context) => {
    const scene = await openScene(context, { maxParked: 3 });
    await scene.fill({ parent: { ...parked(1), provides: ['p'] }, child: { priority: 90n, requires: ['p'] } });
    await scene.fill({ other: parked(5) });
    assert.equal(await kindOf(scene, 'new', parked(2)), 'received');
    assert.deepEqual(await scene.parked(), ['parent', 'other', 'new']);
    await scene.refuses('rich', { priority: 90n, requires: ['p'] }, tooMany);
  },
  'P22/largest-sender: of equals the sender with the most parked ones loses the last of its own': async (context) => {
    const scene = await openScene(context, { maxParked: 5 });
    await scene.fill({ a1: parked(5, 'a'), b1: parked(5, 'b'), a2: parked(5, 'a'), a3: parked(5, 'a') });
    await scene.fill({ b2: parked(5, 'b') });
    assert.equal(await kindOf(scene, 'c1', parked(5, 'c')), 'received');
    assert.deepEqual(await scene.parked(), ['a1', 'b1', 'a2', 'b2', 'c1']);
    // Now a and b have two each: the last of both leaves.
    assert.equal(await kindOf(scene, 'd1', parked(5, 'd')), 'received');
    assert.deepEqual(await scene.parked(), ['a1', 'b1', 'a2', 'c1', 'd1']);
  },
  'P22/ready-ones-not-counted: ready ones of a sender do not make its parked ones worse': async (context) => {
    const scene = await openScene(context, { maxParked: 3 });
    await scene.fill({ r1: { sender: 'a' }, r2: { sender: 'a' }, r3: { sender: 'a' } });
    await scene.fill({ a1: parked(5, 'a'), b1: parked(5, 'b'), b2: parked(5, 'b') });
    assert.equal(await kindOf(scene, 'c1', parked(5, 'c')), 'received');
    assert.deepEqual(await scene.parked(), ['a1', 'b1', 'c1']);
  },
  'P22/equals-stay: equals of senders with as many parked ones do not push each other out': async (context) => {
    const scene = await openScene(context, { maxParked: 4 });
    await scene.fill({ a1: parked(5, 'a'), a2: parked(5, 'a'), b1: parked(5, 'b'), c1: parked(5, 'c') });
    // With it, b has as many as a.
    await scene.refuses('b2', parked(5, 'b'), tooMany);
    await scene.refuses('a3', parked(5, 'a'), tooMany);
  },
  'P22/inherited-place: an inherited place in front of equals pushes none of them out': async (context) => {
    const scene = await openScene(context, { maxParked: 4 });
    await scene.fill({ parent: { ...parked(5, 'd'), provides: ['p'] }, a1: parked(5, 'a'), a2: parked(5, 'a') });
    await scene.fill({ b1: parked(5, 'b') });
    await scene.refuses('child', { priority: 9n, sender: 'd', requires: ['p'] }, tooMany);
  },
  'P22/no-sender: those without a sender are of one sender': async (context) => {
    const scene = await openScene(context, { maxParked: 3 });
    await scene.fill({ a: parked(5), b: parked(5, 'b'), c: parked(5) });
    await scene.refuses('d', parked(5), tooMany);
    assert.equal(await kindOf(scene, 'e', parked(5, 'e')), 'received');
    assert.deepEqual(await scene.parked(), ['a', 'b', 'e']);
  },
  'P22/own-worse: a sender’s newcomer pushes out a worse one of its own': async (context) => {
    const scene = await openScene(context, { maxParked: 2 });
    await scene.fill({ a: parked(5, 'a'), b: parked(6, 'a') });
    assert.equal(await kindOf(scene, 'c', parked(7, 'a')), 'received');
    assert.deepEqual(await scene.parked(), ['b', 'c']);
  },
  'P22/ancestors-stay: a newcomer never pushes out what it needs': async (context) => {
    const scene = await openScene(context, { maxParked: 2 });
    await scene.fill({ a: parked(5, 'a'), parent: { ...parked(5, 'a'), provides: ['p'] } });
    await scene.refuses('child', { priority: 5n, sender: 'b', requires: ['p'] }, tooMany);
  },
  'P22/descendants-left: what required a parked one that left stays, at a place of its own': async (context) => {
    const scene = await openScene(context, { maxParked: 3 });
    await scene.fill({ a: parked(1, 'a'), parent: { ...parked(1, 'a'), provides: ['p'] } });
    await scene.fill({ child: { priority: 7n, sender: 'b', requires: ['p'] } });
    assert.equal((await scene.place('child'))?.effectivePriority, 1n);
    assert.equal(await kindOf(scene, 'new', parked(1, 'c')), 'received');
    assert.deepEqual(await scene.parked(), ['a', 'child', 'new']);
    assert.equal((await scene.place('child'))?.effectivePriority, 7n);
  },
  'P22/excess: a newcomer comes in only if all that is over the limit leaves, at most maxEvictions': async (
    context,
  ) => {
    const scene = await openScene(context, { maxEvictions: 3 });
    await scene.fill({ a: parked(1), b: parked(2), c: parked(3), d: parked(4), e: parked(9) });
    await scene.store.setLimits({ maxParked: 2 });
    await scene.refuses('new', parked(8), tooMany);
    await scene.store.setLimits({ maxParked: 3 });
    await scene.refuses('new', parked(3), tooMany);
    assert.equal(await kindOf(scene, 'new', parked(8)), 'received');
    assert.deepEqual(await scene.parked(), ['d', 'e', 'new']);
  },
  'P22/together: those that leave parking and those that leave the pool are at most maxEvictions': async (context) => {
    const scene = await openScene(context, { maxParked: 2, maxBytes: 100, maxEvictions: 2 });
    await scene.fill({ a: { ...parked(1), bytes: 20 }, b: { ...parked(2), bytes: 40 }, c: { bytes: 40 } });
    await scene.refuses('new', { ...parked(3), bytes: 61 }, { kind: 'full', floor: { kind: 'open' } });
    assert.equal(await kindOf(scene, 'new', { ...parked(3), bytes: 60 }), 'received');
    assert.deepEqual(await scene.order(), ['c', 'new']);
  },
  'P22/never-evicts: a pool that evicts nothing refuses one more parked one': async (context) => {
    const scene = await openScene(context, { maxParked: 1, eviction: 'none' });
    await scene.fill({ a: parked(1) });
    await scene.refuses('new', parked(9), tooMany);
  },
  'P22/replacement-counts: a parked one that replaces another takes its place, and needs room like any other': async (
    context,
  ) => {
    const scene = await openScene(context, { maxParked: 2 });
    await scene.fill({ a: parked(5), old: { ...parked(1), provides: ['x'] } });
    assert.equal(await kindOf(scene, 'new', { ...parked(2), provides: ['x'] }), 'received');
    assert.deepEqual(await scene.parked(), ['a', 'new']);
    await scene.store.setLimits({ maxParked: 1 });
    await scene.refuses('dear', { ...parked(3), provides: ['x'] }, tooMany);
    assert.equal(await kindOf(scene, 'dear', { ...parked(9), provides: ['x'] }), 'received');
    assert.deepEqual(await scene.parked(), ['dear']);
  },
  'P22/swept: a sweep over the limits drops the worst parked ones, a plain one none': async (context) => {
    const scene = await openScene(context);
    await scene.fill({ ready: { priority: -1n }, a1: parked(5, 'a'), b1: parked(4, 'b'), c1: parked(5, 'c') });
    await scene.fill({ a2: parked(5, 'a'), c2: parked(6, 'c'), a3: parked(5, 'a') });
    await scene.store.setLimits({ maxParked: 3 });
    await scene.unchanged(async () => assert.deepEqual((await scene.store.sweep()).evicted, []));
    const { evicted, more } = await scene.store.sweep({ overLimits: true });
    assert.deepEqual([scene.names(evicted), more], [['b1', 'a3', 'a2'], false]);
    assert.deepEqual([await scene.order(), await scene.reasons('a3')], [['ready', 'c2', 'a1', 'c1'], ['evicted']]);
  },
  'P22/flood: a flood of parked ones keeps no other sender out, and no ready one': async (context) => {
    const scene = await openScene(context, { maxParked: 12, maxPerSender: 4 });
    for (let i = 0; i < 40; i++) await scene.add(`s${i}`, { ...account(`spam${i % 5}`, 9 + i), priority: 3n });
    await scene.fill({ h2: { ...account('honest', 2), priority: 3n }, h1: { ...account('honest', 1), priority: 3n } });
    await scene.fill({ h0: { ...account('honest', 0), priority: 3n } });
    assert.deepEqual([await scene.ready(), (await scene.load()).parked], [['h0', 'h1', 'h2'], 10]);
  },
});

async function expired(scene: Scene, afterMs: number): Promise<string[]> {
  scene.clock.nowMs += afterMs;
  return scene.names((await scene.store.sweep()).expired);
}

const ageCases = eachRanked({
  'P22/expired: a sweep drops what was parked for longer than parkedTtlMs, and nothing that is ready': async (
    context,
  ) => {
    const scene = await openScene(context, { parkedTtlMs: 500 });
    await scene.fill({ ready: {}, old: parked(5) });
    assert.deepEqual(await expired(scene, 300), []);
    await scene.fill({ young: parked(1) });
    assert.deepEqual(await expired(scene, 200), []);
    assert.deepEqual(await expired(scene, 1), ['old']);
    assert.deepEqual([await scene.order(), await scene.reasons('old')], [['ready', 'young'], ['expired']]);
  },
  'P22/parked-again: the time counts from when it was parked last': async (context) => {
    const scene = await openScene(context, { parkedTtlMs: 500 });
    await scene.fill({ child: { requires: ['p'] }, parent: { provides: ['p'] } });
    assert.deepEqual(await expired(scene, 700), []);
    await scene.drop('parent');
    assert.equal((await scene.entry('child')).parkedAt, scene.clock.nowMs);
    assert.deepEqual(await expired(scene, 500), []);
    await scene.fill({ again: { provides: ['p'] } });
    assert.equal((await scene.entry('child')).parkedAt, null);
    await expired(scene, 300);
    await scene.drop('again');
    assert.deepEqual(await expired(scene, 500), []);
    assert.deepEqual(await expired(scene, 1), ['child']);
  },
  'P22/parked-by-the-chain: one that the chain returns without its parent is parked from then on': async (context) => {
    const scene = await openScene(context, { parkedTtlMs: 500 });
    await scene.block(1, { seen: ['child'], provides: ['p'] });
    await scene.add('child', { requires: ['p'] });
    scene.clock.nowMs += 900;
    await scene.store.rollback('origin');
    assert.deepEqual([await scene.parked(), await expired(scene, 500)], [['child'], []]);
    assert.deepEqual(await expired(scene, 1), ['child']);
  },
  'P22/parked-by-a-sweep: what loses its parent in a sweep waits from then on': async (context) => {
    const scene = await openScene(context, { parkedTtlMs: 500 });
    await scene.fill({ parent: { provides: ['p'] }, child: { requires: ['p'] } });
    await scene.mark('parent');
    assert.deepEqual(await expired(scene, 86_400_001), ['parent']);
    assert.deepEqual([await scene.parked(), await expired(scene, 500)], [['child'], []]);
    assert.deepEqual(await expired(scene, 1), ['child']);
  },
  'P22/returned-by-a-sweep: what comes back from its claim without its parent waits from then on': async (context) => {
    const scene = await openScene(context, { parkedTtlMs: 500 });
    await scene.fill({ parent: { provides: ['p'] }, child: { requires: ['p'] } });
    await scene.store.take({}, { owner: 'one', claimMs: 1_000 });
    await scene.drop('parent');
    assert.deepEqual(await expired(scene, 1_001), []);
    assert.deepEqual([await scene.parked(), await expired(scene, 500)], [['child'], []]);
    assert.deepEqual(await expired(scene, 1), ['child']);
  },
  'P22/woken-parked: what is woken without its parent waits from then on': async (context) => {
    const scene = await openScene(context, { parkedTtlMs: 500 });
    await scene.fill({ parent: { provides: ['p'] }, child: { requires: ['p'] } });
    await scene.mark('parent', 'child');
    await scene.store.release(scene.hashes(['child']), { notBeforeMs: scene.clock.nowMs + 2_000 });
    await scene.drop('parent');
    assert.deepEqual(await expired(scene, 2_000), []);
    assert.deepEqual([await scene.parked(), await expired(scene, 500)], [['child'], []]);
    assert.deepEqual(await expired(scene, 1), ['child']);
  },
  'P22/held-stays: what is held back waits for its time, however long': async (context) => {
    const scene = await openScene(context, { parkedTtlMs: 500 });
    await scene.fill({ held: {} });
    await scene.mark('held');
    await scene.store.release(scene.hashes(['held']), { notBeforeMs: scene.clock.nowMs + 2_000 });
    assert.deepEqual(await expired(scene, 1_999), []);
    await expired(scene, 1);
    assert.deepEqual(await scene.ready(), ['held']);
  },
  'P22/for-ever: with parkedTtlMs Infinity nothing parked expires': async (context) => {
    const scene = await openScene(context, { parkedTtlMs: Number.POSITIVE_INFINITY });
    await scene.fill({ a: parked(5) });
    assert.deepEqual(await expired(scene, 1e10), []);
  },
});

/** P22. */
export const parkingRoomCases: readonly ConformanceCase[] = [...roomCases, ...ageCases];
