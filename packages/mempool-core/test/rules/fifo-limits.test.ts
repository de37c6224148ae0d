import { reapFifo } from 'mempool-core/backend';
import { expect, test } from 'vitest';

test('a budget is read no further than it reaches', () => {
  let read = 0;
  function* pending() {
    for (const seq of [1, 2, 3, 4]) {
      read = seq;
      yield { hash: seq.toString(16).padStart(64, '0'), seq, bytes: 10 };
    }
  }
  const budget = { maxBytes: 25, maxGas: 0, maxTxs: Number.POSITIVE_INFINITY, skip: 0, overheadBytes: 0 };
  expect(reapFifo(pending(), budget).map(({ seq }) => seq)).toEqual([1, 2]);
  expect(read).toBe(3);
  expect(reapFifo(pending(), { ...budget, maxTxs: 2 })).toHaveLength(2);
  expect(read).toBe(2);
});
