import assert from 'node:assert/strict';
import type { AnyStore, Claim, TransactionStatus } from 'mempool-core';
import type { CaseContext, ConformanceCase } from '../../case/case.ts';
import { eachFifo, mustFifo, needing } from '../../case/must.ts';
import { openTimed, type TimedPool } from '../../scenario/on-pool.ts';
import { hashesOf } from '../../scenario/pool.ts';

/** A pool with a clock, and a worker that has taken all of it. */
interface Taken {
  readonly pool: TimedPool;
  readonly hashes: readonly string[];
  readonly claim: Claim;
}

const claimMs = 100;
const mine = { owner: 'mine', claimMs, operationId: 'mine' };
const theirs = { owner: 'theirs', claimMs, operationId: 'theirs' };

async function taken(context: CaseContext, count: number): Promise<Taken> {
  const pool = await openTimed(context, {}, { nowMs: 5_000 });
  const hashes = await pool.receiveHashes(count);
  return { pool, hashes, claim: await pool.store.take({}, mine) };
}

/** The claim ends, and another worker takes the same transactions. */
async function lost({ pool }: Taken): Promise<void> {
  pool.clock.nowMs += claimMs + 1;
  await pool.store.sweep();
  await pool.store.take({}, theirs);
}

type Act = (store: AnyStore, hashes: readonly string[], claim: string) => Promise<string[]>;

/** What a worker does with what it has taken, and where that leads. */
const acts: readonly (readonly [id: string, title: string, act: Act, stage: string])[] = [
  ['acknowledge', 'acknowledges', (store, hashes, claim) => store.markAcknowledged(hashes, { claim }), 'Acknowledged'],
  ['release', 'releases', (store, hashes, claim) => store.release(hashes, { claim }), 'Pending'],
  ['drop', 'drops', (store, hashes, claim) => store.drop(hashes, 'failed', { claim }), 'Dropped'],
];

function within([id, title, act, stage]: (typeof acts)[number]): ConformanceCase {
  return mustFifo(
    `P19/${id}-its-own`,
    `a worker ${title} what is under its claim, and nothing else`,
    async (context) => {
      const { pool, hashes } = await taken(context, 3);
      const [first = '', second = '', third = ''] = hashes;
      const [waiting = '', marked = ''] = hashesOf(await pool.receive(2));
      await pool.mark(marked);
      await pool.acknowledge(second);
      const named = [marked, second, first, waiting];
      assert.deepEqual(await act(pool.store, named, 'mine'), [first]);
      const stages = await pool.stages(first, second, third, waiting, marked);
      assert.deepEqual(stages, [stage, 'Acknowledged', 'Propagated', 'Pending', 'Propagated']);
    },
  );
}

function late([id, title, act, stage]: (typeof acts)[number]): ConformanceCase {
  return mustFifo(`P19/${id}-too-late`, `a worker ${title} nothing that another has taken since`, async (context) => {
    const scene = await taken(context, 2);
    const { pool, hashes } = scene;
    await lost(scene);
    assert.deepEqual(await act(pool.store, hashes, 'mine'), []);
    assert.deepEqual(await pool.stages(...hashes), ['Propagated', 'Propagated']);
    assert.deepEqual(await act(pool.store, hashes, 'theirs'), hashes);
    assert.deepEqual(await pool.stages(...hashes), [stage, stage]);
  });
}

function nobodys([id, title, act]: (typeof acts)[number]): ConformanceCase {
  return mustFifo(`P19/${id}-no-claim`, `nobody ${title} anything under a claim that there is not`, async (context) => {
    const { pool, hashes } = await taken(context, 1);
    assert.deepEqual(await act(pool.store, hashes, 'no claim'), []);
    await pool.release(...hashes);
    await pool.mark(...hashes);
    assert.deepEqual(await act(pool.store, hashes, 'mine'), []);
    assert.deepEqual(await pool.stages(...hashes), ['Propagated']);
  });
}

