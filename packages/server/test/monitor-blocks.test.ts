import type { Block, MempoolEvent } from 'mempool-core';
import { type BlockChange, Monitor } from 'mempool-server';
import { expect, onTestFinished, test } from 'vitest';
import { BlockTimeline } from '../src/monitor/block-timeline.ts';
import { clockedPool } from './random-pool.ts';

const hashOf = (n: number): string => n.toString(16).padStart(64, '0');
const block = (slot: number, seen: readonly string[] = []): Block => ({
  point: { slot, hash: hashOf(1_000 + slot) },
  seen,
  unseen: [],
});
const named = (changes: readonly BlockChange[]): unknown[] =>
  changes.map(({ action, point, confirmed }) => [action, point.slot, confirmed]);

test('the last blocks applied and undone are told with what they confirmed, also after a start', async () => {
  const clock = { now: 1_000_000 };
  const pool = await clockedPool('fifo', clock);
  onTestFinished(() => pool.close());
  const monitor = await Monitor.start(pool, { now: () => clock.now });
  const hashes = [1, 2, 3].map(hashOf);
  await pool.receive(hashes.map((hash) => ({ hash, payload: Buffer.from(hash) })));
  await pool.confirm(block(1, hashes.slice(0, 2)));
  await pool.confirm(block(2, hashes.slice(2)));
  await pool.rollback(block(1).point);
  await pool.confirm(block(3));
  const expected = [
    ['applied', 3, 0],
    ['undone', 2, 0],
    ['applied', 2, 1],
    ['applied', 1, 2],
  ];
  await expect.poll(() => named(monitor.blocks())).toEqual(expected);
  expect(monitor.blocks({ limit: 1 })).toMatchObject([{ at: clock.now, tick: 2, nodeId: null, term: null }]);
  await monitor.close();
  await using next = await Monitor.start(pool, { now: () => clock.now });
  expect(named(next.blocks())).toEqual(expected);
  expect(() => next.blocks({ limit: 201 })).toThrow(/^limit /);
});

test('blocks that a store lost with its last commits are forgotten, and events read again count once', () => {
  const blocks = new BlockTimeline();
  const applied = (eventSeq: number): MempoolEvent => {
    const point = { slot: eventSeq, hash: hashOf(eventSeq) };
    const facts = { at: 1, tick: eventSeq, nodeId: null, term: null, cursor: `e${eventSeq}` };
    return { kind: 'block', action: 'applied', eventSeq, point, ...facts };
  };
  for (const seq of [1, 2, 2, 3]) blocks.add(applied(seq));
  expect(blocks.last().map(({ eventSeq }) => eventSeq)).toEqual([3, 2, 1]);
  blocks.add({ kind: 'lagged', missed: 0, restarted: false, cursor: 'e1' });
  blocks.add(applied(2));
  expect(blocks.last().map(({ eventSeq }) => eventSeq)).toEqual([2, 1]);
  for (let seq = 3; seq <= 300; seq++) blocks.add(applied(seq));
  expect(blocks.last({ limit: 200 }).map(({ eventSeq }) => eventSeq)).toEqual(
    Array.from({ length: 200 }, (_, i) => 300 - i),
  );
});
