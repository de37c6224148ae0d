import type { MempoolEvent, TransactionEvent } from 'mempool-core';
import { expect, test } from 'vitest';
import {
  emptyFeed,
  everything,
  type FeedRow,
  feedOf,
  feedWith,
  filtered,
  keptRows,
  paused,
  resumed,
} from '../../page/state/feed.ts';
import { recordsWith, shownRecords } from '../../page/state/ledger.ts';
import { hashIn, historyWith, rollbacksOf, stepsOf, trackOf } from '../../page/state/life.ts';

const hashOf = (n: number): string => n.toString(16).padStart(64, '0');

function moved(
  eventSeq: number,
  change: Partial<TransactionEvent> = {},
): TransactionEvent & { readonly cursor: string } {
  const counters = { confirmations: 0, nonConfirmations: 0 };
  return {
    ...{ kind: 'transaction', eventSeq, at: eventSeq * 100, hash: hashOf(eventSeq), seq: eventSeq, stage: 'Pending' },
    ...{ cause: 'received', previous: { stage: 'Unknown', ...counters }, ...counters, point: null, reason: null },
    ...{ attempts: 0, receivedAt: 1, cursor: `e${eventSeq}`, ...change },
  };
}

const seqs = (rows: readonly FeedRow[]): number[] => rows.map(({ eventSeq }) => eventSeq);

test('the feed is newest first, has every event once, and only so many', () => {
  const feed = feedWith(feedWith(emptyFeed, [moved(1), moved(2)]), [moved(2), moved(3)]);
  expect(seqs(feed.rows)).toEqual([3, 2, 1]);
  expect(feedWith(feed, [moved(3)])).toBe(feed);
  const many = Array.from({ length: 3 * keptRows }, (_, i) => moved(i + 4));
  const full = feedWith(feed, many);
  expect([full.rows.length, full.rows[0]?.eventSeq, full.rows.at(-1)?.eventSeq]).toEqual([1_000, 3_003, 2_004]);
});

test('the feed begins with transitions and blocks by their numbers; older blocks than the transitions stay out', () => {
  const transitions = [5, 3].map((seq) => ({ ...moved(seq), from: 'Unknown', to: 'Pending' }) as const);
  const block = { at: 1, action: 'applied', point: { slot: 1, hash: hashOf(1) }, tick: 1, cursor: 'e' } as const;
  const blocks = [4, 2].map((eventSeq) => ({ ...block, eventSeq, nodeId: null, term: null, confirmed: 0 }));
  expect(seqs(feedOf(emptyFeed, transitions, blocks).rows)).toEqual([5, 4, 3]);
});

test('after a loss the numbers may begin anew, and what was before is gone', () => {
  const lagged: MempoolEvent = { kind: 'lagged', missed: 7, restarted: true, cursor: 'e0' };
  const feed = feedWith(feedWith(emptyFeed, [moved(9)]), [lagged, moved(1)]);
  expect(feed.rows).toMatchObject([
    { kind: 'transaction', eventSeq: 1 },
    { kind: 'lost', missed: 7 },
  ]);
});

test('a pause holds what is shown and counts what comes', () => {
  const held = feedWith(paused(feedWith(emptyFeed, [moved(1)]), 'pointer'), [moved(2), moved(3)]);
  expect([seqs(held.held ?? []), seqs(held.rows), held.unseen]).toEqual([[1], [3, 2, 1], 2]);
  expect(resumed(held, 'pointer')).toMatchObject({ held: null, unseen: 0 });
  const pinned = paused(held, 'button');
  expect(pinned).toMatchObject({ held: held.held, unseen: 2 });
  expect(resumed(pinned, 'pointer')).toBe(pinned);
  expect(resumed(pinned, 'button').held).toBeNull();
});

test('filters look at stage, hash, cause and reason', () => {
  const dropped = moved(2, { stage: 'Dropped', cause: 'dropped', reason: { app: 'Too late' } });
  const block: MempoolEvent = {
    ...{ kind: 'block', eventSeq: 3, at: 3, action: 'undone', point: { slot: 9, hash: hashOf(0xab) } },
    ...{ tick: 1, nodeId: null, term: null, cursor: 'e3' },
  };
  const { rows } = feedWith(emptyFeed, [moved(1), dropped, block]);
  const found = (filter: Partial<typeof everything>): number[] => seqs(filtered(rows, { ...everything, ...filter }, 9));
  expect(found({})).toEqual([3, 2, 1]);
  expect(found({ stage: 'Dropped' })).toEqual([2]);
  expect(found({ stage: 'blocks' })).toEqual([3]);
  expect(found({ text: ' too LATE' })).toEqual([2]);
  expect(found({ text: `0x${hashOf(1)}` })).toEqual([1]);
  expect(found({ text: 'received', stage: 'Dropped' })).toEqual([]);
  expect(filtered(rows, everything, 2)).toHaveLength(2);
});

test('a life is told in steps with times, attempts, blocks and rollbacks', () => {
  const point = { slot: 15, hash: hashOf(15) };
  const previous = { stage: 'Confirmed', confirmations: 1, nonConfirmations: 0 } as const;
  const life = [
    moved(1),
    moved(2, { stage: 'Propagated', cause: 'marked', attempts: 2 }),
    moved(3, { stage: 'Confirmed', cause: 'seen', point }),
    moved(4, { stage: 'Pending', cause: 'rolled-back', previous }),
    moved(5, { stage: 'Dropped', cause: 'dropped', reason: { app: 'too late' } }),
  ];
  expect(stepsOf(life)).toMatchObject([
    { title: 'Received', mood: 'forward', afterMs: null },
    { title: 'Sent', detail: 'attempt 2', afterMs: 100 },
    { title: 'Confirmed', detail: 'in the block of slot 15' },
    { title: 'Returned: its block was undone', mood: 'back', at: 400, afterMs: 100 },
    { title: 'Dropped', detail: 'too late', mood: 'end', afterMs: 100 },
  ]);
  expect(rollbacksOf(life)).toBe(1);
  expect(historyWith(life, moved(5))).toBe(life);
  expect(historyWith(life, moved(6))).toHaveLength(6);
  expect(trackOf({ stage: 'Confirmed' }).map(({ state }) => state)).toEqual([
    'past',
    'past',
    'past',
    'present',
    'ahead',
  ]);
  expect(trackOf({ stage: 'Dropped' }).every(({ state }) => state === 'ahead')).toBe(true);
});

test('a hash is found in what people paste, and nothing else is', () => {
  expect(hashIn(` 0xABCD\n`)).toBe('abcd');
  for (const text of ['', 'abc', 'xyz0', 'ab cd', 'a'.repeat(130), '../x']) expect(hashIn(text)).toBeNull();
});

test('the last records of a ledger are the newest first, each once, and not many', () => {
  const record = (cursor: number) => ({ kind: 'transfer', cursor: String(cursor) });
  const all = Array.from({ length: 30 }, (_, i) => record(i + 1));
  const shown = [...all, record(30), record(29)].reduce(recordsWith, []);
  expect(shown.map(({ cursor }) => Number(cursor))).toEqual(Array.from({ length: shownRecords }, (_, i) => 30 - i));
});
