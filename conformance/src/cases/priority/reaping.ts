import assert from 'node:assert/strict';
import type { ConformanceCase } from '../../case/case.ts';
import { eachRow } from '../../case/must.ts';
import type { TestedPool } from '../../case/tested-pool.ts';
import { eachOnPriorityPool, ladder } from '../../scenario/priority.ts';

type Budget = NonNullable<Parameters<TestedPool['reap']>[0]>;

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

const onePool = eachOnPriorityPool({
  'P7/room: as many are reaped as fit into the bytes and the gas of the budget': async (scene) => {
    const twenty = Array.from({ length: 20 }, (_, i) => i);
    await scene.addAll(ladder(twenty, { gas: 1 }));
    const best = await scene.ready();
    await eachRow(
      rooms,
      ([bytes, gas]) => `${bytes ?? 'any'} bytes, ${gas ?? 'any'} gas`,
      async ([maxBytes, maxGas, count]) => {
        const reaped = await scene.store.reap(budgetOf(maxBytes, maxGas));
        assert.deepEqual(scene.names(reaped), best.slice(0, count));
      },
    );
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

export const reapingCases: readonly ConformanceCase[] = onePool;
