import assert from 'node:assert/strict';
import { type AnyStore, isMempoolError } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { eachRanked } from '../../case/must.ts';
import { startMs } from '../../scenario/on-pool.ts';
import { kindsOf } from '../../scenario/pool.ts';
import { account, eachOnPriorityPool, ladder, openScene, type Scene, type Verdict } from '../../scenario/priority.ts';
import { rejection } from '../../scenario/verb-call.ts';

type Outcome = Awaited<ReturnType<AnyStore['revise']>>[number];
type Answer = Parameters<AnyStore['revise']>[0][number]['answer'];

const refusal: Answer = { code: 7, log: 'spent', penalize: false };

async function revise(scene: Scene, name: string, version: number, answer: Answer, height = 0): Promise<Outcome> {
  const [outcome] = await scene.store.revise([{ hash: scene.hash(name), version, answer }], { height });
  return outcome ?? assert.fail('no outcome');
}

async function staleNames(scene: Scene, height: number, limit = 100): Promise<string[]> {
  return scene.names(await scene.store.stale({ height, limit }));
}

const onePool = eachOnPriorityPool({
  'P11/stale: transactions checked below a height are stale, the longest unchecked first': async (scene) => {
    await scene.add('a', {}, { height: 5 });
    await scene.add('b', { requires: ['missing'] }, { height: 3 });
    await scene.add('c', {}, { height: 5 });
    await scene.add('d', {}, { height: 9 });
    assert.deepEqual(await staleNames(scene, 9), ['b', 'a', 'c']);
    assert.deepEqual([await staleNames(scene, 9, 2), await staleNames(scene, 3)], [['b', 'a'], []]);
    const [first] = await scene.store.stale({ height: 9 });
    assert.deepEqual(first, { hash: scene.hash('b'), seq: 2, version: 1, checkedHeight: 3 });
  },
  'P11/revised: a new verdict changes priority, gas, needs, expiry and limit, and counts': async (scene) => {
    await scene.add('a', { priority: 1n, sender: 's', provides: ['x'] }, { height: 2 });
    const answer: Verdict = {
      priority: 8n,
      gas: 4,
      requires: ['y'],
      expiresAt: startMs + 9,
      expiresAtHeight: 77,
      senderLimit: 3,
      propagate: false,
    };
    const outcome = await revise(scene, 'a', 1, { ...answer, sender: 's', provides: ['x'] }, 6);
    assert.deepEqual(outcome, { kind: 'revised', hash: scene.hash('a'), version: 2 });
    const { priority, gas, requires, expiresAt, expiresAtHeight, senderLimit, propagate, ...rest } =
      await scene.entry('a');
    assert.deepEqual({ priority, gas, requires, expiresAt, expiresAtHeight, senderLimit, propagate }, answer);
    assert.deepEqual([rest.version, rest.checkedHeight, rest.admittedHeight, rest.seq], [2, 6, 2, 1]);
    assert.deepEqual([await scene.parked(), (await scene.load()).gas], [['a'], 4]);
  },
  'P11/superseded: a verdict on an older version does not undo a newer one': async (scene) => {
    await scene.fill({ a: { priority: 1n } });
    await revise(scene, 'a', 1, { priority: 7n }, 9);
    await scene.unchanged(async () => {
      const superseded = { kind: 'superseded', hash: scene.hash('a'), version: 2 };
      assert.deepEqual(await revise(scene, 'a', 1, { priority: 3n }, 8), superseded);
      assert.deepEqual(await revise(scene, 'a', 1, refusal, 8), superseded);
      assert.deepEqual(await revise(scene, 'a', 3, refusal, 8), superseded);
    });
  },
  'P11/version-counts-verdicts: moves in the order and between stages make no new version': async (scene) => {
    await scene.fill({ parent: { priority: 1n, provides: ['p'] }, child: { priority: 5n, requires: ['p'] } });
    await scene.mark('parent', 'child');
    await scene.release('child', 'parent');
    await scene.drop('parent');
    await scene.add('child', { from: 'peer' });
    assert.equal((await revise(scene, 'child', 1, { priority: 4n, requires: ['p'] })).kind, 'revised');
  },
  'P11/skipped: a hash that is not Pending any more, or not known, is skipped': async (scene) => {
    await scene.fill(ladder([4, 3, 2, 1]));
    await scene.mark('t0', 't1');
    await scene.acknowledge('t1');
    await scene.block(1, { seen: ['t2'] });
    await scene.drop('t3');
    await scene.unchanged(async () => {
      for (const name of ['t0', 't1', 't2', 't3', 'never'])
        assert.deepEqual(await revise(scene, name, 1, refusal), { kind: 'skipped', hash: scene.hash(name) });
    });
  },
  'P11/checked-height: the height of the last verdict counts, also where it is a lower one': async (scene) => {
    await scene.add('a', {}, { height: 8 });
    await revise(scene, 'a', 1, { priority: 2n }, 5);
    const { checkedHeight, version, priority } = await scene.entry('a');
    assert.deepEqual([checkedHeight, version, priority], [5, 2, 2n]);
    assert.deepEqual(await staleNames(scene, 8), ['a']);
  },
  'P11/own-tags-and-sender: a new verdict may not change the tags provided or the sender': async (scene) => {
    await scene.fill({ a: { sender: 's', provides: ['x'] }, b: {} });
    const answers: readonly Verdict[] = [{ sender: 's' }, { sender: 's', provides: ['x', 'y'] }, { provides: ['x'] }];
    await scene.unchanged(async () => {
      for (const answer of answers) {
        const good = { hash: scene.hash('b'), version: 1, answer: { priority: 9n } };
        const error = await rejection(scene.store.revise([good, { hash: scene.hash('a'), version: 1, answer }]));
        assert.ok(isMempoolError(error, 'ERR_MEMPOOL_INVALID'));
      }
    });
  },
});

