import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { eachRanked } from '../../case/must.ts';
import { atLeast, type Draft, openScene, type Scene } from '../../scenario/priority.ts';

const own = (priority: number, more: Draft = {}): Draft => ({ priority: BigInt(priority), protected: true, ...more });
const other = (priority: number, more: Draft = {}): Draft => ({ priority: BigInt(priority), ...more });
const tooMany = { kind: 'limit', limit: 'maxProtected' } as const;

async function kindOf(scene: Scene, name: string, draft: Draft): Promise<string> {
  return (await scene.add(name, draft)).kind;
}

/** How many are protected, ready and parked. */
async function counts(scene: Scene): Promise<readonly number[]> {
  const load = await scene.load();
  return [load.protected, load.ready, load.parked];
}

const leavingCases = eachRanked({
  'P28/stays: a protected one is not evicted; the worst of the others leaves, and the floor tells of that one': async (
    context,
  ) => {
    const scene = await openScene(context, { maxTxs: 3 });
    await scene.fill({ own: own(1), low: other(3), high: other(9) });
    assert.deepEqual((await scene.load()).floor, atLeast(4n));
    assert.equal(await kindOf(scene, 'new', other(5)), 'received');
    assert.deepEqual([await scene.order(), await scene.reasons('low')], [['high', 'new', 'own'], ['evicted']]);
    await scene.refuses('poor', other(4), { kind: 'full', floor: atLeast(6n) });
  },
  'P28/stays-over-limits: a sweep of what is over the limits passes over protected ones': async (context) => {
    const scene = await openScene(context);
    await scene.fill({ own: own(1), low: other(3), waits: own(2, { requires: ['m'] }), high: other(9) });
    await scene.store.setLimits({ maxTxs: 1, maxParked: 0 });
    const { evicted, more } = await scene.store.sweep({ overLimits: true });
    assert.deepEqual([scene.names(evicted), more], [['low', 'high'], false]);
    assert.deepEqual([await scene.ready(), await scene.parked()], [['own'], ['waits']]);
  },
  'P28/needs-no-room: a parked one that is protected counts not for maxParked and leaves for nobody': async (
    context,
  ) => {
    const scene = await openScene(context, { maxParked: 1 });
    const requires = ['m'];
    await scene.fill({ one: own(1, { requires }), first: other(5, { requires }), two: own(1, { requires }) });
    assert.equal(await kindOf(scene, 'second', other(6, { requires })), 'received');
    assert.deepEqual([await scene.parked(), await scene.reasons('first')], [['one', 'two', 'second'], ['evicted']]);
  },
  'P28/what-it-requires: what it requires is not protected; without that it is parked': async (context) => {
    const scene = await openScene(context, { maxTxs: 2 });
    await scene.fill({ parent: other(1, { provides: ['p'] }), child: own(9, { requires: ['p'] }) });
    const events = await scene.eventsOf(async () => {
      assert.equal(await kindOf(scene, 'new', other(5)), 'received');
    });
    assert.deepEqual(
      events.map(({ kind }) => kind),
      ['transaction', 'transaction', 'parked'],
    );
    assert.deepEqual([await scene.order(), await scene.reasons('parent')], [['new', 'child'], ['evicted']]);
  },
  'P28/full-of-them: a pool that has only protected ones admits no other': async (context) => {
    const scene = await openScene(context, { maxTxs: 2 });
    await scene.fill({ a: own(1), b: own(2) });
    await scene.refuses('new', other(9), { kind: 'full', floor: { kind: 'closed' } });
    await scene.refuses('third', own(9), { kind: 'full', floor: { kind: 'closed' } });
  },
});

const comingCases = eachRanked({
  'P28/makes-room: in a full pool a protected newcomer evicts the last of the others, whatever it pays': async (
    context,
  ) => {
    const scene = await openScene(context, { maxTxs: 3 });
    await scene.fill({ own: own(1), low: other(3), high: other(9) });
    assert.equal(await kindOf(scene, 'new', own(0)), 'received');
    assert.deepEqual([await scene.order(), await scene.reasons('low')], [['high', 'own', 'new'], ['evicted']]);
    assert.equal(await kindOf(scene, 'waits', own(0, { requires: ['m'] })), 'received');
    assert.deepEqual([await scene.order(), await scene.reasons('high')], [['own', 'new', 'waits'], ['evicted']]);
  },
  'P28/makes-little-room: it evicts at most maxEvictions, and none without eviction': async (context) => {
    const scene = await openScene(context, { maxBytes: 60, maxEvictions: 1 });
    await scene.fill({ a: other(1), b: other(2), c: other(3) });
    await scene.refuses('large', own(9, { bytes: 40 }), { kind: 'full', floor: atLeast(2n) });
    await scene.store.setLimits({ maxEvictions: 9, eviction: 'none' });
    await scene.refuses('small', own(9), { kind: 'full', floor: { kind: 'closed' } });
  },
  'P28/per-sender: it is exempt from maxPerSender, but not from the limit of its own verdict': async (context) => {
    const scene = await openScene(context, { maxPerSender: 2 });
    await scene.fill({ a: own(1, { sender: 's' }), b: own(1, { sender: 's' }), c: own(1, { sender: 's' }) });
    await scene.refuses('d', other(1, { sender: 's' }), { kind: 'sender-limit', limit: 2 });
    await scene.refuses('e', own(1, { sender: 's', senderLimit: 3 }), { kind: 'sender-limit', limit: 3 });
  },
  'P28/parked-without-room: a protected newcomer needs no room for parked ones': async (context) => {
    const scene = await openScene(context, { maxParked: 1, eviction: 'none' });
    await scene.fill({ a: other(9, { requires: ['m'] }), b: own(1, { requires: ['m'] }) });
    assert.deepEqual(
      [await scene.parked(), await counts(scene)],
      [
        ['a', 'b'],
        [1, 0, 2],
      ],
    );
  },
});

