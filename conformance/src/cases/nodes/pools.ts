import assert from 'node:assert/strict';
import { isMempoolError, type Transaction } from 'mempool-core';
import { perform } from '../../case/call.ts';
import type { CaseContext, ConformanceCase } from '../../case/case.ts';
import { mustEach, needing } from '../../case/must.ts';
import { Random } from '../../case/random.ts';
import { assertSame } from '../../histories/difference.ts';
import { expectWhole, observeWhole } from '../../histories/observation.ts';
import { CallMaker, historyHashes, historyOptions } from '../../histories/pool-calls.ts';
import { Model } from '../../model/model.ts';
import { eachOnPool, openOther, openPool } from '../../scenario/on-pool.ts';
import { kindsOf, type Pool, take } from '../../scenario/pool.ts';

/** Opens the pool while it is open: the same or another one, or `null` if the open is refused. */
async function openedAgain(context: CaseContext): Promise<Pool | null> {
  try {
    return await openPool(context, { timeoutMs: 100 });
  } catch (error) {
    assert.ok(isMempoolError(error, 'ERR_MEMPOOL_IN_USE'), `refused, but not as in use: ${error}`);
    return null;
  }
}

const secondOpen: ConformanceCase['run'] = async (context) => {
  const first = await openPool(context);
  const [a, b, c] = first.transactions(3) as [Transaction, Transaction, Transaction];
  await first.store.receive([a]);
  const second = await openedAgain(context);
  assert.ok(
    second === null || !context.capabilities.durable,
    'two stores keep one pool, and neither knows of the other',
  );
  await first.store.receive([b]);
  if (second !== null) {
    assert.deepEqual(await second.pending(), []);
    await second.store.receive([c]);
    assert.deepEqual(await second.pending(), [c.hash]);
  }
  assert.deepEqual(await first.pending(), [a.hash, b.hash]);
  await second?.store.close();
  assert.deepEqual(kindsOf(await first.store.receive([a, c])), ['duplicate', 'received']);
  await first.store.close();
  const kept = context.capabilities.durable ? [a.hash, b.hash, c.hash] : [];
  assert.deepEqual(await (await openPool(context)).pending(), kept);
};

const ownPools = mustEach({
  'N2/apart: two pools with the same transactions and blocks are independent': async (context) => {
    const hashes = historyHashes(context.random);
    const pools = await Promise.all(
      [0, 1].map(async () => ({
        store: await context.openOther(historyOptions),
        model: new Model(historyOptions),
        maker: new CallMaker(new Random(context.random.uint32()), hashes),
      })),
    );
    for (let n = 0; n < 80; n++)
      for (const { store, model, maker } of pools) {
        const call = maker.next(model);
        assertSame(await perform(store, call), await perform(model, call), 'the outcome is not the one due');
      }
    for (const { store, model } of pools)
      assertSame(
        await observeWhole(store, hashes),
        await expectWhole(model, hashes),
        'a pool is not what its calls give',
      );
  },
  'N2/operation-ids: an operation id of one pool means nothing in another': async (context) => {
    const [pool, other] = [await openPool(context), await openOther(context)];
    const options = { operationId: 'same in both' };
    await other.store.receive([pool.transaction()], options);
    const one = pool.transaction();
    await pool.store.receive([one], options);
    assert.deepEqual(await pool.pending(), [one.hash]);
  },
});

const onePool = eachOnPool({
  'N2/untouched: work in one pool leaves no trace in another': async (pool) => {
    const before = await pool.snapshot();
    const other = await openOther(pool.context);
    const hash = await other.receiveOne();
    await other.block(1, { seen: [hash] });
    assert.deepEqual(await pool.snapshot(), before);
    assert.deepEqual(await pool.stages(hash), ['Unknown']);
  },
  'N2/events: a reader of one pool hears nothing of another': async (pool) => {
    const other = await openOther(pool.context);
    const stream = await pool.subscribe();
    await other.receive(3);
    const hash = await pool.receiveOne();
    const [event] = await take(stream, 1);
    assert.equal(event?.kind === 'transaction' && event.hash, hash);
  },
});

const ownPoolsUnshared = mustEach({
  'N3/second-open: a second open of an open pool is refused, or opens another pool': secondOpen,
}).map(needing('unshared'));

export const poolCases: readonly ConformanceCase[] = [...ownPools, ...onePool, ...ownPoolsUnshared];
