import assert from 'node:assert/strict';
import type { MempoolEvent } from 'mempool-core';
import { poolState } from 'mempool-core/backend';
import { type Call, perform } from '../../case/call.ts';
import type { CaseContext, ConformanceCase } from '../../case/case.ts';
import { eachRanked, mustEach, needing } from '../../case/must.ts';
import type { TestedPool } from '../../case/tested-pool.ts';
import { assertSame } from '../../histories/difference.ts';
import { addRest, exported, timeless } from '../../histories/exported-lines.ts';
import { observe } from '../../histories/observation.ts';
import { historyOptions, makeHistory } from '../../histories/pool-calls.ts';
import { openOther, openPool } from '../../scenario/on-pool.ts';
import { hashesOf, point } from '../../scenario/pool.ts';
import { makeCalls } from '../../scenario/priority-traffic.ts';
import { stored, textsOf } from '../../scenario/records.ts';

/** The same calls without operation ids, because an import keeps none. */
function withoutIds(calls: readonly Call[]): Call[] {
  return calls.map(({ verb, args }) => {
    const isNamed = (arg: unknown): boolean => typeof arg === 'object' && arg !== null && 'operationId' in arg;
    return { verb, args: args.filter((arg) => !isNamed(arg)) } as unknown as Call;
  });
}

/** The events after this one, without what names the pool. */
async function eventsAfter(store: TestedPool, after: number): Promise<unknown[]> {
  const { lastEventSeq } = await store.usage();
  const events: unknown[] = [];
  if (lastEventSeq === after) return events;
  for await (const { eventSeq, cursor: _, ...event } of (await store.subscribe({ after: 'origin' })) as AsyncIterable<
    MempoolEvent & { readonly eventSeq: number }
  >) {
    if (eventSeq > after) events.push(event);
    if (eventSeq === lastEventSeq) break;
  }
  return events;
}

/** What can be read of a pool, without its numbers of events. */
async function readable(store: TestedPool, hashes: readonly string[]): Promise<unknown> {
  const { usage, ends, ...rest } = await observe(store, hashes);
  return { ...rest, ends: (ends as readonly unknown[]).slice(1), usage: { ...(usage as object), lastEventSeq: 0 } };
}

/** Both pools are the same, and stay so during these calls, with the same answers and events. */
async function assertGoOn(
  [source, target]: readonly [TestedPool, TestedPool],
  hashes: readonly string[],
  further: readonly Call[],
): Promise<void> {
  assertSame(await poolState(target), await poolState(source), 'the imported pool is another');
  assertSame(await readable(target, hashes), await readable(source, hashes), 'what can be read is another');
  const begin = (await source.usage()).lastEventSeq;
  for (const call of further)
    assertSame(await perform(target, call), await perform(source, call), `${call.verb} has another outcome`);
  assertSame(await eventsAfter(target, 0), await eventsAfter(source, begin), 'the events are others');
  assertSame(await poolState(target), await poolState(source), 'after further calls the imported pool is another');
}

async function importInto({ openOther }: CaseContext, source: TestedPool): Promise<TestedPool> {
  const target = await openOther(timeless);
  assert.equal((await target.import(source.export())).kind, 'imported');
  return target;
}

