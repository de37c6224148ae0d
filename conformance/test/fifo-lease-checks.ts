import assert from 'node:assert/strict';
import type { MempoolStore } from 'mempool-core';
import { check, type FifoCheck, fill, hashes, hashesOf, point, stages, swept, timed } from './fifo-scenario.ts';

/** Whatever ends the lease of number 1, or puts it in flight anew. */
const endings: readonly (readonly [title: string, end: (store: MempoolStore) => Promise<unknown>])[] = [
  ['acknowledged', (store) => store.markAcknowledged(hashes(1))],
  ['released', (store) => store.release(hashes(1))],
  ['dropped', (store) => store.drop(hashes(1), 'failed')],
  ['confirmed', (store) => store.confirm({ point, seen: hashes(1), unseen: [] })],
  ['unseen', (store) => store.confirm({ point, seen: [], unseen: hashes(1) })],
  ['dropped as stale', (store) => store.confirm({ point, seen: [], unseen: [] }, { dropThreshold: 1 })],
  [
    'marked in flight again by another',
    async (store) => {
      await store.release(hashes(1));
      await store.markInflight(hashes(1));
    },
  ],
  [
    'confirmed, undone and marked in flight again',
    async (store) => {
      await store.confirm({ point, seen: hashes(1), unseen: [] });
      await store.rollback('origin');
      await store.markInflight(hashes(1));
    },
  ],
];

const returning: FifoCheck[] = [
  timed(
    'what was taken and never acknowledged goes back to its place after its lease, not before',
    async (store, clock) => {
      await fill(store, 3);
      await store.take({ maxTxs: 2 }, { owner: 'a', claimMs: 50 });
      clock.now = 1_050;
      assert.deepEqual(await store.sweep(), swept());
      clock.now = 1_051;
      assert.deepEqual(await store.sweep(), swept(...hashes(1, 2)));
      assert.deepEqual(
        (await store.peekPending()).transactions.map(({ seq }) => seq),
        [1, 2, 3],
      );
      assert.deepEqual(await store.sweep(), swept());
      assert.deepEqual(hashesOf(await store.take({ maxTxs: 1 }, { owner: 'b', claimMs: 50 })), hashes(1));
    },
  ),
  timed(
    'a return makes an event, by seq, and the answer is by the end of the lease, then by seq',
    async (store, clock) => {
      await fill(store, 5);
      await store.take({ maxTxs: 2 }, { owner: 'late', claimMs: 90 });
      await store.take({ maxTxs: 1 }, { owner: 'early', claimMs: 50 });
      await store.take({ maxTxs: 2 }, { owner: 'later', claimMs: 90 });
      clock.now = 2_000;
      const { cursors } = await store.usage();
      assert.deepEqual(await store.sweep(), swept(...hashes(3, 1, 2, 4, 5)));
      const seen: unknown[] = [];
      for await (const event of await store.subscribe({ after: cursors.events })) {
        assert(event.kind === 'transaction');
        seen.push([event.seq, event.stage, event.previous.stage]);
        if (seen.length === 5) break;
      }
      assert.deepEqual(
        seen,
        [1, 2, 3, 4, 5].map((seq) => [seq, 'Pending', 'Propagated']),
      );
    },
  ),
  timed('a sweep returns at most 1,000 and says that there are more', async (store, clock) => {
    await fill(store, 1_003);
    await store.take({}, { owner: 'a', claimMs: 50 });
    clock.now = 2_000;
    const first = await store.sweep();
    assert.equal(first.returned.length, 1_000);
    assert.equal(first.more, true);
    assert.deepEqual(await store.sweep(), swept(...hashes(1_001, 1_002, 1_003)));
    assert.equal((await store.usage()).pending, 1_003);
  }),
  timed('X2: a repeated sweep tells what it did, and does nothing more', async (store, clock) => {
    await fill(store, 2);
    await store.take({ maxTxs: 1 }, { owner: 'a', claimMs: 50 });
    clock.now = 2_000;
    const first = await store.sweep({ operationId: 'sweep' });
    await store.take({}, { owner: 'b', claimMs: 50 });
    clock.now = 3_000;
    assert.deepEqual(await store.sweep({ operationId: 'sweep' }), first);
    assert.deepEqual(await stages(store, 1, 2), ['Propagated', 'Propagated']);
  }),
  timed('a caller may say that it is earlier than the clock of the pool, not later', async (store, clock) => {
    await fill(store, 2);
    const early = await store.take({ maxTxs: 1 }, { owner: 'a', claimMs: 50, now: 400 });
    assert.equal(early.untilMs, 450);
    const late = await store.take({ maxTxs: 1 }, { owner: 'a', claimMs: 50, now: 9_000 });
    assert.equal(late.untilMs, 1_050);
    assert.deepEqual(await store.sweep({ now: 450 }), swept());
    assert.deepEqual(await store.sweep({ now: 9_000 }), swept(...hashes(1)));
    clock.now = 1_051;
    assert.deepEqual(await store.sweep({ now: 9_000 }), swept(...hashes(2)));
  }),
  check('without a clock of its own a pool takes the time of the day', async (store) => {
    await fill(store, 1);
    const before = Date.now();
    const { untilMs } = await store.take({}, { owner: 'a', claimMs: 600_000 });
    const after = Date.now();
    assert(untilMs >= before + 600_000 - 1_000 && untilMs <= after + 600_000 + 1_000, String(untilMs - before));
  }),
];

