import assert from 'node:assert/strict';
import type { MempoolStore } from 'mempool-core';
import type { CaseContext, ConformanceCase } from '../../case/case.ts';
import { mustEach, needing } from '../../case/must.ts';
import { win } from '../../scenario/lease.ts';
import { emptyBlocks, finalizeIn, pendingOrder, receive, receiveOne, tipOf } from '../../scenario/pool.ts';

/** Leaves something of each kind in the pool and closes it. Returns its epoch. */
async function fillAndClose(context: CaseContext, store: MempoolStore): Promise<string> {
  const [final, ...rest] = await receive(context, store, 5);
  const hashes = rest.map(({ hash }) => hash);
  await store.markInflight(hashes.slice(0, 2), { operationId: 'mark' });
  await store.drop(hashes.slice(2, 3), 'failed');
  await finalizeIn(store, 1, [String(final?.hash)]);
  await emptyBlocks(store, 2, 3);
  const { epoch } = await store.tip();
  await store.close();
  return epoch;
}

/** Like a pool that was never opened before. */
async function assertNew(context: CaseContext, epoch: string): Promise<void> {
  const store = await context.open();
  assert.notEqual((await store.tip()).epoch, epoch, 'the new pool has the epoch of the removed one');
  const { pending, propagated, logged, lastSeq, lastLogSeq, lastEventSeq } = await store.usage();
  const counts = { pending, propagated, logged, lastSeq, lastLogSeq, lastEventSeq };
  const none = { pending: 0, propagated: 0, logged: 0, lastSeq: 0, lastLogSeq: 0, lastEventSeq: 0 };
  assert.deepEqual(counts, none, 'something of the removed pool is left');
  assert.deepEqual(await tipOf(store, 3), { point: null, tick: 0, points: [] });
  const hash = await receiveOne(context, store);
  assert.deepEqual(await store.markInflight([hash], { operationId: 'mark' }), [hash], 'its operation ids are left');
}

const durable = mustEach({
  'D4/anew: a removed pool is made anew, with an epoch and numbers of its own': async (context) => {
    const epoch = await fillAndClose(context, await context.open());
    await context.remove();
    await assertNew(context, epoch);
  },
  'D4/answer: it tells whether there was a pool, and may be repeated': async (context) => {
    assert.equal(await context.remove(), false, 'there is no pool yet');
    await fillAndClose(context, await context.open());
    assert.deepEqual([await context.remove(), await context.remove()], [true, false]);
    await (await context.open()).close();
    assert.equal(await context.remove(), true, 'a pool to which nothing was written is one too');
  },
  'D4/others: pools of similar names stay': async (context) => {
    const pool = context.newPool();
    const names = [`${pool}2`, `2${pool}`, `${pool}:`, `${pool}*`, pool];
    const left: (readonly [name: string, hashes: readonly string[]])[] = [];
    for (const name of names) {
      const store = await context.openNamed(name);
      left.push([name, [await receiveOne(context, store)]]);
      await store.close();
    }
    assert.deepEqual([await context.remove(pool), await context.remove(`${pool}*`)], [true, true]);
    for (const [name, hashes] of left.slice(0, 3))
      assert.deepEqual([name, await pendingOrder(await context.openNamed(name))], [name, hashes]);
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
    await fillAndClose(context, await context.open());
    assert.deepEqual([await context.remove(), await context.remove()], [false, false]);
  },
}).map(needing('remove', 'volatile'));

export const removingCases: readonly ConformanceCase[] = [...durable, ...elected, ...fleeting];
