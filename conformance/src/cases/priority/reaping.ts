import assert from 'node:assert/strict';
import type { AnyStore } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { type Draft, eachOnPriorityPool, ladder, onPriorityPool } from '../../scenario/priority.ts';

type Budget = NonNullable<Parameters<AnyStore['reap']>[0]>;

/** How many of twenty transactions of 20 bytes and gas 1, with an overhead of 2 bytes each, fit (`null`: no limit). */
const rooms: readonly (readonly [maxBytes: number | null, maxGas: number | null, fits: number])[] = [
  [null, null, 20],
  [null, 0, 0],
  [null, 10, 10],
  [null, 30, 20],
  [0, null, 0],
  [0, 10, 0],
  [10, 10, 0],
  [24, 10, 1],
  [240, 5, 5],
  [240, null, 10],
  [240, 10, 10],
  [240, 15, 10],
  [20_000, null, 20],
  [20_000, 5, 5],
  [20_000, 30, 20],
];

function budgetOf(maxBytes: number | null, maxGas: number | null): Budget {
  const budget = { overheadBytes: 2 };
  const bytes = maxBytes === null ? budget : { ...budget, maxBytes };
  return maxGas === null ? bytes : { ...bytes, maxGas };
}

function fits([maxBytes, maxGas, count]: (typeof rooms)[number]): ConformanceCase {
  const [bytes, gas] = [maxBytes ?? 'any', maxGas ?? 'any'];
  const title = `of twenty transactions of 20 + 2 bytes and gas 1, ${count} fit into ${bytes} bytes and ${gas} gas`;
  return onPriorityPool(`P7/room-${bytes}-${gas}`, title, async (scene) => {
    await scene.addAll(
      ladder(
        Array.from({ length: 20 }, (_, i) => i),
        { gas: 1 },
      ),
    );
    const best = await scene.ready();
    const reaped = await scene.store.reap(budgetOf(maxBytes, maxGas));
    assert.deepEqual(scene.names(reaped), best.slice(0, count));
  });
}

const mixed: Readonly<Record<string, Draft>> = {
  a: { priority: 9n, bytes: 10, gas: 1 },
  large: { priority: 8n, bytes: 100, gas: 50, provides: ['l'] },
  child: { priority: 8n, bytes: 1, gas: 0, requires: ['l'] },
  b: { priority: 7n, bytes: 10, gas: 1 },
  big: { priority: 6n, bytes: 90, gas: 40 },
  c: { priority: 5n, bytes: 5, gas: 0 },
};

const onePool = eachOnPriorityPool({
  'P7/exact: a transaction that uses the budget to the last unit fits': async (scene) => {
    await scene.fill(ladder([3, 2, 1], { gas: 7 }));
    const reap = async (budget: Budget) => (await scene.store.reap(budget)).length;
    assert.deepEqual([await reap({ maxBytes: 40 }), await reap({ maxBytes: 39 })], [2, 1]);
    assert.deepEqual([await reap({ maxGas: 14 }), await reap({ maxGas: 13 })], [2, 1]);
    assert.deepEqual(
      [await reap({ maxBytes: 44, overheadBytes: 2 }), await reap({ maxBytes: 43, overheadBytes: 2 })],
      [2, 1],
    );
  },
  'P7/no-bytes: an empty transaction fits a byte budget of 0': async (scene) => {
    await scene.fill({ a: { bytes: 0 }, b: { bytes: 1 } });
    assert.deepEqual(scene.names(await scene.store.reap({ maxBytes: 0 })), ['a']);
    assert.deepEqual(await scene.store.reap({ maxBytes: 0, overheadBytes: 1 }), []);
  },
  'P7/count: maxTxs bounds how many are reaped': async (scene) => {
    await scene.fill(ladder([1, 3, 2]));
    assert.deepEqual(scene.names(await scene.store.reap({ maxTxs: 2 })), ['t1', 't2']);
    assert.deepEqual(await scene.store.reap({ maxTxs: 0 }), []);
  },
  'P7/skip: up to skip may be passed over; their descendants are passed over uncounted': async (scene) => {
    await scene.fill(mixed);
    const reap = async (budget: Budget) => scene.names(await scene.store.reap(budget));
    assert.deepEqual(await reap({ maxBytes: 50, skip: 1 }), ['a', 'b']);
    assert.deepEqual(await reap({ maxBytes: 50, skip: 2 }), ['a', 'b', 'c']);
    assert.deepEqual(await reap({ maxGas: 30, skip: 9 }), ['a', 'b', 'c']);
  },
  'P7/skip-descendants: no descendant of one passed over is reaped, at any distance': async (scene) => {
    await scene.fill({
      large: { bytes: 100, priority: 9n, provides: ['l'] },
      other: { priority: 9n, provides: ['o'] },
    });
    await scene.fill({
      child: { priority: 8n, requires: ['l', 'o'], provides: ['c'] },
      grandchild: { requires: ['c'] },
    });
    await scene.fill({ last: {} });
    assert.deepEqual(scene.names(await scene.store.reap({ maxBytes: 60, skip: 1 })), ['other', 'last']);
  },
  'P7/reads-alone: reap and pages of best change nothing': async (scene) => {
    await scene.fill(mixed);
    await scene.unchanged(async () => {
      const first = await scene.store.reap({ maxBytes: 200 });
      assert.deepEqual(await scene.store.reap({ maxBytes: 200 }), first);
      await scene.store.best({ limit: 2 });
      await scene.store.payloads(scene.hashes(['a', 'b']));
    });
  },
  'P7/pages-stay-valid: a page after a key is right even if the key’s owner has gone': async (scene) => {
    await scene.fill(ladder([9, 8, 7, 6, 5]));
    const [, second] = await scene.store.best({ limit: 2 });
    await scene.drop('t1', 't3');
    await scene.fill({ ahead: { priority: 10n }, behind: { priority: 6n } });
    assert.deepEqual(scene.names(await scene.store.best({ after: second?.key })), ['t2', 'behind', 't4']);
  },
  'P7/payloads: payloads come in the order asked, null for what is not live': async (scene) => {
    await scene.fill({ a: { bytes: 3 }, b: { bytes: 4 }, parked: { bytes: 5, requires: ['missing'] }, gone: {} });
    await scene.mark('b');
    await scene.drop('gone');
    const answers = await scene.store.payloads(scene.hashes(['b', 'gone', 'parked', 'never', 'a', 'b']));
    assert.deepEqual(
      answers.map((answer) => answer && [scene.names([answer])[0], answer.payload.length, answer.payloadType]),
      [['b', 4, 0], null, ['parked', 5, 0], null, ['a', 3, 0], ['b', 4, 0]],
    );
  },
});

export const reapingCases: readonly ConformanceCase[] = [...rooms.map(fits), ...onePool];
