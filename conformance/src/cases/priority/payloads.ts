import assert from 'node:assert/strict';
import type { AnyStore, ReapedTransaction } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { eachFifo, needing } from '../../case/must.ts';
import { openPool } from '../../scenario/on-pool.ts';
import { hashesOf } from '../../scenario/pool.ts';

const whole = { payloads: true } as const;
const seen = { payloads: true, view: true } as const;

function told(reaped: readonly ReapedTransaction[]): unknown[] {
  return reaped.map((one) => [one.hash, one.seq, one.bytes, one.payloadType, ...one.payload]);
}

/** Reaps with payloads, and asserts that views tell the same. */
async function reapWhole(store: AnyStore, budget: Parameters<AnyStore['reap']>[0] = {}): Promise<ReapedTransaction[]> {
  const reaped = await store.reap(budget, whole);
  assert.deepEqual(told(await store.reap(budget, seen)), told(reaped));
  return reaped;
}

const cases = eachFifo({
  'P32/whole: reap with payloads gives what reap selects, each with its payload and payload type': async (context) => {
    const pool = await openPool(context);
    const given = await pool.receive(4);
    await pool.mark(...hashesOf(given.slice(0, 1)));
    const expected = given
      .slice(1, 3)
      .map(({ hash, payload, payloadType }, i) => [hash, i + 2, 48, payloadType, ...payload]);
    assert.deepEqual(told(await reapWhole(pool.store, { maxBytes: 100 })), expected);
    const plain = await pool.store.reap({ maxBytes: 100 });
    const reaped = await pool.store.reap({ maxBytes: 100 }, whole);
    const withoutBodies = reaped.map(({ payload: _, payloadType: __, ...candidate }) => candidate);
    assert.deepEqual(withoutBodies, plain);
  },
  'P32/changes-nothing: it marks nothing, and makes no event': async (context) => {
    const pool = await openPool(context);
    const hashes = await pool.receiveHashes(3);
    const { lastEventSeq } = await pool.store.usage();
    await reapWhole(pool.store);
    assert.deepEqual(await pool.pending(), hashes);
    assert.equal((await pool.store.usage()).lastEventSeq, lastEventSeq);
  },
  'P32/large: it gives more than a thousand transactions, in their order': async (context) => {
    const pool = await openPool(context);
    const hashes = hashesOf([...(await pool.receive(1_000)), ...(await pool.receive(3))]);
    assert.deepEqual(hashesOf(await reapWhole(pool.store)), hashes);
  },
  'P32/owned: without a view the payloads belong to the caller': async (context) => {
    const pool = await openPool(context);
    const [given] = await pool.receive(1);
    const [first] = await pool.store.reap({}, whole);
    assert.ok(given && first);
    first.payload.fill(99);
    assert.deepEqual(
      told(await reapWhole(pool.store))
        .flat()
        .slice(4),
      [...given.payload],
    );
  },
  'P32/views-stay: a view keeps its bytes when its transaction is gone and others come': async (context) => {
    const pool = await openPool(context);
    const given = await pool.receive(3);
    const views = await pool.store.reap({}, seen);
    const others = await pool.store.payloads(hashesOf(given), { view: true });
    assert.deepEqual(
      others.map((one) => one && [...one.payload]),
      given.map(({ payload }) => [...payload]),
    );
    await pool.drop(...hashesOf(given));
    await pool.receive(5);
    await pool.store.receive(given.map((one) => ({ ...one, payload: new Uint8Array(48) })));
    for (const [i, { payload }] of given.entries()) {
      assert.deepEqual([...(views[i]?.payload ?? [])], [...payload]);
      assert.deepEqual([...(others[i]?.payload ?? [])], [...payload]);
    }
  },
});

const damaged = eachFifo({
  'P32/damaged-payload: a damaged transaction is left out, and all others come whole': async (context) => {
    const before = await openPool(context);
    const [first = '', bad = '', third = ''] = await before.receiveHashes(3);
    await before.store.close();
    await context.damage({ kind: 'payload', hash: bad });
    const pool = await openPool(context);
    assert.deepEqual(hashesOf(await reapWhole(pool.store)), [first, third]);
  },
}).map(needing('durable', 'damage'));

/** P32, in pools of both orderings. */
export const payloadCases: readonly ConformanceCase[] = [...cases, ...damaged];
