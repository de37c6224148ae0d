import assert from 'node:assert/strict';
import type { DropReason } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { eachRanked } from '../../case/must.ts';
import { gist } from '../../scenario/pool.ts';
import { account, eachOnPriorityPool, openScene, type Scene } from '../../scenario/priority.ts';

async function namesOf(scene: Scene, sender: string): Promise<string[]> {
  return scene.names((await scene.store.bySender(sender)).transactions);
}

const reason: DropReason = { app: 'a key was stolen' };

const onePool = eachOnPriorityPool({
  'P23/by-sender: what a sender has comes in flight first, then ready, then parked, with its gaps': async (scene) => {
    await scene.fill({ five: account('s', 5), zero: { ...account('s', 0), priority: 2n, gas: 3 } });
    await scene.fill({ one: account('s', 1), two: account('s', 2), other: account('t', 0) });
    await scene.fill({ lone: { sender: 's', priority: 9n, bytes: 7 } });
    await scene.mark('zero');
    const { transactions, missing, next } = await scene.store.bySender('s');
    assert.deepEqual(
      [scene.names(transactions), missing, next],
      [['zero', 'lone', 'one', 'two', 'five'], ['s:4'], null],
    );
    assert.deepEqual(
      transactions.map(({ stage, parked }) => [stage, parked]),
      [
        ['Propagated', false],
        ['Pending', false],
        ['Pending', false],
        ['Pending', false],
        ['Pending', true],
      ],
    );
    const [zero, lone] = transactions.map(
      ({ key: _, hash: __, seq: ___, stage: ____, parked: _____, ...rest }) => rest,
    );
    const plain = { gas: 0, priority: 0n, sender: 's', provides: [], requires: [], bytes: 20 };
    assert.deepEqual(zero, { ...plain, gas: 3, priority: 2n, provides: ['s:0'] });
    assert.deepEqual(lone, { ...plain, priority: 9n, bytes: 7 });
  },
  'P23/by-sender-pages: pages follow each other, also if what a page ended with has left': async (scene) => {
    for (let nonce = 0; nonce < 5; nonce++) await scene.fill({ [`n${nonce}`]: account('s', nonce) });
    await scene.mark('n0', 'n1');
    const first = await scene.store.bySender('s', { limit: 1 });
    const second = await scene.store.bySender('s', { limit: 2, after: first.next ?? '' });
    assert.deepEqual(
      [first, second].map((page) => scene.names(page.transactions)),
      [['n0'], ['n1', 'n2']],
    );
    await scene.drop('n2');
    const third = await scene.store.bySender('s', { limit: 2, after: second.next ?? '' });
    assert.deepEqual([scene.names(third.transactions), third.next, third.missing], [['n3', 'n4'], null, ['s:2']]);
    assert.deepEqual((await scene.store.bySender('s', { limit: 1 })).missing, ['s:2']);
  },
  'P23/by-tag: who provides a tag and who requires it, in whatever stage, by seq': async (scene) => {
    const none = { satisfied: false, provider: null, dependents: [], more: false };
    assert.deepEqual(await scene.store.byTag('t'), none);
    await scene.fill({ c: { priority: 9n, requires: ['t'] }, a: { priority: 1n, requires: ['t', 'm'] } });
    await scene.fill({ p: { provides: ['t', 'u'], sender: 's' }, d: { requires: ['t'] }, e: { requires: ['t'] } });
    await scene.mark('p', 'd');
    await scene.drop('e');
    const { satisfied, provider, dependents, more } = await scene.store.byTag('t');
    assert.deepEqual(
      [satisfied, provider?.hash, provider?.stage, provider?.sender],
      [false, scene.hash('p'), 'Propagated', 's'],
    );
    assert.deepEqual([scene.names(dependents), more], [['c', 'a', 'd'], false]);
    assert.deepEqual(
      dependents.map(({ stage, parked, requires }) => [stage, parked, requires.length]),
      [
        ['Pending', false, 1],
        ['Pending', true, 2],
        ['Propagated', false, 1],
      ],
    );
    const first = await scene.store.byTag('t', { limit: 2 });
    assert.deepEqual([scene.names(first.dependents), first.more], [['c', 'a'], true]);
    assert.deepEqual((await scene.store.byTag('u')).provider?.provides, ['t', 'u']);
  },
  'P23/drop: what a sender has is dropped for the reason given, but for what is Confirmed': async (scene) => {
    await scene.fill({ a: account('s', 0), b: account('s', 1), c: account('s', 2), d: account('s', 9) });
    await scene.fill({ child: { sender: 't', requires: ['s:2'] }, other: { sender: 't' } });
    await scene.mark('a', 'b');
    await scene.block(1, { seen: ['a'] });
    const events = await scene.eventsOf(async () => {
      const { dropped, more } = await scene.store.dropBySender('s', reason);
      assert.deepEqual([scene.names(dropped), more], [['b', 'c', 'd'], false]);
    });
    assert.deepEqual(events.map(gist), [
      ...scene.hashes(['b', 'c', 'd']).map((hash) => `Dropped ${hash}`),
      `parked ${scene.hash('child')}`,
    ]);
    assert.deepEqual(await scene.reasons('b', 'c', 'd'), [reason, reason, reason]);
    assert.deepEqual(await scene.stages('a', 'child', 'other'), ['Confirmed', 'Pending', 'Pending']);
    assert.deepEqual([await scene.parked(), await namesOf(scene, 's')], [['child'], ['a']]);
  },
  'P23/drop-repeated: a drop of a sender that is repeated by its operation id drops nothing more': async (scene) => {
    await scene.fill({ a: { sender: 's' } });
    const first = await scene.store.dropBySender('s', reason, { operationId: 'once' });
    await scene.fill({ b: { sender: 's' } });
    await scene.unchanged(async () => {
      assert.deepEqual(await scene.store.dropBySender('s', reason, { operationId: 'once' }), first);
    });
    assert.deepEqual(scene.names(first.dropped), ['a']);
    const call = { operationId: 'once' };
    await assert.rejects(scene.store.dropBySender('t', reason, call), { code: 'ERR_MEMPOOL_INVALID' });
    await assert.rejects(scene.store.dropBySender('s', 'failed', call), { code: 'ERR_MEMPOOL_INVALID' });
  },
  'P23/wrong: a sender, tag or key that is none is refused': async (scene) => {
    const { store } = scene;
    const wrong: readonly (readonly [field: string, call: () => Promise<unknown>])[] = [
      ['sender', () => store.bySender('')],
      ['sender', () => store.dropBySender('x'.repeat(257), reason)],
      ['after', () => store.bySender('s', { after: 'n1' })],
      ['tag', () => store.byTag('')],
      ['reason', () => store.dropBySender('s', 'evil' as DropReason)],
    ];
    for (const [field, call] of wrong)
      await assert.rejects(call, (error: { code?: string; details?: { field?: string } }) => {
        assert.deepEqual([error.code, error.details?.field], ['ERR_MEMPOOL_INVALID', field]);
        return true;
      });
  },
});

const ownPools = eachRanked({
  'P23/drop-many: one call drops at most a thousand of a sender, the first ones first': async (context) => {
    const scene = await openScene(context, { maxPerSender: 2_000 });
    for (let part = 0; part < 2; part++)
      await scene.addAll(
        Object.fromEntries(Array.from({ length: 501 }, (_, i) => [`t${part * 501 + i}`, { sender: 's' }])),
      );
    const { dropped, more } = await scene.store.dropBySender('s', reason);
    assert.deepEqual([dropped.length, scene.names(dropped)[0], more], [1_000, 't0', true]);
    const rest = await scene.store.dropBySender('s', reason);
    assert.deepEqual([scene.names(rest.dropped), rest.more], [['t1000', 't1001'], false]);
  },
});

/** P23. */
export const lookupCases: readonly ConformanceCase[] = [...onePool, ...ownPools];