/** D3, on pools of both orderings. */
export const importingCases: readonly ConformanceCase[] = mustEach({
  'D3/chance: a pool that was imported is the same, and goes on in the same way': async (context) => {
    const { hashes, calls } = await makeHistory(context.random.uint32(), 160, historyOptions);
    const source = await openPool(context, timeless);
    for (const call of calls) await perform(source.store, call);
    await addRest(source.store);
    const later = await makeHistory(context.random.uint32(), 60, historyOptions);
    const target = await importInto(context, source.store);
    await assertGoOn([source.store, target], hashes, [...withoutIds(calls), ...withoutIds(later.calls)]);
  },
  'D3/empty: the export of an empty pool is imported': async (context) => {
    const source = await openPool(context, timeless);
    await assertGoOn([source.store, await importInto(context, source.store)], [], []);
  },
  'D3/counts: the outcome and the last line have the counts of the pool': async (context) => {
    const source = await openPool(context, timeless);
    const [gone] = await source.receiveHashes(3);
    await source.store.drop([gone ?? ''], { app: 'gone' });
    await stored(source.store, 'a', 'x');
    const lines = await exported(source.store);
    const { lines: before, digest: _, check: __, kind: ___, ...counts } = JSON.parse(lines.at(-1) ?? '');
    assert.deepEqual(counts, { live: 2, logged: 1, records: 1, changed: false });
    assert.equal(before, lines.length - 1);
    const target = await openOther(context);
    assert.deepEqual(await target.store.import(lines), { kind: 'imported', lines: lines.length, ...counts });
  },
  'D3/new-only: only an empty pool imports; any other one stays as it is': async (context) => {
    const source = await openPool(context);
    const hashes = await source.receiveHashes(3);
    const lines = await exported(source.store);
    const [used, other] = [await openOther(context), await openOther(context)];
    await used.receive(1);
    await stored(other.store, 'a', 'x');
    for (const store of [used.store, other.store, source.store]) {
      const before = await poolState(store);
      assert.deepEqual(await store.import(lines), { kind: 'not-empty' });
      assertSame(await poolState(store), before, 'a pool that refused an import has changed');
    }
    assert.deepEqual(await source.pending(), hashes);
  },
  'D3/numbers: seqs, log numbers and versions of records go on; events are numbered from 1': async (context) => {
    const source = await openPool(context);
    const [first, second] = await source.receive(2);
    await source.store.drop([first?.hash ?? ''], { app: 'gone' });
    await stored(source.store, 'a', 'kept');
    await stored(source.store, 'b', 'deleted');
    await source.store.putRecord('b', null);
    const target = await openOther(context);
    await target.store.import(source.store.export());
    assert.equal((await target.store.usage()).lastEventSeq, 0);
    const [third] = await target.receive(1);
    const { transactions } = await target.store.peekPending();
    assert.deepEqual(
      transactions.map(({ hash, seq }) => [hash, seq]),
      [
        [second?.hash, 2],
        [third?.hash, 3],
      ],
    );
    await target.store.drop([second?.hash ?? '', third?.hash ?? ''], { app: 'gone' });
    const { entries } = await target.store.dumpFinalized();
    assert.deepEqual(
      entries.map(({ logSeq, seq }) => [logSeq, seq]),
      [
        [1, 1],
        [2, 2],
        [3, 3],
      ],
    );
    assert.equal(await stored(target.store, 'b', 'new'), 4);
    assert.deepEqual(textsOf(await target.store.listRecords('')), [
      ['a', 1, 'kept'],
      ['b', 4, 'new'],
    ]);
    assert.deepEqual(
      (await target.events()).map(({ eventSeq }) => eventSeq),
      [1, 2, 3],
    );
  },
  'D3/claims: a claimed transaction arrives Pending, with its attempts, and is held back until its claim would have ended':
    async (context) => {
      let nowMs = 1_000;
      const now = (): number => nowMs;
      const source = await openPool(context, { now });
      const hashes = await source.receiveHashes(3);
      await source.store.take({ maxTxs: 2 }, { owner: 'worker', claimMs: 500, operationId: 'a claim' });
      const target = await openOther(context, { now });
      await target.store.import(source.store.export());
      const [taken] = await target.store.status(hashes);
      assert.deepEqual([taken?.stage, taken?.attempts, taken?.notBefore], ['Pending', 1, 1_500]);
      const { held, pending, propagated } = await target.store.usage();
      assert.deepEqual([held, pending, propagated], [2, 3, 0]);
      assert.deepEqual(hashesOf(await target.store.reap()), hashes.slice(2));
      nowMs = 1_500;
      assert.deepEqual((await target.store.sweep()).woken, hashes.slice(0, 2));
      assert.deepEqual(await target.pending(), hashes);
      const { transactions } = await target.store.take({}, { owner: 'other', claimMs: 500 });
      assert.deepEqual(
        transactions.map(({ attempts }) => attempts),
        [2, 2, 1],
      );
    },
  'D3/chain: blocks of the export can be undone, and name transactions that come later': async (context) => {
    const source = await openPool(context);
    const [one] = await source.receive(1);
    const [hash, late] = [one?.hash ?? '', '1a'.repeat(32)];
    await source.store.confirm({ point: point(1), seen: [late], unseen: [] });
    await source.store.confirm({ point: point(2), seen: [hash], unseen: [] });
    await source.blocks(3, 3);
    const target = await openOther(context);
    await target.store.import(source.store.export());
    const [outcome] = await target.store.receive([{ hash: late, payload: new Uint8Array(), payloadType: 0 }]);
    assert.deepEqual(outcome, { kind: 'received', hash: late, seq: 2, stage: 'Confirmed' });
    await target.assertStatus(hash, { confirmations: 2, confirmedAt: point(2) });
    const undone = await target.rollback(1);
    assert.ok(undone.kind === 'rolled-back' && undone.undone === 2 && undone.returned === 1);
    assert.deepEqual(await target.pending(), [hash]);
  },
  'D3/times: times and attempts go on in the imported pool, and so does what is in flight too long': async (
    context,
  ) => {
    let nowMs = 1_000_000;
    const options = { now: () => nowMs, inflightTtlMs: 5_000 };
    const source = await openPool(context, options);
    const hashes = await source.receiveHashes(5);
    const [held, first, second, gone] = hashes;
    nowMs += 10;
    await source.mark(held, first);
    nowMs += 10;
    await source.store.release([held], { notBeforeMs: nowMs + 60_000 });
    await source.mark(second);
    await source.store.drop([gone], { app: 'gone' });
    const target = await openOther(context, options);
    await target.store.import(source.store.export());
    const told = async (store: TestedPool): Promise<unknown> => [
      await store.status(hashes),
      (await store.usage()).oldestInflight,
      (await store.dumpFinalized()).entries,
    ];
    assertSame(await told(target.store), await told(source.store), 'times of the imported pool are others');
    const back = nowMs;
    nowMs = 5;
    await target.receive(1);
    const [event] = await target.events();
    assert.equal(event?.at, back, 'the time of the pool has gone back');
    for (const due of [first, second]) {
      nowMs = back + 5_000 + (due === first ? -9 : 1);
      assert.deepEqual((await target.store.sweep()).expired, [due]);
    }
    nowMs = back + 60_000;
    assert.deepEqual((await target.store.sweep()).woken, [held]);
  },
}).map(needing('import', 'records'));

/** D3, of what only priority pools have. */
export const rankedImportingCases: readonly ConformanceCase[] = eachRanked({
  'D3/ranked: an imported priority pool has verdicts, order, tags, gossip numbers and limits, and goes on': async (
    context,
  ) => {
    const ranked = { ...timeless, ordering: 'priority', maxTxs: 40, replacementBump: 5 } as const;
    const source = await openPool(context, ranked);
    for (const call of makeCalls(context.random, 150)) await perform(source.store, call);
    await addRest(source.store);
    // Claims do not move: their transactions return first.
    const { transactions } = await source.store.peekInflight({ limit: 1_000 });
    await source.store.release(hashesOf(transactions));
    const { store: target } = await openOther(context, { ...timeless, ordering: 'priority' });
    assert.equal((await target.import(source.store.export())).kind, 'imported');
    const gossip = async (store: TestedPool): Promise<unknown> =>
      (await store.since({ except: 'peer1', limit: 1_000 })).items;
    assertSame(await gossip(target), await gossip(source.store), 'gossip of the imported pool is another');
    await assertGoOn([source.store, target], [], makeCalls(context.random, 60) as Call[]);
  },
}).map(needing('import', 'records'));
