import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { decodeDump, encodeDump, isMempoolError, type MempoolStore } from 'mempool-core';
import { type Call, perform } from '../../case/call.ts';
import type { CaseContext, ConformanceCase } from '../../case/case.ts';
import { eachRanked, mustEach, needing } from '../../case/must.ts';
import { assertSame } from '../../histories/difference.ts';
import { observe } from '../../histories/observation.ts';
import { makeHistory } from '../../histories/pool-calls.ts';
import { historyOptions } from '../../histories/pool-history.ts';
import { untilMs } from '../../scenario/kill.ts';
import { openOther, openPool } from '../../scenario/on-pool.ts';
import { hashesOf, point } from '../../scenario/pool.ts';
import { makeCalls } from '../../scenario/priority-traffic.ts';
import { bytesOf, stored, textsOf } from '../../scenario/records.ts';

/** With a clock that stands, two pools stay equal whenever they are called. */
const timeless = { ...historyOptions, now: () => 1_000 };

/** Without operation ids, which a dump has not. */
function anew(calls: readonly Call[]): Call[] {
  return calls.map(({ verb, args }) => {
    const isNamed = (arg: unknown): boolean => typeof arg === 'object' && arg !== null && 'operationId' in arg;
    return { verb, args: args.filter((arg) => !isNamed(arg)) } as unknown as Call;
  });
}

/** Records and a claim, which no history of the basic verbs has. */
async function addRest(store: MempoolStore): Promise<void> {
  await stored(store, 'a', 'kept');
  await stored(store, 'b', 'deleted');
  await store.putRecord('b', null);
  const [, back] = await store
    .take({ maxTxs: 2 }, { owner: 'other', claimMs: 10, operationId: 'another claim' })
    .then(({ transactions }) => hashesOf(transactions));
  if (back !== undefined) await store.release([back], { notBeforeMs: 50_000 });
  await store.take({ maxTxs: 2 }, { owner: 'worker', claimMs: 60_000, operationId: 'a claim' });
}

/** Restores a pool's dump into a new one, which must then be the same and stay so during these calls. */
async function assertRestores(
  { openOther }: CaseContext,
  source: MempoolStore,
  hashes: readonly string[],
  further: readonly Call[],
): Promise<void> {
  const dump = await source.dump();
  const target = await openOther(timeless);
  assert.deepEqual(await target.restore(structuredClone(dump)), { kind: 'restored' });
  assertSame(await target.dump(), dump, 'the dump of the restored pool is another');
  const read = async (store: MempoolStore): Promise<unknown> => {
    // The events of a restored pool begin anew.
    const { usage, ends, ...rest } = await observe(store, hashes);
    return { ...rest, ends: (ends as readonly unknown[]).slice(1), usage: { ...(usage as object), lastEventSeq: 0 } };
  };
  assertSame(await read(target), await read(source), 'what can be read of the restored pool is another');
  for (const call of further)
    assertSame(await perform(target, call), await perform(source, call), `${call.verb} has another outcome`);
  assertSame(await target.dump(), await source.dump(), 'after further calls the restored pool is another');
}

