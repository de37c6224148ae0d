import assert from 'node:assert/strict';
import type { DropReason } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { eachRanked } from '../../case/must.ts';
import { account, eachOnPriorityPool, openScene } from '../../scenario/priority.ts';

const reason: DropReason = { app: 'a key was stolen' };

const onePool = eachOnPriorityPool({
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
