import assert from 'node:assert/strict';
import { isMempoolError, type MempoolStore, type Transaction } from 'mempool-core';
import { perform } from '../../case/call.ts';
import type { CaseContext, ConformanceCase } from '../../case/case.ts';
import { eachOnPool, mustEach, needing } from '../../case/must.ts';
import { Random } from '../../case/random.ts';
import { assertSame } from '../../histories/difference.ts';
import { expectWhole, observeWhole } from '../../histories/observation.ts';
import { CallMaker, historyHashes } from '../../histories/pool-calls.ts';
import { historyOptions } from '../../histories/pool-history.ts';
import { Model } from '../../model/model.ts';
import {
  block,
  kindsOf,
  pendingOrder,
  receive,
  receiveOne,
  snapshot,
  stagesOf,
  take,
  transaction,
  transactions,
} from '../../scenario/pool.ts';

/** Opens the pool while it is open: the store, or `null` if the open is refused. */
async function openedAgain(context: CaseContext): Promise<MempoolStore | null> {
  try {
    return await context.open({ timeoutMs: 100 });
  } catch (error) {
    assert.ok(isMempoolError(error, 'ERR_MEMPOOL_IN_USE'), `refused, but not as in use: ${error}`);
    return null;
  }
}

const secondOpen: ConformanceCase['run'] = async (context) => {
  const first = await context.open();
  const [a, b, c] = transactions(context.random, 3) as [Transaction, Transaction, Transaction];
  await first.receive([a]);
  const second = await openedAgain(context);
  assert.ok(
    second === null || !context.capabilities.durable,
    'two stores keep one pool, and neither knows of the other',
  );
  await first.receive([b]);
  if (second !== null) {
    assert.deepEqual(await pendingOrder(second), []);
    await second.receive([c]);
    assert.deepEqual(await pendingOrder(second), [c.hash]);
  }
  assert.deepEqual(await pendingOrder(first), [a.hash, b.hash]);
  await second?.close();
  assert.deepEqual(kindsOf(await first.receive([a, c])), ['duplicate', 'received']);
  await first.close();
  const kept = context.capabilities.durable ? [a.hash, b.hash, c.hash] : [];
  assert.deepEqual(await pendingOrder(await context.open()), kept);
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
    const [store, other] = [await context.open(), await context.openOther()];
    const options = { operationId: 'same in both' };
    await other.receive([transaction(context.random)], options);
    const one = transaction(context.random);
    await store.receive([one], options);
    assert.deepEqual(await pendingOrder(store), [one.hash]);
  },
});

const onePool = eachOnPool({
  'N2/untouched: work in one pool leaves no trace in another': async (store, context) => {
    const before = await snapshot(store);
    const other = await context.openOther();
    const hash = await receiveOne(context, other);
    await block(other, 1, { seen: [hash] });
    assert.deepEqual(await snapshot(store), before);
    assert.deepEqual(await stagesOf(store, [hash]), ['Unknown']);
  },
  'N2/events: a reader of one pool hears nothing of another': async (store, context) => {
    const other = await context.openOther();
    const stream = await store.subscribe({ signal: context.signal });
    await receive(context, other, 3);
    const hash = await receiveOne(context, store);
    const [event] = await take(stream, 1);
    assert.equal(event?.kind === 'transaction' && event.hash, hash);
  },
});

const ownPoolsUnshared = mustEach({
  'N3/second-open: a second open of an open pool is refused, or opens another pool': secondOpen,
}).map(needing('unshared'));

export const poolCases: readonly ConformanceCase[] = [...ownPools, ...onePool, ...ownPoolsUnshared];