const whole = mustEach({
  'D3/chance: a new pool that was restored from a dump is the same, and goes on in the same way': async (context) => {
    const { hashes, calls } = await makeHistory(context.random.uint32(), 160, historyOptions);
    const source = await openPool(context, timeless);
    for (const call of calls) await perform(source.store, call);
    await addRest(source.store);
    const later = await makeHistory(context.random.uint32(), 60, historyOptions);
    await assertRestores(context, source.store, hashes, [...anew(calls), ...anew(later.calls)]);
  },
  'D3/empty: the dump of a new pool restores a new pool': async (context) => {
    const source = await openPool(context, timeless);
    await assertRestores(context, source.store, [], []);
  },
  'D3/new-only: only a new pool is restored; any other one stays as it is': async (context) => {
    const source = await openPool(context);
    const hashes = await source.receiveHashes(3);
    const dump = await source.store.dump();
    const [used, other] = [await openOther(context), await openOther(context)];
    await used.receive(1);
    await stored(other.store, 'a', 'x');
    for (const store of [used.store, other.store, source.store]) {
      const before = await store.dump();
      assert.deepEqual(await store.restore(dump), { kind: 'not-empty' });
      assertSame(await store.dump(), before, 'a pool that was not restored has changed');
    }
    assert.deepEqual(await source.pending(), hashes);
  },
  'D3/operation: a restore repeated under its operation id gets its outcome': async (context) => {
    const source = await openPool(context);
    await source.receive(3);
    const dump = await source.store.dump();
    const target = await openOther(context);
    const once = { operationId: 'the same' };
    assert.deepEqual(await target.store.restore(dump, once), { kind: 'restored' });
    assert.deepEqual(await target.store.restore(dump, once), { kind: 'restored' });
    assert.deepEqual(await target.store.restore(dump), { kind: 'not-empty' });
    assertSame(await target.store.dump(), dump, 'the repeated call has changed the pool');
  },
  'D3/numbers: seqs, log numbers and versions of records go on; events begin anew': async (context) => {
    const source = await openPool(context);
    const [first, second] = await source.receive(2);
    await source.store.drop([first?.hash ?? ''], { app: 'gone' });
    await addRest(source.store);
    const target = await openOther(context);
    await target.store.restore(await source.store.dump());
    assert.equal((await target.store.usage()).lastEventSeq, 0);
    const [third] = await target.receive(1);
    assert.deepEqual(
      (await target.store.peekPending()).transactions.map(({ hash, seq }) => [hash, seq]),
      [[third?.hash, 3]],
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
  'D3/claims: a claim of the dump ends in the restored pool': async (context) => {
    let nowMs = 1_000;
    const now = (): number => nowMs;
    const source = await openPool(context, { now });
    const hashes = await source.receiveHashes(3);
    await source.store.take({ maxTxs: 2 }, { owner: 'worker', claimMs: 500, operationId: 'a claim' });
    const target = await openOther(context, { now });
    await target.store.restore(await source.store.dump());
    assert.deepEqual((await target.store.sweep()).returned, []);
    nowMs = 2_000;
    assert.deepEqual((await target.store.sweep()).returned, hashes.slice(0, 2));
    assert.deepEqual(await target.pending(), hashes);
  },
  'D3/chain: blocks of the dump can be undone, and name transactions that come later': async (context) => {
    const source = await openPool(context);
    const [one] = await source.receive(1);
    const [hash, late] = [one?.hash ?? '', '1a'.repeat(32)];
    await source.store.confirm({ point: point(1), seen: [late], unseen: [] });
    await source.store.confirm({ point: point(2), seen: [hash], unseen: [] });
    await source.blocks(3, 3);
    const target = await openOther(context);
    await target.store.restore(await source.store.dump());
    const [outcome] = await target.store.receive([{ hash: late, payload: new Uint8Array(), payloadType: 0 }]);
    assert.deepEqual(outcome, { kind: 'received', hash: late, seq: 2, stage: 'Confirmed' });
    await target.assertStatus(hash, { confirmations: 2, confirmedAt: point(2) });
    const undone = await target.rollback(1);
    assert.ok(undone.kind === 'rolled-back' && undone.undone === 2 && undone.returned === 1);
    assert.deepEqual(await target.pending(), [hash]);
  },
  'D3/equal: blocks that name the same transactions, in any order, make equal dumps': async (context) => {
    const dumps = await Promise.all(
      [
        ['ff', '1a', 'a0'],
        ['a0', 'ff', '1a'],
      ].map(async (names, i) => {
        const store = await (i === 0 ? context.open(timeless) : context.openOther(timeless));
        await store.confirm({ point: point(1), seen: names.map((name) => name.repeat(32)), unseen: [] });
        return store.dump();
      }),
    );
    assertSame(dumps[1], dumps[0], 'the dumps are not equal');
  },
  'D3/times: times and attempts go on in the restored pool, and so does what is in flight too long': async (
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
    await target.store.restore(await source.store.dump());
    const told = async (store: MempoolStore): Promise<unknown> => [
      await store.checkStatus(hashes),
      (await store.usage()).oldestInflight,
      (await store.dumpFinalized()).entries,
    ];
    assertSame(await told(target.store), await told(source.store), 'times of the restored pool are others');
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
  'D3/stream: a dump is read from its lines; if they end too early, nothing has changed': async (context) => {
    const source = await openPool(context, timeless);
    await source.receive(3);
    await addRest(source.store);
    const dump = await source.store.dump();
    const lines = [...encodeDump(dump)];
    const target = await openOther(context, timeless);
    const before = await target.store.dump();
    await assert.rejects(
      decodeDump(lines.slice(0, -1)).then((cut) => target.store.restore(cut)),
      (error) => isMempoolError(error, 'ERR_MEMPOOL_INVALID') && error.details.field === 'dump',
    );
    assertSame(await target.store.dump(), before, 'half a dump has changed the pool');
    assert.deepEqual(await target.store.restore(await decodeDump(lines)), { kind: 'restored' });
    assertSame(await target.store.dump(), dump, 'the dump of the restored pool is another');
  },
  'D3/bytes: the bytes of a dump belong to the caller': async (context) => {
    const source = await openPool(context);
    await source.receive(1);
    await source.store.putRecord('a', bytesOf('x'));
    const [first, dump] = [await source.store.dump(), await source.store.dump()];
    const target = await openOther(context);
    const restoring = target.store.restore(first);
    for (const part of first.content) {
      if (part.kind === 'write') part.write.body?.payload.fill(0);
      if (part.kind === 'record') part.record.value.fill(0);
    }
    await restoring;
    for (const store of [source.store, target.store])
      assertSame(await store.dump(), dump, 'the pool has the caller’s bytes');
  },
  'D3/input: anything else than a dump of a pool of this ordering is refused': async (context) => {
    const pool = await openPool(context);
    const { ordering, content } = await pool.store.dump();
    const refuses = async (dump: unknown, field: string): Promise<void> => {
      await assert.rejects(pool.store.restore(dump as never), (error) => {
        assert.ok(isMempoolError(error, 'ERR_MEMPOOL_INVALID') && error.details.field === field, `${error}`);
        return true;
      });
    };
    await refuses(null, 'dump');
    await refuses({ ordering }, 'dump');
    await refuses({ ordering, content: [null] }, 'dump');
    await refuses({ ordering, content: [{ kind: 'else' }] }, 'dump');
    await refuses({ ordering: ordering === 'fifo' ? 'priority' : 'fifo', content }, 'dump.ordering');
    const after = {
      hash: 'XY',
      seq: 1,
      stage: 'Pending',
      tick: 0,
      confirmations: 0,
      nonConfirmations: 0,
      reason: null,
    };
    const body = { hash: 'XY', payload: new Uint8Array(), payloadType: 0 };
    await refuses({ ordering, content: [...content, { kind: 'write', write: { after, point: null, body } }] }, 'dump');
    assertSame((await pool.store.dump()).content, content, 'a refused dump has changed the pool');
  },
}).map(needing('restore', 'records'));

const durable = mustEach({
  'D3/reopened: a restored pool is the same after it was opened again': async (context) => {
    const { calls } = await makeHistory(context.random.uint32(), 120, historyOptions);
    const source = await openOther(context, timeless);
    for (const call of calls) await perform(source.store, call);
    await addRest(source.store);
    const dump = await source.store.dump();
    const target = await openPool(context, timeless);
    await target.store.restore(dump);
    await target.store.close();
    assertSame(await (await context.open(timeless)).dump(), dump, 'the reopened pool is another');
  },
}).map(needing('durable', 'restore', 'records'));

const shared = mustEach({
  'D3/nodes: every node sees the restored pool at once': async (context) => {
    const source = await openOther(context);
    const hashes = await source.receiveHashes(3);
    await stored(source.store, 'a', 'x');
    const [one, other] = [await openPool(context), await openPool(context)];
    assert.deepEqual(await other.pending(), []);
    await one.store.restore(await source.store.dump());
    assert.deepEqual(await other.pending(), hashes);
    assert.deepEqual(await other.mark(...hashes), hashes);
    assert.deepEqual(await one.pending(), []);
    assert.deepEqual(textsOf(await other.store.listRecords('')), [['a', 1, 'x']]);
  },
}).map(needing('shared', 'restore', 'records'));

const killed = mustEach({
  'D3/killed: a pool that was killed while it was restored is new or whole': async (context) => {
    const source = await openOther(context, timeless);
    for (let i = 0; i < 20; i++) await source.receive(50);
    await addRest(source.store);
    const dump = await source.store.dump();
    const measured = await openOther(context, timeless);
    const empty = await measured.store.dump();
    const begin = performance.now();
    await measured.store.restore(dump);
    const restoreMs = performance.now() - begin;
    const child = await context.fork('storm', { calls: [{ verb: 'restore', args: [dump] }] });
    await child.message();
    await untilMs(performance.now() + (context.random.below(1_000) / 1_000) * restoreMs);
    await child.kill();
    const target = await openPool(context, timeless);
    const left = await target.store.dump();
    const isNew = isDeepStrictEqual(left, empty);
    if (isNew) assert.deepEqual(await target.store.restore(dump), { kind: 'restored' });
    assertSame(isNew ? await target.store.dump() : left, dump, 'the pool is neither new nor whole');
  },
}).map(needing('durable', 'child-process', 'restore', 'records'));

/** D3, on pools of both orderings. */
export const restoringCases: readonly ConformanceCase[] = [...whole, ...durable, ...shared, ...killed];

/** D3, of what only priority pools have. */
export const rankedRestoringCases: readonly ConformanceCase[] = eachRanked({
  'D3/ranked: a restored priority pool has verdicts, order, tags, gossip numbers, claims and limits': async (
    context,
  ) => {
    const ranked = { ...timeless, ordering: 'priority', maxTxs: 40, replacementBump: 5 } as const;
    const source = await openPool(context, ranked);
    const calls = makeCalls(context.random, 150);
    for (const call of calls) await perform(source.store, call);
    await addRest(source.store);
    const dump = await source.store.dump();
    const target = await openOther(context, { ...timeless, ordering: 'priority' });
    assert.deepEqual(await target.store.restore(structuredClone(dump)), { kind: 'restored' });
    assertSame(await target.store.dump(), dump, 'the dump of the restored pool is another');
    const gossip = async (store: MempoolStore): Promise<unknown> =>
      (await store.since({ except: 'peer1', limit: 1_000 })).items;
    assertSame(await gossip(target.store), await gossip(source.store), 'gossip of the restored pool is another');
    for (const call of makeCalls(context.random, 60)) {
      const [told, due] = [await perform(target.store, call), await perform(source.store, call)];
      assertSame(told, due, `${call.verb} has another outcome`);
    }
    assertSame(
      await target.store.dump(),
      await source.store.dump(),
      'after further calls the restored pool is another',
    );
  },
}).map(needing('restore', 'records'));