const ownPools = eachRanked({
  'P11/bounds: a new verdict that breaks a bound changes nothing and names it': async (context) => {
    const scene = await openScene(context, { maxTxGas: 10, maxAncestors: 1, maxDescendants: 1 });
    await scene.fill({ a: account('a', 0), b: account('a', 1), c: { provides: ['c'] } });
    await scene.fill({ d: { requires: ['c'] }, e: {} });
    const limit = (name: string, kind: string) => ({ kind: 'limit', hash: scene.hash(name), limit: kind });
    await scene.unchanged(async () => {
      assert.deepEqual(await revise(scene, 'e', 1, { gas: 11 }), limit('e', 'maxTxGas'));
      assert.deepEqual(await revise(scene, 'e', 1, { requires: ['a:1'] }), limit('e', 'maxAncestors'));
      assert.deepEqual(await revise(scene, 'e', 1, { requires: ['c'] }), limit('e', 'maxDescendants'));
    });
    assert.equal((await revise(scene, 'e', 1, { gas: 10 })).kind, 'revised');
  },
  'P11/dropped-beside-a-limit: a refusal parks its dependents, even if another verdict fails': async (context) => {
    const scene = await openScene(context, { maxParked: 1 });
    await scene.fill({ a: { provides: ['a'] }, child: { requires: ['a'] }, b: {} });
    const outcomes = await scene.store.revise([
      { hash: scene.hash('a'), version: 1, answer: refusal },
      { hash: scene.hash('b'), version: 1, answer: { requires: ['missing'] } },
    ]);
    const kinds = kindsOf(outcomes);
    assert.deepEqual([kinds, await scene.ready(), await scene.parked()], [['dropped', 'limit'], ['b'], ['child']]);
  },
  'P11/one-after-the-other: verdicts of one call apply in order, one outcome each': async (context) => {
    const scene = await openScene(context, { maxDescendants: 1 });
    await scene.fill({ p: { provides: ['p'] }, a: { requires: ['p'] }, b: { priority: 1n }, c: {} });
    const revision = (name: string, answer: Answer) => ({ hash: scene.hash(name), version: 1, answer });
    const outcomes = await scene.store.revise([
      revision('b', { requires: ['p'] }),
      revision('a', {}),
      revision('c', { requires: ['p'] }),
      revision('never', refusal),
    ]);
    assert.deepEqual(
      outcomes.map(({ kind, hash }) => [kind, ...scene.names([hash])]),
      [
        ['limit', 'b'],
        ['revised', 'a'],
        ['revised', 'c'],
        ['skipped', 'never'],
      ],
    );
    assert.deepEqual(await scene.ready(), ['b', 'p', 'a', 'c']);
  },
});

export const recheckCases: readonly ConformanceCase[] = [...onePool, ...ownPools];
