import assert from 'node:assert/strict';
import { perform } from '../../case/call.ts';
import type { ConformanceCase, Need } from '../../case/case.ts';
import { mustEach, needing } from '../../case/must.ts';
import { assertSame } from '../../histories/difference.ts';
import { expectWhole, observeWhole } from '../../histories/observation.ts';
import { historyOptions, makeHistory } from '../../histories/pool-calls.ts';
import { Model } from '../../model/model.ts';
import { openPool } from '../../scenario/on-pool.ts';
import { gist, hashesOf, type Pool, point, take } from '../../scenario/pool.ts';

const durable: readonly Need[] = ['durable'];

/** Closes the store and opens the pool again. */
async function reopen({ context, store }: Pool): Promise<Pool> {
  await store.close();
  return openPool(context);
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
    const first = await openPool(context);
    const old = await first.receive(5);
    const pool = await reopen(first);
    const [outcome] = await pool.store.receive([first.transaction()]);
    assert.deepEqual((await pool.pending()).slice(0, 5), hashesOf(old));
    assert.equal(outcome?.kind === 'received' && outcome.seq, 6);
  },
  'D1/operation-ids: a call repeated after reopening is answered from its record': async (context) => {
    const first = await openPool(context);
    const one = first.transaction();
    const options = { operationId: 'before' };
    const outcome = await first.store.receive([one], options);
    const pool = await reopen(first);
    assert.deepEqual(await pool.store.receive([one], options), outcome);
    assert.equal((await pool.store.usage()).lastEventSeq, 1);
  },
  'D1/sightings: inclusions in the last blocks are still known after reopening': async (context) => {
    const first = await openPool(context);
    const late = first.transaction();
    await first.block(1, { seen: [late.hash] });
    const pool = await reopen(first);
    await pool.store.receive([late]);
    assert.deepEqual(await pool.stages(late.hash), ['Confirmed']);
  },
  'D1/retention: limits set by one open hold for a later open that sets none': async (context) => {
    const first = await openPool(context, { maxFinalized: 2 });
    const pool = await reopen(first);
    await pool.finalizeIn(1, ...hashesOf(await pool.receive(5)));
    assert.equal((await pool.store.usage()).logged, 2);
  },
  'X4/reopened: the tip and the points before it are there after reopening': async (context) => {
    const first = await openPool(context);
    const hash = await first.receiveOne();
    await first.blocks(1, 3);
    await first.block(4, { seen: [hash] });
    const pool = await reopen(first);
    assert.deepEqual(await pool.tip(9), {
      point: point(4),
      tick: 4,
      points: [point(4), point(3), point(2), point(1)],
    });
    await pool.rollback(2);
    assert.deepEqual(await pool.stages(hash), ['Pending']);
  },
  'E3/resume-after-reopening: a reader resumes after its last event across a reopening': async (context) => {
    const first = await openPool(context);
    const hash = await first.receiveOne();
    await first.mark(hash);
    const pool = await reopen(first);
    await pool.acknowledge(hash);
    const events = await take(
      await pool.store.subscribe({ after: await pool.cursor('events', 1), signal: context.signal }),
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
    const first = await openPool(context);
    const [one] = await first.receive(3);
    assert.ok(one);
    await first.block(1, { seen: [one.hash] });
    const pool = await reopen(first);
    const whole = await observeWhole(pool.store, [one.hash]);
    assert.deepEqual(whole, await expectWhole(new Model(historyOptions), [one.hash]));
  },
  'D2/operation-ids: a pool that is not durable forgets its operation ids when it closes': async (context) => {
    const first = await openPool(context);
    const one = first.transaction();
    const options = { operationId: 'before' };
    await first.store.receive([one], options);
    const pool = await reopen(first);
    await pool.store.receive([one], options);
    assert.deepEqual(await pool.pending(), [one.hash]);
  },
}).map(needing('volatile'));

export const reopeningCases: readonly ConformanceCase[] = [...ownPoolsDurable, ...ownPoolsVolatile];
