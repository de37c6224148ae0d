import assert from 'node:assert/strict';
import type { Mempool, Transaction } from 'mempool-core';
import { cursorOf } from 'mempool-core/backend';
import { ephemeral } from 'mempool-ephemeral';
import { expect, test } from 'vitest';

function hashOf(n: number): string {
  return n.toString(16).padStart(64, '0');
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}

function transactions(numbers: readonly number[]): Transaction[] {
  return numbers.map((n) => ({ hash: hashOf(n), payload: Buffer.from([n & 255]), payloadType: 0 }));
}

/** Receives the transactions 1…count, whose seqs are the same numbers. */
async function receive(store: Mempool, count: number): Promise<void> {
  for (let from = 1; from <= count; from += 1_000)
    await store.receive(transactions(range(from, Math.min(count, from + 999))));
}

async function seqsAfter(store: Mempool, place: number): Promise<number[]> {
  const after = cursorOf('page', place, (await store.tip()).epoch);
  const page = (await store.peekPending({ after, limit: 1_000 })).transactions;
  return page.map(({ seq }) => seq);
}

test('O1: a page starts anywhere, with gaps of thousands that left and with some that came back', async () => {
  await using store = await ephemeral.open();
  await receive(store, 5_000);
  const left = range(1, 5_000).filter((n) => n % 1_000 > 10);
  for (let from = 0; from < left.length; from += 1_000)
    await store.markInflight(left.slice(from, from + 1_000).map(hashOf));
  const back = [4_999, 12, 2_500, 700];
  await store.release(back.map(hashOf));
  const expected = range(1, 5_000).filter((n) => n % 1_000 <= 10 || back.includes(n));
  for (const after of [0, 5, 12, 13, 699, 700, 2_499, 3_000, 4_998, 4_999, 5_000])
    assert.deepEqual(
      await seqsAfter(store, after),
      expected.filter((n) => n > after),
    );
});

test('L8: hundreds that return between others take their places again', async () => {
  await using store = await ephemeral.open();
  await receive(store, 2_000);
  const odd = range(1, 2_000).filter((n) => n % 2 === 1);
  await store.markInflight(odd.map(hashOf));
  await store.release(odd.toReversed().map(hashOf));
  expect(await seqsAfter(store, 0)).toEqual(range(1, 1_000));
  expect(await seqsAfter(store, 1_000)).toEqual(range(1_001, 2_000));
});

test('O4: a log of three keeps the newest three of a call that drops a thousand, and their payloads alone', async () => {
  await using store = await ephemeral.open({ maxFinalized: 3 });
  await receive(store, 1_000);
  await store.drop(range(1, 1_000).map(hashOf), 'failed');
  const { epoch } = await store.tip();
  const page = await store.dumpFinalized({ cursor: cursorOf('log', 1, epoch) });
  expect(page.entries.map(({ logSeq, seq }) => [logSeq, seq])).toEqual([
    [998, 998],
    [999, 999],
    [1_000, 1_000],
  ]);
  expect(page).toMatchObject({ missed: 997, cursor: cursorOf('log', 1_001, epoch), hasMore: false });
  expect(await store.status([hashOf(997)])).toMatchObject([{ stage: 'Unknown' }]);
});

test.each([5, null, {}])('leases that are none are refused by name: %j', async (leases) => {
  const opening = ephemeral.open({ leases: leases as never });
  await expect(opening).rejects.toMatchObject({ code: 'ERR_MEMPOOL_INVALID', details: { field: 'leases' } });
});

test('M1: what a caller does to the tip that it was answered changes nothing in the pool', async () => {
  await using store = await ephemeral.open();
  const point = { slot: 1, hash: hashOf(1) };
  await store.confirm({ point, seen: [], unseen: [] });
  const answer = await store.tip({ points: 1 });
  expect(answer).toMatchObject({ point, tick: 1, points: [point] });
  Object.assign(answer.point ?? {}, { slot: 8 });
  Object.assign(answer.points[0] ?? {}, { slot: 9 });
  expect(await store.tip({ points: 1 })).toMatchObject({ point, tick: 1, points: [point] });
});

test('P32: reap with payloads ends before one that leaves while it reads', async () => {
  await using store = await ephemeral.open({ ordering: 'priority' });
  assert.equal(store.ordering, 'priority');
  const single = { priority: 9n };
  for (const part of [range(1, 1_000), range(1_001, 1_005)])
    await store.receive(transactions(part).map((each) => ({ ...each, verdict: single })));
  // The first thousand payloads are read at once, the others after the drop.
  const reaping = store.reap({}, { payloads: true });
  const dropping = store.drop([hashOf(1_003)], 'failed');
  const reaped = (await reaping).map(({ hash }) => hash);
  assert.deepEqual(await dropping, [hashOf(1_003)]);
  assert.deepEqual(reaped, range(1, 1_002).map(hashOf));
});