const countingCases = eachRanked({
  'P28/too-many: over maxProtected a protected newcomer is refused, and without protection it comes in': async (
    context,
  ) => {
    const scene = await openScene(context, { maxProtected: 2 });
    await scene.fill({ a: own(1), b: own(1), c: other(1) });
    await scene.refuses('d', own(9), tooMany);
    assert.equal(await kindOf(scene, 'd', other(9)), 'received');
    await scene.store.setLimits({ maxProtected: 1 });
    assert.deepEqual(await counts(scene), [2, 4, 0]);
    await scene.drop('a');
    await scene.refuses('e', own(9), tooMany);
    await scene.drop('b');
    assert.equal(await kindOf(scene, 'e', own(9)), 'received');
  },
  'P28/counted: usage counts those that are Pending or in flight, not those in a block': async (context) => {
    const scene = await openScene(context, { maxProtected: 3 });
    await scene.fill({ a: own(1), b: own(1), c: own(1, { requires: ['m'] }), d: other(1) });
    await scene.mark('a');
    assert.deepEqual(await counts(scene), [3, 2, 1]);
    await scene.refuses('e', own(1), tooMany);
    await scene.block(1, { seen: ['a'] });
    assert.deepEqual(await counts(scene), [2, 2, 1]);
    assert.equal(await kindOf(scene, 'e', own(1)), 'received');
    // What the chain returns is protected as before, also over the limit.
    await scene.store.rollback('origin');
    assert.deepEqual(await counts(scene), [4, 4, 1]);
  },
  'P28/replaced: it is replaced as any other, and its place among the protected is free for that': async (context) => {
    const scene = await openScene(context, { maxProtected: 1 });
    const provides = ['n'];
    await scene.fill({ first: own(100, { provides }) });
    await scene.refuses('low', own(109, { provides }), { kind: 'replacement-underpriced', required: 110n });
    assert.equal(await kindOf(scene, 'second', own(110, { provides })), 'received');
    assert.deepEqual([await scene.reasons('first'), await counts(scene)], [['replaced'], [1, 1, 0]]);
    assert.equal(await kindOf(scene, 'third', other(200, { provides })), 'received');
    assert.deepEqual(await counts(scene), [0, 1, 0]);
  },
  'P28/revised: a new verdict protects, within the limit, or ends the protection': async (context) => {
    const scene = await openScene(context, { maxProtected: 1, maxTxs: 2 });
    await scene.fill({ a: own(1), b: other(2) });
    const revise = async (name: string, version: number, answer: Draft): Promise<unknown> =>
      (await scene.store.revise([{ hash: scene.hash(name), version, answer }]))[0];
    assert.deepEqual(await revise('b', 1, own(2)), { ...tooMany, hash: scene.hash('b') });
    assert.deepEqual(await revise('a', 1, own(3)), { kind: 'revised', hash: scene.hash('a'), version: 2 });
    assert.deepEqual(await revise('a', 2, other(1)), { kind: 'revised', hash: scene.hash('a'), version: 3 });
    assert.deepEqual(await revise('b', 1, own(2)), { kind: 'revised', hash: scene.hash('b'), version: 2 });
    assert.equal(await kindOf(scene, 'new', other(5)), 'received');
    assert.deepEqual(
      [await scene.order(), await counts(scene)],
      [
        ['new', 'b'],
        [1, 2, 0],
      ],
    );
  },
  'P28/revised-parked: a parked one loses its protection only where there is room for it': async (context) => {
    const scene = await openScene(context, { maxParked: 1 });
    const requires = ['m'];
    await scene.fill({ a: own(9, { requires }), b: other(1, { requires }) });
    const [hash] = scene.hashes(['a']) as [string];
    const revise = () => scene.store.revise([{ hash, version: 1, answer: other(9, { requires }) }]);
    assert.deepEqual(await revise(), [{ kind: 'limit', hash, limit: 'maxParked' }]);
    await scene.drop('b');
    assert.deepEqual(await revise(), [{ kind: 'revised', hash, version: 2 }]);
  },
});

const endingCases = eachRanked({
  'P28/expires: it expires and is flushed as any other': async (context) => {
    const scene = await openScene(context, { ttlMs: 100, parkedTtlMs: 50 });
    await scene.fill({ old: own(1), waits: own(1, { requires: ['m'] }) });
    scene.clock.nowMs += 51;
    assert.deepEqual(scene.names((await scene.store.sweep()).expired), ['waits']);
    scene.clock.nowMs += 50;
    assert.deepEqual(scene.names((await scene.store.sweep()).expired), ['old']);
    await scene.fill({ new: own(1) });
    assert.deepEqual([await scene.store.flush(), await scene.reasons('new')], [1, ['flushed']]);
  },
});

/** P28. */
export const protectionCases: readonly ConformanceCase[] = [
  ...leavingCases,
  ...comingCases,
  ...countingCases,
  ...endingCases,
];
