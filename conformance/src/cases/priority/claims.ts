import assert from 'node:assert/strict';
import type { Claim, TransactionStatus } from 'mempool-core';
import type { CaseContext, ConformanceCase } from '../../case/case.ts';
import { eachFifo, needing } from '../../case/must.ts';
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

const cases = eachFifo({
  'P19/guarded: a worker acknowledges, releases and drops what is under its claim, and nothing that another has':
    async (context) => {
      const { pool, hashes } = await taken(context, 4);
      const [a = '', b = '', c = '', d = ''] = hashes;
      const marked = await pool.propagateOne();
      assert.deepEqual(await pool.store.markAcknowledged([marked, a], { claim: 'mine' }), [a]);
      assert.deepEqual(await pool.store.release([marked, a, b], { claim: 'mine' }), [b]);
      assert.deepEqual(await pool.store.drop([marked, b, c], 'failed', { claim: 'mine' }), [c]);
      pool.clock.nowMs += claimMs + 1;
      await pool.store.sweep();
      await pool.store.take({}, theirs);
      for (const claim of ['mine', 'no claim']) {
        assert.deepEqual(await pool.store.markAcknowledged([b, d], { claim }), []);
        assert.deepEqual(await pool.store.complete([b, d], { claim }), []);
        assert.deepEqual(await pool.store.release([b, d], { claim }), []);
        assert.deepEqual(await pool.store.drop([b, d], 'failed', { claim }), []);
      }
      const stages = ['Acknowledged', 'Propagated', 'Dropped', 'Propagated', 'Propagated'];
      assert.deepEqual(await pool.stages(a, b, c, d, marked), stages);
    },
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

export const claimCases: readonly ConformanceCase[] = [...cases, ...durable, ...damaged];
