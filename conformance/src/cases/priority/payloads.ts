import assert from 'node:assert/strict';
import type { ReapedTransaction } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { eachFifo, needing } from '../../case/must.ts';
import type { TestedPool } from '../../case/tested-pool.ts';
import { openPool } from '../../scenario/on-pool.ts';
import { hashesOf } from '../../scenario/pool.ts';

const whole = { payloads: true } as const;
const seen = { payloads: true, view: true } as const;

function told(reaped: readonly ReapedTransaction[]): unknown[] {
  return reaped.map((one) => [one.hash, one.seq, one.bytes, one.payloadType, ...one.payload]);
}

/** Reaps with payloads, and asserts that views tell the same. */
async function reapWhole(
  store: TestedPool,
  budget: Parameters<TestedPool['reap']>[0] = {},
): Promise<ReapedTransaction[]> {
  const reaped = await store.reap(budget, whole);
  assert.deepEqual(told(await store.reap(budget, seen)), told(reaped));
  return reaped;
}

const cases = eachFifo({
  'P32/large: it gives more than a thousand transactions, in their order': async (context) => {
    const pool = await openPool(context);
    const hashes = hashesOf([...(await pool.receive(1_000)), ...(await pool.receive(3))]);
    assert.deepEqual(hashesOf(await reapWhole(pool.store)), hashes);
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
