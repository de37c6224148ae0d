import assert from 'node:assert/strict';
import { isMempoolError, type StoreEvent } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { eachRanked } from '../../case/must.ts';
import { point } from '../../scenario/pool.ts';
import { type Draft, eachOnPriorityPool, openScene, type Scene } from '../../scenario/priority.ts';

const nonce: Draft = { provides: ['n'] };
const claim = { owner: 'w', claimMs: 1_000, operationId: 'claim' } as const;

const priced = (priority: number, more: Draft = nonce): Draft => ({ priority: BigInt(priority), ...more });

/** `old`, of priority 100 by default, is taken under a replaceable claim. */
async function takeOld(scene: Scene, draft: Draft = priced(100)): Promise<void> {
  await scene.fill({ old: draft });
  const { transactions } = await scene.store.take({}, { ...claim, replaceable: true });
  assert.ok(scene.names(transactions).includes('old'));
}

/** `old` is in flight, and `next` waits behind it. */
async function waiting(scene: Scene): Promise<void> {
  await takeOld(scene);
  assert.deepEqual(await scene.add('next', priced(110)), {
    kind: 'received',
    hash: scene.hash('next'),
    seq: await scene.seq('next'),
    stage: 'Pending',
    parked: true,
  });
}

async function told(scene: Scene, run: () => Promise<unknown>): Promise<string[]> {
  const words = (event: StoreEvent): string => {
    if (event.kind === 'block') return event.action;
    const [name] = scene.names([event]);
    if (event.kind !== 'transaction') return `${name} ${event.kind === 'parked' ? event.reason : 'ready'}`;
    const by = event.replacedBy === undefined ? '' : ` by ${scene.names([event.replacedBy])}`;
    return `${name} ${event.stage}, ${event.cause}${by}`;
  };
  return (await scene.eventsOf(run)).map(words);
}

/** What stands in the order, and what became of `old` and `next`. */
async function seen(scene: Scene): Promise<unknown[]> {
  return [await scene.ready(), ...(await scene.stages('old', 'next')), ...(await scene.reasons('old', 'next'))];
}

const gaveWay = [['next'], 'Dropped', 'Pending', 'replaced', null];

