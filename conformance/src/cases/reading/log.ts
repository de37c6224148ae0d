import assert from 'node:assert/strict';
import type { LogEntry } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { mustEach } from '../../case/must.ts';
import { eachOnPool, openOther, openPool } from '../../scenario/on-pool.ts';
import { hashesOf, largeTransactions, type Pool, placeOf, point, readable, withoutFacts } from '../../scenario/pool.ts';

const mebibyte = 1_048_576;

/** Drops new transactions one by one, so that the log gains as many entries; returns their hashes. */
async function fill(pool: Pool, count: number): Promise<string[]> {
  const hashes = await pool.receiveHashes(count);
  for (const hash of hashes) await pool.drop(hash);
  return hashes;
}

function numbers(entries: readonly LogEntry[]): number[] {
  return entries.map(({ logSeq }) => logSeq);
}

const onePool = eachOnPool({
  'O4/empty: the log of a new pool is an empty page that can be resumed': async (pool, store) => {
    const cursor = await pool.cursor('log', 1);
    assert.deepEqual(await store.dumpFinalized(), { entries: [], cursor, hasMore: false, missed: 0 });
  },
  'O4/oldest-first: entries come oldest first, numbered from 1 without gaps': async (pool) => {
    const hashes = await fill(pool, 7);
    const entries = await pool.logEntries();
    assert.deepEqual([hashesOf(entries), numbers(entries)], [hashes, [1, 2, 3, 4, 5, 6, 7]]);
  },
  'O4/pages: pages resumed at their cursor give every entry once': async (pool, store) => {
    const hashes = await fill(pool, 8);
    const pages = [await store.dumpFinalized({ limit: 3 })];
    for (let page = pages[0]; page?.hasMore && pages.length < 9; ) {
      page = await store.dumpFinalized({ cursor: page.cursor, limit: 3 });
      pages.push(page);
    }
    assert.deepEqual(
      pages.map(({ cursor, hasMore, missed }) => [placeOf(cursor), hasMore, missed]),
      [
        ['l4', true, 0],
        ['l7', true, 0],
        ['l9', false, 0],
      ],
    );
    assert.deepEqual(
      pages.flatMap(({ entries }) => hashesOf(entries)),
      hashes,
    );
  },
  'O4/cursor-inclusive: the cursor is the first entry of the page': async (pool, store) => {
    await fill(pool, 5);
    const { entries, cursor } = await store.dumpFinalized({ cursor: await pool.cursor('log', 3) });
    assert.deepEqual([numbers(entries), placeOf(cursor)], [[3, 4, 5], 'l6']);
  },
  'O4/exact-page: a page that ends with the last entry has no more': async (pool, store) => {
    await fill(pool, 4);
    const { cursor, hasMore } = await store.dumpFinalized({ cursor: await pool.cursor('log', 3), limit: 2 });
    assert.deepEqual([placeOf(cursor), hasMore], ['l5', false]);
  },
  'O4/resume-at-the-end: a reader at the end gets only later entries': async (pool, store) => {
    await fill(pool, 3);
    const { cursor } = await store.dumpFinalized();
    assert.deepEqual(await store.dumpFinalized({ cursor }), {
      entries: [],
      cursor,
      hasMore: false,
      missed: 0,
    });
    const [later] = await fill(pool, 1);
    assert.deepEqual(hashesOf((await store.dumpFinalized({ cursor })).entries), [later]);
  },
  'O4/default-kept: by default the log keeps 10,000 entries': async (pool, store) => {
    for (let i = 0; i < 11; i++) {
      const hashes = await pool.receiveHashes(i < 10 ? 1_000 : 2);
      await pool.drop(...hashes);
    }
    const { entries, missed } = await store.dumpFinalized({ cursor: await pool.cursor('log', 1), limit: 1 });
    assert.deepEqual([numbers(entries), missed, (await store.usage()).logged], [[3], 2, 10_000]);
  },
  'O4/entry-dropped: the entry of a Dropped transaction has every field': async (pool, store) => {
    const one = pool.transaction(500);
    const [outcome] = await store.receive([one]);
    await pool.mark(one.hash);
    await pool.block(1);
    await pool.drop(one.hash);
    const seq = outcome?.kind === 'received' ? outcome.seq : 0;
    const told = { confirmations: 0, nonConfirmations: 1, point: null, reason: 'failed' };
    const expected = { ...readable(one), logSeq: 1, seq, stage: 'Dropped', ...told };
    assert.deepEqual((await pool.logEntries()).map(readable).map(withoutFacts), [expected]);
  },
  'O4/history: every life leaves its own entry, with its own seq and reason': async (pool, store) => {
    const one = pool.transaction();
    const seqs: number[] = [];
    for (const reason of ['failed', 'invalid'] as const) {
      for (const outcome of await store.receive([one])) if (outcome.kind === 'received') seqs.push(outcome.seq);
      await store.drop([one.hash], reason);
    }
    const entries = await pool.logEntries();
    assert.deepEqual(
      entries.map(({ seq, reason }) => [seq, reason]),
      [
        [seqs[0], 'failed'],
        [seqs[1], 'invalid'],
      ],
    );
  },
  'O4/history-payload: old entries keep their payload when the transaction comes back': async (pool, store) => {
    const one = pool.transaction(200);
    await store.receive([one]);
    await pool.drop(one.hash);
    await pool.block(1, { seen: [one.hash] });
    await pool.finalizeIn(2, one.hash);
    const payloads = (await pool.logEntries()).map((entry) => readable(entry).payload);
    assert.deepEqual(payloads, [readable(one).payload, readable(one).payload]);
  },
  'O4/later-payload: entries of an earlier life show the payload and type of the later one': async (pool, store) => {
    const one = pool.transaction(200);
    const later = { ...one, payload: pool.random.bytes(300), payloadType: one.payloadType + 1 };
    for (const txState of [one, later]) {
      await store.receive([txState]);
      await pool.drop(one.hash);
    }
    const entries = (await pool.logEntries()).map(readable);
    const shown = readable(later);
    assert.deepEqual(
      entries.map(({ payload, payloadType }) => ({ hash: one.hash, payload, payloadType })),
      [shown, shown],
    );
  },
  'O4/by-seq: entries of one call are in seq order, whatever the order asked': async (pool) => {
    const hashes = await pool.receiveHashes(5);
    await pool.drop(...hashes.toReversed());
    assert.deepEqual(hashesOf(await pool.logEntries()), hashes);
  },
  'O6/log-least: a limit below 1 acts as 1 in the log': async (pool, store) => {
    await fill(pool, 3);
    const { entries, cursor, hasMore } = await store.dumpFinalized({ limit: 0 });
    assert.deepEqual([numbers(entries), placeOf(cursor), hasMore], [[1], 'l2', true]);
  },
  'O6/log-most: a limit above 1,000 acts as 1,000 in the log': async (pool, store) => {
    for (const count of [1_000, 1]) await pool.drop(...(await pool.receiveHashes(count)));
    const { entries, cursor, hasMore } = await store.dumpFinalized({ limit: 5_000 });
    assert.deepEqual([entries.length, placeOf(cursor), hasMore], [1_000, 'lrt', true]);
  },
  'O6/log-bytes: a page of the log ends at 8 MiB and goes on where it ended': async (pool, store) => {
    const large = largeTransactions(pool.random, 10, mebibyte);
    await store.receive(large);
    await pool.drop(...hashesOf(large));
    const first = await store.dumpFinalized({ limit: 1_000 });
    const second = await store.dumpFinalized({ limit: 1_000, cursor: first.cursor });
    assert.deepEqual(
      [numbers(first.entries), placeOf(first.cursor), first.hasMore, numbers(second.entries), second.hasMore],
      [[1, 2, 3, 4, 5, 6, 7, 8], 'l9', true, [9, 10], false],
    );
  },
  'O6/log-default: without a limit the log gives 100': async (pool, store) => {
    await pool.drop(...(await pool.receiveHashes(101)));
    assert.equal((await store.dumpFinalized()).entries.length, 100);
  },
});