/** One check for each of them: nothing of the old lease is left. */
const ended: FifoCheck[] = endings.map(([title, end]) =>
  timed(`one that was ${title} is not under its lease any more: no sweep returns it`, async (store, clock) => {
    await fill(store, 2);
    await store.confirm({ point: { ...point, slot: 0 }, seen: [], unseen: [] });
    await store.take({ maxTxs: 1 }, { owner: 'a', claimMs: 50, operationId: 'one' });
    await store.take({ maxTxs: 1 }, { owner: 'b', claimMs: 900_000 });
    await end(store);
    clock.now = 2_000;
    const before = await stages(store, 1, 2);
    assert.deepEqual(await store.sweep(), swept());
    assert.deepEqual(await stages(store, 1, 2), before);
    assert.deepEqual(hashesOf(await store.take({ maxTxs: 1 }, { owner: 'a', claimMs: 50, operationId: 'one' })), []);
  }),
);

const kept: FifoCheck[] = [
  timed('a block that does not touch it, and its undoing, leave a lease as it is', async (store, clock) => {
    await fill(store, 2);
    await store.confirm({ point: { ...point, slot: 0 }, seen: [], unseen: [] });
    await store.take({}, { owner: 'a', claimMs: 50, operationId: 'one' });
    await store.confirm({ point, seen: [], unseen: [] });
    await store.rollback({ ...point, slot: 0 });
    assert.deepEqual(hashesOf(await store.take({}, { owner: 'a', claimMs: 50, operationId: 'one' })), hashes(1, 2));
    clock.now = 2_000;
    assert.deepEqual(await store.sweep(), swept(...hashes(1, 2)));
  }),
  timed('what another marks in flight has no lease, beside one that has', async (store, clock) => {
    await fill(store, 3);
    await store.markInflight(hashes(1));
    await store.take({ maxTxs: 1 }, { owner: 'a', claimMs: 50 });
    await store.markInflight(hashes(3));
    clock.now = 2_000;
    assert.deepEqual(await store.sweep(), swept(...hashes(2)));
    assert.deepEqual(await stages(store, 1, 2, 3), ['Propagated', 'Pending', 'Propagated']);
  }),
  timed('one that is taken again is under the new lease alone', async (store, clock) => {
    await fill(store, 1);
    await store.take({}, { owner: 'a', claimMs: 50, operationId: 'one' });
    await store.release(hashes(1));
    await store.take({}, { owner: 'b', claimMs: 5_000, operationId: 'two' });
    clock.now = 2_000;
    assert.deepEqual(await store.sweep(), swept());
    assert.deepEqual(hashesOf(await store.take({}, { owner: 'a', claimMs: 50, operationId: 'one' })), []);
    assert.deepEqual(hashesOf(await store.take({}, { owner: 'b', claimMs: 5_000, operationId: 'two' })), hashes(1));
  }),
];

export const leaseChecks: readonly FifoCheck[] = [...returning, ...ended, ...kept];