const onePool = eachOnPriorityPool({
  'P33/waits: a newcomer that pays enough waits parked behind one that was taken as replaceable': async (scene) => {
    await takeOld(scene);
    assert.deepEqual(await told(scene, () => scene.add('next', priced(110))), [
      'next Pending, received',
      'next behind-claim',
    ]);
    assert.deepEqual([await scene.stages('old', 'next'), await scene.parked()], [['Propagated', 'Pending'], ['next']]);
    const { transactions } = await scene.store.take({}, { owner: 'v', claimMs: 9 });
    assert.deepEqual([transactions, await scene.store.reap(), await scene.store.best()], [[], [], []]);
    assert.deepEqual([await scene.mark('next'), await scene.gossip()], [[], ['old']]);
  },
  'P33/price: it must pay as much as to replace one that waits in the pool': async (scene) => {
    await takeOld(scene);
    await scene.refuses('next', priced(109), { kind: 'replacement-underpriced', required: 110n });
    await scene.fill({ next: priced(110) });
  },
  'P33/not-asked: nothing waits behind a claim that does not allow it, or what was marked or acknowledged': async (
    scene,
  ) => {
    await scene.fill({ a: priced(9, { provides: ['a'] }), b: priced(8, { provides: ['b'] }) });
    await scene.store.take({ maxTxs: 1 }, { ...claim, operationId: 'another', replaceable: false });
    await scene.mark('b');
    await takeOld(scene);
    await scene.acknowledge('old');
    for (const [name, tag] of Object.entries({ a: 'a', b: 'b', old: 'n' }))
      await scene.refuses('next', priced(999, { provides: [tag] }), { kind: 'conflict', with: scene.hash(name) });
  },
  'P33/released: one that is released is replaced in the same step, and is named as released': async (scene) => {
    await waiting(scene);
    const options = { notBeforeMs: scene.clock.nowMs + 5_000, claim: 'claim' };
    const events = await told(scene, async () => {
      assert.deepEqual(await scene.store.release([scene.hash('old')], options), [scene.hash('old')]);
    });
    assert.deepEqual(events, ['old Dropped, replaced by next', 'next ready']);
    assert.deepEqual(await seen(scene), gaveWay);
    assert.deepEqual(await scene.gossip(), ['next']);
  },
  'P33/lease-end: while no sweep has ended the claim one may come; the sweep replaces': async (scene) => {
    await takeOld(scene);
    scene.clock.nowMs += 1_001;
    await scene.fill({ next: priced(110) });
    const events = await told(scene, async () => {
      assert.deepEqual((await scene.store.sweep()).returned, [scene.hash('old')]);
    });
    assert.deepEqual([events, await seen(scene)], [['old Dropped, replaced by next', 'next ready'], gaveWay]);
  },
  'P33/unseen: one that a block returns is replaced': async (scene) => {
    await waiting(scene);
    await scene.block(1, { unseen: ['old'] });
    assert.deepEqual(await seen(scene), gaveWay);
  },
  'P33/extended: an extended claim stays replaceable': async (scene) => {
    await takeOld(scene);
    await scene.store.extendClaim('claim', 5_000);
    await scene.fill({ next: priced(110) });
    assert.deepEqual(await scene.parked(), ['next']);
  },
  'P33/dropped: one that is dropped leaves its place to the one behind it': async (scene) => {
    await waiting(scene);
    assert.deepEqual(await told(scene, () => scene.drop('old')), ['old Dropped, failed', 'next ready']);
    assert.deepEqual(await seen(scene), [['next'], 'Dropped', 'Pending', 'failed', null]);
  },
  'P33/acknowledged: what waits stays behind one that was acknowledged, and nothing more comes': async (scene) => {
    await waiting(scene);
    await scene.acknowledge('old');
    await scene.refuses('more', priced(999), { kind: 'conflict', with: scene.hash('old') });
    assert.deepEqual(await scene.parked(), ['next']);
    await scene.release('old');
    assert.deepEqual(await seen(scene), gaveWay);
  },
  'P33/confirmed: a block that carries the one in flight drops the one behind it, for good': async (scene) => {
    await waiting(scene);
    await scene.block(1);
    await scene.block(2, { seen: ['old'] });
    assert.deepEqual(await seen(scene), [[], 'Confirmed', 'Dropped', null, 'conflict']);
    await scene.store.rollback(point(1));
    assert.deepEqual(await seen(scene), [['old'], 'Pending', 'Dropped', null, 'conflict']);
  },
  'P33/carried: a block that carries the one behind drops the one in flight': async (scene) => {
    await waiting(scene);
    await scene.block(1, { seen: ['next'] });
    assert.deepEqual(await seen(scene), [[], 'Dropped', 'Confirmed', 'conflict', null]);
  },
  'P33/withdrawn: a rollback that withdraws a tag drops neither of the two': async (scene) => {
    await scene.block(1);
    await scene.block(2, { provides: ['t'] });
    await takeOld(scene, priced(100, { ...nonce, requires: ['t'] }));
    await scene.fill({ next: priced(110, { ...nonce, requires: ['t'] }) });
    await scene.store.rollback(point(1));
    assert.deepEqual(await scene.stages('old', 'next'), ['Propagated', 'Pending']);
  },
  'P33/second: a better one replaces the one that waits, by the usual price': async (scene) => {
    await waiting(scene);
    await scene.refuses('more', priced(120), { kind: 'replacement-underpriced', required: 121n });
    await scene.fill({ more: priced(121) });
    assert.deepEqual([await scene.reasons('next'), await scene.parked()], [['replaced'], ['more']]);
    await scene.release('old');
    assert.deepEqual([await scene.ready(), await scene.reasons('old')], [['more'], ['replaced']]);
  },
  'P33/children: what requires the tag stays ready, and is the child of the one that takes the place': async (
    scene,
  ) => {
    await waiting(scene);
    await scene.fill({ child: { requires: ['n'], priority: 500n } });
    assert.deepEqual([await scene.ready(), (await scene.place('child'))?.depth], [['child'], 0]);
    assert.equal((await scene.store.byTag('n')).provider?.hash, scene.hash('old'));
    await scene.release('old');
    assert.deepEqual([await scene.ready(), (await scene.place('child'))?.depth], [['next', 'child'], 1]);
  },
  'P33/behind-parks: what requires a tag of one that waits is parked with it': async (scene) => {
    await takeOld(scene);
    await scene.fill({ next: priced(110, { provides: ['n', 'm'] }), child: { requires: ['m'] } });
    assert.deepEqual(await scene.parked(), ['next', 'child']);
    await scene.drop('old');
    assert.deepEqual(await scene.ready(), ['next', 'child']);
  },
  'P33/repeated: an operation id is bound to it, too': async (scene) => {
    await takeOld(scene);
    const again = await scene.store.take({}, { ...claim, replaceable: true });
    assert.deepEqual(scene.names(again.transactions), ['old']);
    await assert.rejects(scene.store.take({}, claim), (error) => isMempoolError(error, 'ERR_MEMPOOL_INVALID'));
  },
});

const limitCases = eachRanked({
  'P33/sender: one that only waits needs room for its sender': async (context) => {
    const scene = await openScene(context, { maxPerSender: 1 });
    await takeOld(scene, priced(100, { ...nonce, sender: 's' }));
    await scene.refuses('next', priced(110, { ...nonce, sender: 's' }), { kind: 'sender-limit', limit: 1 });
    await scene.fill({ next: priced(110, { ...nonce, sender: 'other' }) });
  },
  'P33/parked: one that only waits needs room among the parked ones, one that replaces it does not': async (
    context,
  ) => {
    const scene = await openScene(context, { maxParked: 1, eviction: 'none' });
    await takeOld(scene);
    await scene.fill({ far: { requires: ['x'] } });
    await scene.refuses('next', priced(110), { kind: 'limit', limit: 'maxParked' });
    await scene.drop('far');
    await scene.fill({ next: priced(110), more: priced(121) });
    assert.equal((await scene.load()).parked, 1);
  },
  'P33/full: it counts in the limits of the pool, and is evicted like a parked one': async (context) => {
    const scene = await openScene(context, { maxTxs: 2 });
    await waiting(scene);
    await scene.refuses('parked', { requires: ['x'] }, { kind: 'full', floor: { kind: 'open' } });
    await scene.fill({ ready: {} });
    assert.deepEqual([await scene.reasons('next'), await scene.stages('old')], [['evicted'], ['Propagated']]);
    await scene.release('old');
    assert.deepEqual(await scene.ready(), ['old', 'ready']);
  },
  'P33/expires: it expires as parked ones do': async (context) => {
    const scene = await openScene(context, { parkedTtlMs: 500 });
    await waiting(scene);
    scene.clock.nowMs += 501;
    await scene.store.sweep();
    assert.deepEqual([await scene.reasons('next'), await scene.stages('old')], [['expired'], ['Propagated']]);
  },
});

/** P33. */
export const replaceableCases: readonly ConformanceCase[] = [...onePool, ...limitCases];
