import assert from 'node:assert/strict';
import type { CaseContext, ConformanceCase } from '../../case/case.ts';
import { mustEach, needing } from '../../case/must.ts';
import { win } from '../../scenario/lease.ts';
import { openNamed, openPool } from '../../scenario/on-pool.ts';
import type { Pool } from '../../scenario/pool.ts';

/** Leaves something of each kind in the pool and closes it. Returns its epoch. */
async function fillAndClose(pool: Pool): Promise<string> {
  const [final, ...rest] = await pool.receive(5);
  const hashes = rest.map(({ hash }) => hash);
  await pool.store.markInflight(hashes.slice(0, 2), { operationId: 'mark' });
  await pool.drop(...hashes.slice(2, 3));
  await pool.finalizeIn(1, String(final?.hash));
  await pool.blocks(2, 3);
  const { epoch } = await pool.store.tip();
  await pool.store.close();
  return epoch;
}

/** Like a pool that was never opened before. */
async function assertNew(context: CaseContext, epoch: string): Promise<void> {
  const pool = await openPool(context);
  assert.notEqual((await pool.store.tip()).epoch, epoch, 'the new pool has the epoch of the removed one');
  const { pending, propagated, logged, lastSeq, lastLogSeq, lastEventSeq } = await pool.store.usage();
  const counts = { pending, propagated, logged, lastSeq, lastLogSeq, lastEventSeq };
  const none = { pending: 0, propagated: 0, logged: 0, lastSeq: 0, lastLogSeq: 0, lastEventSeq: 0 };
  assert.deepEqual(counts, none, 'something of the removed pool is left');
  assert.deepEqual(await pool.tip(3), { point: null, tick: 0, points: [] });
  const hash = await pool.receiveOne();
  assert.deepEqual(
    await pool.store.markInflight([hash], { operationId: 'mark' }),
    [hash],
    'its operation ids are left',
  );
}

const durable = mustEach({
  'D4/anew: a removed pool is made anew, with an epoch and numbers of its own': async (context) => {
    const epoch = await fillAndClose(await openPool(context));
    await context.remove();
    await assertNew(context, epoch);
  },
  'D4/answer: it tells whether there was a pool, and may be repeated': async (context) => {
    assert.equal(await context.remove(), false, 'there is no pool yet');
    await fillAndClose(await openPool(context));
    assert.deepEqual([await context.remove(), await context.remove()], [true, false]);
    await (await context.open()).close();
    assert.equal(await context.remove(), true, 'a pool to which nothing was written is one too');
  },
  'D4/others: pools of similar names stay': async (context) => {
    const pool = context.newPool();
    const names = [`${pool}2`, `2${pool}`, `${pool}:`, `${pool}*`, pool];
    const left: (readonly [name: string, hashes: readonly string[]])[] = [];
    for (const name of names) {
      const opened = await openNamed(context, name);
      left.push([name, [await opened.receiveOne()]]);
      await opened.store.close();
    }
    assert.deepEqual([await context.remove(pool), await context.remove(`${pool}*`)], [true, true]);
    for (const [name, hashes] of left.slice(0, 3))
      assert.deepEqual([name, await (await openNamed(context, name)).pending()], [name, hashes]);
  },
}).map(needing('remove', 'durable'));

const elected = mustEach({
  'D4/election: the election of the pool goes with it': async (context) => {
    await (await context.open()).close();
    const leases = await context.leases();
    await win(context, leases);
    await leases.close();
    await context.remove();
    const { lease, term } = await (await context.leases()).observe();
    assert.deepEqual({ lease, term }, { lease: null, term: 0 });
  },
}).map(needing('remove', 'durable', 'election'));

const fleeting = mustEach({
  'D4/volatile: where nothing is stored, there is nothing to remove': async (context) => {
    await fillAndClose(await openPool(context));
    assert.deepEqual([await context.remove(), await context.remove()], [false, false]);
  },
}).map(needing('remove', 'volatile'));

export const removingCases: readonly ConformanceCase[] = [...durable, ...elected, ...fleeting];