const ownPools = mustEach({
  'O4/trimmed-cursor: a cursor below the oldest entry starts there, with the number missed': async (context) => {
    const pool = await openPool(context, { maxFinalized: 4 });
    await fill(pool, 10);
    const { entries, missed, cursor } = await pool.store.dumpFinalized({ cursor: await pool.cursor('log', 3) });
    assert.deepEqual([numbers(entries), missed, placeOf(cursor)], [[7, 8, 9, 10], 4, 'lb']);
  },
  'O4/trimmed-start: cursor 0 is the oldest entry there is and misses nothing': async (context) => {
    const pool = await openPool(context, { maxFinalized: 4 });
    await fill(pool, 10);
    const { entries, missed } = await pool.store.dumpFinalized({ limit: 2 });
    assert.deepEqual([numbers(entries), missed], [[7, 8], 0]);
  },
  'O4/trimmed-boundary: the oldest entry kept is not missed, the one before it is': async (context) => {
    const pool = await openPool(context, { maxFinalized: 4 });
    await fill(pool, 10);
    const pages = [
      await pool.store.dumpFinalized({ cursor: await pool.cursor('log', 7) }),
      await pool.store.dumpFinalized({ cursor: await pool.cursor('log', 6) }),
    ];
    assert.deepEqual(
      pages.map(({ missed, entries }) => [missed, entries[0]?.logSeq]),
      [
        [0, 7],
        [1, 7],
      ],
    );
  },
  'O4/trimming-shifts-nobody: a reader goes on at its cursor although older entries were trimmed': async (context) => {
    const pool = await openPool(context, { maxFinalized: 5 });
    const first = await fill(pool, 5);
    const { cursor, entries } = await pool.store.dumpFinalized({ limit: 2 });
    const later = await fill(pool, 2);
    const rest = await pool.store.dumpFinalized({ cursor });
    assert.deepEqual([...hashesOf(entries), ...hashesOf(rest.entries)], [...first, ...later]);
    assert.equal(rest.missed, 0);
  },
  'O4/kept: the log keeps its newest maxFinalized entries': async (context) => {
    const pool = await openPool(context, { maxFinalized: 3 });
    const hashes = await fill(pool, 8);
    const { logged, lastLogSeq } = await pool.store.usage();
    assert.deepEqual(hashesOf(await pool.logEntries()), hashes.slice(5));
    assert.deepEqual([logged, lastLogSeq], [3, 8]);
  },
  'O4/one-large-call: if a call logs more than is kept, the newest stay, and numbers go on': async (context) => {
    const pool = await openPool(context, { maxFinalized: 3 });
    const hashes = await pool.receiveHashes(10);
    await pool.drop(...hashes);
    const entries = await pool.logEntries();
    assert.deepEqual([hashesOf(entries), numbers(entries)], [hashes.slice(7), [8, 9, 10]]);
    assert.deepEqual(new Set(await pool.stages(...hashes.slice(0, 7))), new Set(['Unknown']));
  },
  'O4/entry-finalized: the entry of a Finalized transaction has every field': async (context) => {
    const pool = await openPool(context, { finalizeThreshold: 3 });
    const one = pool.transaction(500);
    const [outcome] = await pool.store.receive([one]);
    await pool.block(1, { seen: [one.hash] });
    await pool.blocks(2, 4);
    const seq = outcome?.kind === 'received' ? outcome.seq : 0;
    const told = { confirmations: 3, nonConfirmations: 0, point: point(1), reason: null };
    const expected = { ...readable(one), logSeq: 1, seq, stage: 'Finalized', ...told };
    assert.deepEqual((await pool.logEntries()).map(readable).map(withoutFacts), [expected]);
  },
  'O4/payload-while-logged: a payload lives as long as the last entry of its hash': async (context) => {
    const pool = await openPool(context, { maxFinalized: 2 });
    const one = pool.transaction(200);
    for (const reason of ['failed', 'invalid'] as const) {
      await pool.store.receive([one]);
      await pool.store.drop([one.hash], reason);
    }
    await fill(pool, 1);
    const [entry] = await pool.logEntries();
    assert.ok(entry);
    assert.deepEqual([entry.reason, readable(entry).payload], ['invalid', readable(one).payload]);
  },
  'O4/latest-open-sets: open sets how many entries are kept': async (context) => {
    const pool = await openPool(context, { maxFinalized: 1 });
    const other = await openOther(context, { maxFinalized: 3 });
    await fill(pool, 4);
    await fill(other, 4);
    assert.deepEqual([(await pool.logEntries()).length, (await other.logEntries()).length], [1, 3]);
  },
});

export const logCases: readonly ConformanceCase[] = [...onePool, ...ownPools];
