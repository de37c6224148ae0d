import type { BlockChange } from 'mempool-server';
import { expect, test } from 'vitest';
import { heightsOf } from '../../page/state/chain.ts';
import { fillOf } from '../../page/state/fill.ts';
import { levelsOf, project, sizeOfBlock } from '../../page/state/projection.ts';
import { agedQueue } from '../../page/state/queue.ts';
import type { WireUsage } from '../../page/wire/answers.ts';

let seq = 0;
function change(action: BlockChange['action'], name: string, tick: number, confirmed = 0): BlockChange {
  seq += 1;
  const point = { slot: tick * 10, hash: name };
  return { cursor: '', eventSeq: seq, at: seq, action, point, tick, nodeId: null, term: null, confirmed };
}

test('blocks that were undone stand beside the ones that replaced them', () => {
  const changes = [
    change('applied', 'a', 1),
    change('applied', 'b', 2, 5),
    change('undone', 'b', 2),
    change('undone', 'a', 1),
    change('applied', 'a', 1),
    change('applied', 'c', 2),
    change('applied', 'd', 3),
    change('undone', 'd', 3),
  ].reverse();
  const told = heightsOf(changes, 10).map(({ tick, block, undone }) => [
    tick,
    block?.point.hash ?? null,
    undone.map((each) => each.point.hash),
  ]);
  expect(told).toEqual([
    [3, null, ['d']],
    [2, 'c', ['b']],
    [1, 'a', ['a']],
  ]);
  expect(heightsOf(changes, 1)).toHaveLength(1);
});

test('a projected block is as large as the last blocks mostly were', () => {
  const sized = (sizes: readonly number[]): number => sizeOfBlock(sizes.map((size) => change('applied', 'x', 1, size)));
  expect(sized([])).toBe(50);
  expect(sized([0, 3, 200, 4, 5])).toBe(5);
  expect(sized([900, 900])).toBe(150);
  expect(sizeOfBlock([change('undone', 'x', 1, 9), change('applied', 'x', 1, 2)])).toBe(2);
});

test('the order of the pool is cut into blocks, none is lost, and colours follow the priority', () => {
  const candidates = Array.from({ length: 7 }, (_, i) => ({
    ...{ hash: `${i}`, seq: i, bytes: 10, gas: 1, priority: String(10n ** BigInt(6 - i)) },
  }));
  const blocks = project(candidates, 3);
  expect(blocks.map(({ transactions }) => transactions.map(({ hash }) => hash).join(''))).toEqual(['012', '345', '6']);
  expect(blocks[0]).toMatchObject({ number: 1, bytes: 30, gas: 3, highest: '1000000', lowest: '10000' });
  expect(project([], 3)).toEqual([]);
  expect(levelsOf([1, 10, 100, 1_000, 10_000, 100_000])).toEqual([0, 1, 2, 3, 4, 4]);
  expect(levelsOf([-10, 0, 10])).toEqual([0, 2, 4]);
  expect(levelsOf([7, 7])).toEqual([2, 2]);
});

test('the queue is coloured by age, and a transaction without a time counts as old', () => {
  const item = (receivedAt: number | null) => ({ hash: 'ab', seq: 1, bytes: 1, receivedAt });
  const now = 10_000_000;
  const queue = agedQueue([null, now - 3_600_000, now - 60_000, now - 59_999, now, now + 5].map(item), now);
  expect(queue.transactions.map(({ level }) => level)).toEqual([4, 4, 2, 1, 0, 0]);
  expect(queue.counts).toEqual([2, 1, 1, 0, 2]);
});

test('a pool is as full as its nearest limit', () => {
  const fifo = { pending: 3, propagated: 2, acknowledged: 1, confirmed: 9 } as WireUsage;
  expect(fillOf(fifo, {})).toBeNull();
  expect(fillOf(fifo, { maxTxs: 12 })).toMatchObject({ used: 6, limit: 12, text: '6 of 12' });
  const priority = { ...fifo, load: { transactions: 1, bytes: 512 } } as WireUsage;
  const limits = { maxTxs: 'never', maxBytes: 1_024 } as const;
  expect(fillOf(priority, limits)).toMatchObject({ used: 512, limit: 1_024 });
});
