import assert from 'node:assert/strict';
import type { MempoolStore } from 'mempool-core';
import { perform } from '../../case/call.ts';
import type { CaseContext, ConformanceCase, Need } from '../../case/case.ts';
import { mustEach, needing } from '../../case/must.ts';
import { assertSame } from '../../histories/difference.ts';
import { expectWhole, observeWhole } from '../../histories/observation.ts';
import { makeHistory } from '../../histories/pool-calls.ts';
import { historyOptions } from '../../histories/pool-history.ts';
import { Model } from '../../model/model.ts';
import {
  block,
  cursorAt,
  emptyBlocks,
  finalizeIn,
  gist,
  hashesOf,
  pendingOrder,
  point,
  receive,
  receiveOne,
  stagesOf,
  take,
  tipOf,
  transaction,
} from '../../scenario/pool.ts';

const durable: readonly Need[] = ['durable'];

/** Closes the store and opens the pool again. */
async function reopen({ open }: CaseContext, store: MempoolStore): Promise<MempoolStore> {
  await store.close();
  return open();
}

const ownPoolsDurable = mustEach({
  'D1/reopened: reopening again and again changes nothing that can be read': async (context) => {
    const { hashes, calls } = await makeHistory(context.random.uint32(), 240, historyOptions);
    const model = new Model(historyOptions);
    let store = await context.open(historyOptions);
    for (const [i, call] of calls.entries()) {
      assertSame(await perform(store, call), await perform(model, call), 'the outcome is not the one due');
      if (i % 20 > 0) continue;
      await store.close();
      store = await context.open(historyOptions);
      assertSame(await observeWhole(store, hashes), await expectWhole(model, hashes), 'reopening changed something');
    }
  },
  'D1/pending-order: pending order and numbers are as they were, and new transactions go to the end': async (
    context,
  ) => {
    const first = await context.open();
    const old = await receive(context, first, 5);
    const store = await reopen(context, first);
    const [outcome] = await store.receive([transaction(context.random)]);
    assert.deepEqual((await pendingOrder(store)).slice(0, 5), hashesOf(old));
    assert.equal(outcome?.kind === 'received' && outcome.seq, 6);
  },
  'D1/operation-ids: a call repeated after reopening is answered from its record': async (context) => {
    const first = await context.open();
    const one = transaction(context.random);
    const options = { operationId: 'before' };
    const outcome = await first.receive([one], options);
    const store = await reopen(context, first);
    assert.deepEqual(await store.receive([one], options), outcome);
    assert.equal((await store.usage()).lastEventSeq, 1);
  },
  'D1/sightings: inclusions in the last blocks are still known after reopening': async (context) => {
    const first = await context.open();
    const late = transaction(context.random);
    await block(first, 1, { seen: [late.hash] });
    const store = await reopen(context, first);
    await store.receive([late]);
    assert.deepEqual(await stagesOf(store, [late.hash]), ['Confirmed']);
  },
  'D1/retention: limits set by one open hold for a later open that sets none': async (context) => {
    const first = await context.open({ maxFinalized: 2 });
    const store = await reopen(context, first);
    await finalizeIn(store, 1, hashesOf(await receive(context, store, 5)));
    assert.equal((await store.usage()).logged, 2);
  },
  'X4/reopened: the tip and the points before it are there after reopening': async (context) => {
    const first = await context.open();
    const hash = await receiveOne(context, first);
    await emptyBlocks(first, 1, 3);
    await block(first, 4, { seen: [hash] });
    const store = await reopen(context, first);
    assert.deepEqual(await tipOf(store, 9), {
      point: point(4),
      tick: 4,
      points: [point(4), point(3), point(2), point(1)],
    });
    await store.rollback(point(2));
    assert.deepEqual(await stagesOf(store, [hash]), ['Pending']);
  },
  'E3/resume-after-reopening: a reader resumes after its last event across a reopening': async (context) => {
    const first = await context.open();
    const hash = await receiveOne(context, first);
    await first.markInflight([hash]);
    const store = await reopen(context, first);
    await store.markAcknowledged([hash]);
    const events = await take(
      await store.subscribe({ after: await cursorAt(store, 'events', 1), signal: context.signal }),
      2,
    );
    assert.deepEqual(
      events.map((event) => [event.kind === 'lagged' ? 0 : event.eventSeq, gist(event)]),
      [
        [2, `Propagated ${hash}`],
        [3, `Acknowledged ${hash}`],
      ],
    );
  },
}).map(needing(...durable));

const ownPoolsVolatile = mustEach({
  'D2/empty: a pool that is not durable is empty when it is opened again': async (context) => {
    const first = await context.open();
    const [one] = await receive(context, first, 3);
    assert.ok(one);
    await block(first, 1, { seen: [one.hash] });
    const store = await reopen(context, first);
    const whole = await observeWhole(store, [one.hash]);
    assert.deepEqual(whole, await expectWhole(new Model(historyOptions), [one.hash]));
  },
  'D2/operation-ids: a pool that is not durable forgets its operation ids when it closes': async (context) => {
    const first = await context.open();
    const one = transaction(context.random);
    const options = { operationId: 'before' };
    await first.receive([one], options);
    const store = await reopen(context, first);
    await store.receive([one], options);
    assert.deepEqual(await pendingOrder(store), [one.hash]);
  },
}).map(needing('volatile'));

export const reopeningCases: readonly ConformanceCase[] = [...ownPoolsDurable, ...ownPoolsVolatile];
