import assert from 'node:assert/strict';
import type { MempoolStore } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { eachFifo, eachOnFifoPool, mustArrive } from '../../case/must.ts';
import { block, eventsOf, gist, hashesOf, receive, stagesOf, transaction } from '../../scenario/pool.ts';
import type { Submission } from '../../scenario/priority.ts';

type Ending = (store: MempoolStore, one: Submission) => Promise<unknown>;

/** What ends the lease of a transaction before its time. */
const endings: readonly (readonly [id: string, title: string, end: Ending])[] = [
  ['acknowledged', 'acknowledging', (store, { hash }) => store.markAcknowledged([hash])],
  ['released', 'releasing', (store, { hash }) => store.release([hash])],
  [
    'dropped',
    'dropping',
    async (store, one) => {
      await store.drop([one.hash], 'gone');
      await store.receive([one]);
    },
  ],
  [
    'confirmed',
    'a block with it',
    async (store, { hash }) => {
      await block(store, 1, { seen: [hash] });
      await store.rollback(null);
    },
  ],
  ['taken-back', 'a block that takes it back', (store, { hash }) => block(store, 1, { unseen: [hash] })],
];

/** Marked in flight again by its hash, it is under no lease. */
function ends([id, title, end]: (typeof endings)[number]): ConformanceCase {
  return mustArrive(`P18/lease-ended-when-${id}`, `${title} ends the lease`, async (context) => {
    const clock = { nowMs: 5_000 };
    const store = await context.open({ now: () => clock.nowMs });
    const [one, other] = await receive(context, store, 2);
    assert.ok(one && other);
    const options = { owner: 'o', claimMs: 50, operationId: 'op' };
    await store.take({}, options);
    await end(store, one);
    await store.markInflight([one.hash]);
    const stages = await stagesOf(store, [one.hash]);
    assert.deepEqual(hashesOf((await store.take({}, options)).transactions), [other.hash]);
    clock.nowMs += 51;
    assert.deepEqual((await store.sweep()).returned, [other.hash]);
    assert.deepEqual(await stagesOf(store, [one.hash]), stages);
  });
}

const ownFifoPools = eachFifo({
  'P18/take: take marks the oldest in flight under a lease, whose end gives them back': async (context) => {
    const clock = { nowMs: 5_000 };
    const store = await context.open({ now: () => clock.nowMs });
    const hashes = hashesOf(await receive(context, store, 4));
    const lot = await store.take({ maxTxs: 3 }, { owner: 'o', claimMs: 100, operationId: 'op' });
    assert.deepEqual([lot.claimId, lot.owner, lot.untilMs], ['op', 'o', 5_100]);
    assert.deepEqual(hashesOf(lot.transactions), hashes.slice(0, 3));
    await store.markAcknowledged(hashes.slice(0, 1));
    clock.nowMs = 5_100;
    assert.deepEqual((await store.sweep()).returned, []);
    clock.nowMs = 5_101;
    assert.deepEqual(await store.sweep(), { returned: hashes.slice(1, 3), expired: [], evicted: [], more: false });
    assert.deepEqual(await stagesOf(store, hashes), ['Acknowledged', 'Pending', 'Pending', 'Pending']);
  },
  'P18/nothing-taken: a take that found nothing is an outcome: its repeat takes nothing': async (context) => {
    const store = await context.open({ now: () => 5_000 });
    const options = { owner: 'o', claimMs: 60_000, operationId: 'op' };
    const first = await store.take({}, options);
    const hashes = hashesOf(await receive(context, store, 1));
    assert.deepEqual([await store.take({}, options), await stagesOf(store, hashes)], [first, ['Pending']]);
  },
  'P18/by-end: what was taken goes back in the order of the ends, then of arrival': async (context) => {
    const clock = { nowMs: 5_000 };
    const store = await context.open({ now: () => clock.nowMs });
    const hashes = hashesOf(await receive(context, store, 6));
    for (const claimMs of [90, 50, 70]) await store.take({ maxTxs: 2 }, { owner: 'o', claimMs });
    clock.nowMs += 91;
    const events = await eventsOf(context, store, async () => {
      assert.deepEqual(
        (await store.sweep()).returned,
        [2, 3, 4, 5, 0, 1].map((i) => hashes[i]),
      );
    });
    assert.deepEqual(
      events.map(gist),
      hashes.map((hash) => `RolledBack ${hash}`),
    );
  },
  'P18/sweep-a-thousand: a sweep gives back a thousand at most, those that ended first': async (context) => {
    const clock = { nowMs: 5_000 };
    const store = await context.open({ now: () => clock.nowMs });
    const batches = [0, 1].map(() => Array.from({ length: 501 }, () => transaction(context.random, 1)));
    for (const batch of batches) await store.receive(batch);
    const hashes = hashesOf(batches.flat());
    await store.take({ maxTxs: 2 }, { owner: 'o', claimMs: 90 });
    await store.take({}, { owner: 'o', claimMs: 50 });
    clock.nowMs += 51;
    const first = await store.sweep();
    assert.deepEqual([first.returned.length, first.more], [1_000, false]);
    await store.take({}, { owner: 'o', claimMs: 10 });
    clock.nowMs += 100;
    const [most, rest] = [await store.sweep(), await store.sweep()];
    assert.deepEqual([most.returned.length, most.more, rest.more], [1_000, true, false]);
    assert.deepEqual([first.returned, rest.returned], [hashes.slice(2), hashes.slice(0, 2)]);
  },
  'P18/sweep-repeated: a repeated sweep tells what it did, and does nothing more': async (context) => {
    const clock = { nowMs: 5_000 };
    const store = await context.open({ now: () => clock.nowMs });
    const hashes = hashesOf(await receive(context, store, 2));
    await store.take({ maxTxs: 1 }, { owner: 'o', claimMs: 50 });
    clock.nowMs += 51;
    const first = await store.sweep({ operationId: 'sweep' });
    assert.deepEqual(first.returned, hashes.slice(0, 1));
    await store.take({}, { owner: 'o', claimMs: 50 });
    clock.nowMs += 51;
    assert.deepEqual(await store.sweep({ operationId: 'sweep' }), first);
    assert.deepEqual(await stagesOf(store, hashes), ['Propagated', 'Propagated']);
  },
});

const oneFifoPool = eachOnFifoPool({
  'P18/take-repeated: a repeated take gives what is still claimed, and takes nothing more': async (store, context) => {
    const hashes = hashesOf(await receive(context, store, 4));
    const options = { owner: 'o', claimMs: 60_000, operationId: 'op' };
    const first = await store.take({ maxTxs: 3 }, options);
    assert.deepEqual(await store.take({ maxTxs: 3 }, options), first);
    await store.release(hashes.slice(1, 2));
    assert.deepEqual(hashesOf((await store.take({ maxTxs: 3 }, options)).transactions), [hashes[0], hashes[2]]);
    assert.deepEqual(await stagesOf(store, hashes.slice(1)), ['Pending', 'Propagated', 'Pending']);
  },
});

export const arrivalLeaseCases: readonly ConformanceCase[] = [...endings.map(ends), ...ownFifoPools, ...oneFifoPool];