const cases = eachFifo({
  'P19/extend: an extended claim ends later, and tells what is under it': async (context) => {
    const { pool, hashes } = await taken(context, 3);
    await pool.acknowledge(...hashes.slice(0, 1));
    pool.clock.nowMs = 5_080;
    assert.deepEqual(await pool.store.extendClaim('mine', 200), { kind: 'extended', untilMs: 5_280, held: 2 });
    pool.clock.nowMs = 5_280;
    assert.deepEqual((await pool.store.sweep()).returned, []);
    pool.clock.nowMs = 5_281;
    assert.deepEqual((await pool.store.sweep()).returned, hashes.slice(1));
  },
  'P19/extend-ended: nothing is extended if nothing is under the claim': async (context) => {
    const scene = await taken(context, 2);
    const { pool, hashes } = scene;
    assert.deepEqual(await pool.store.extendClaim('no claim', 50), { kind: 'ended' });
    await lost(scene);
    assert.deepEqual(await pool.store.extendClaim('mine', 50), { kind: 'ended' });
    await pool.acknowledge(...hashes.slice(0, 1));
    await pool.release(...hashes.slice(1));
    assert.deepEqual(await pool.store.extendClaim('theirs', 50), { kind: 'ended' });
  },
  'P19/extend-repeated: a repeat with the same id returns the first outcome, and extends nothing': async (context) => {
    const { pool, hashes } = await taken(context, 1);
    const options = { operationId: 'extend' };
    const first = await pool.store.extendClaim('mine', 200, options);
    pool.clock.nowMs = 5_150;
    assert.deepEqual(await pool.store.extendClaim('mine', 200, options), first);
    pool.clock.nowMs = 5_201;
    assert.deepEqual((await pool.store.sweep()).returned, hashes);
  },
  'P19/extend-given-time: an extension counts from the time of the call, which is never past the pool’s': async (
    context,
  ) => {
    const { pool } = await taken(context, 1);
    const early = await pool.store.extendClaim('mine', 300, { now: 4_900 });
    const late = await pool.store.extendClaim('mine', 300, { now: 9_000 });
    assert.deepEqual(
      [early, late],
      [5_200, 5_300].map((untilMs) => ({ kind: 'extended', untilMs, held: 1 })),
    );
  },
  'P8/with-payloads: a claim with payloads has each transaction whole, also when the take is repeated': async (
    context,
  ) => {
    const pool = await openTimed(context, {}, { nowMs: 5_000 });
    const given = await pool.receive(3);
    const first = await pool.store.take({ maxTxs: 2 }, { ...mine, payloads: true });
    const told = first.transactions.map((one) =>
      'kind' in one ? null : [one.hash, one.payloadType, [...one.payload]],
    );
    assert.deepEqual(
      told,
      given.slice(0, 2).map(({ hash, payload, payloadType }) => [hash, payloadType, [...payload]]),
    );
    await pool.release(...hashesOf(given.slice(0, 1)));
    const again = await pool.store.take({ maxTxs: 2 }, { ...mine, payloads: true });
    assert.deepEqual(again.transactions, first.transactions.slice(1));
  },
});

const durable = eachFifo({
  'P19/kept: claims and their extension outlive the process': async (context) => {
    const { pool, hashes } = await taken(context, 2);
    await pool.store.extendClaim('mine', 500);
    await pool.store.close();
    const again = await pool.another();
    pool.clock.nowMs = 5_400;
    assert.deepEqual((await again.store.sweep()).returned, []);
    assert.deepEqual(await again.store.markAcknowledged(hashes.slice(0, 1), { claim: 'mine' }), hashes.slice(0, 1));
    assert.deepEqual(await again.store.extendClaim('mine', 200), { kind: 'extended', untilMs: 5_600, held: 1 });
    pool.clock.nowMs = 5_601;
    assert.deepEqual((await again.store.sweep()).returned, hashes.slice(1));
  },
}).map(needing('durable'));

const damaged = eachFifo({
  'P8/damaged-payload: a claim leaves a damaged transaction out; when it ends, that is dropped': async (context) => {
    const before = await openTimed(context, {}, { nowMs: 5_000 });
    const [first = '', bad = '', third = ''] = await before.receiveHashes(3);
    await before.store.close();
    await context.damage({ kind: 'payload', hash: bad });
    const pool = await openTimed(context, {}, { nowMs: 5_000 });
    const { transactions } = await pool.store.take({}, { ...mine, payloads: true });
    assert.deepEqual(hashesOf(transactions), [first, third]);
    assert.deepEqual(await pool.stages(bad), ['Propagated']);
    await pool.store.markAcknowledged([first, third], { claim: mine.operationId });
    pool.clock.nowMs += mine.claimMs + 1;
    await pool.store.sweep();
    const [{ stage, reason }] = (await pool.statuses([bad])) as [TransactionStatus];
    assert.deepEqual([stage, reason], ['Dropped', 'damaged']);
  },
}).map(needing('durable', 'damage'));

export const claimCases: readonly ConformanceCase[] = [
  ...acts.map(within),
  ...acts.map(late),
  ...acts.map(nobodys),
  ...cases,
  ...durable,
  ...damaged,
];
