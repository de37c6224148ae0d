import assert from 'node:assert/strict';
import { cursorAt } from '../src/scenario/pool.ts';
import { check, type FifoCheck, fill, hashes, hashesOf, stages, timed, transaction } from './fifo-scenario.ts';

/** What fits: `reap`, `take`, `flush`. */
export const budgetChecks: readonly FifoCheck[] = [
  check('reap lists the Pending ones by arrival with their sizes, and changes nothing', async (store) => {
    await fill(store, 4, (n) => 10 * n);
    await store.markInflight(hashes(2));
    const before = await store.usage();
    const [one, three, four] = hashes(1, 3, 4);
    assert.deepEqual(await store.reap(), [
      { hash: one, seq: 1, bytes: 10, gas: 0, priority: 0n },
      { hash: three, seq: 3, bytes: 30, gas: 0, priority: 0n },
      { hash: four, seq: 4, bytes: 40, gas: 0, priority: 0n },
    ]);
    assert.deepEqual(await store.usage(), before);
  }),
  check(
    'a budget ends at the first that does not fit; none of anything is nothing; gas never ends it',
    async (store) => {
      await fill(store, 4, (n) => [0, 10, 30, 10, 0][n] as number);
      const found = async (...budget: Parameters<typeof store.reap>) =>
        (await store.reap(...budget)).map(({ seq }) => seq);
      assert.deepEqual(await found({ maxBytes: 40 }), [1, 2]);
      assert.deepEqual(await found({ maxBytes: 39 }), [1]);
      assert.deepEqual(await found({ maxBytes: 50 }), [1, 2, 3, 4]);
      assert.deepEqual(await found({ maxBytes: 50, overheadBytes: 1 }), [1, 2]);
      assert.deepEqual(await found({ maxBytes: 9 }), []);
      assert.deepEqual(await found({ maxBytes: 0 }), []);
      assert.deepEqual(await found({ maxTxs: 0 }), []);
      assert.deepEqual(await found({ maxTxs: 3 }), [1, 2, 3]);
      assert.deepEqual(await found({ maxGas: 0 }), [1, 2, 3, 4]);
    },
  ),
  check('skip passes over as many misfits as it says', async (store) => {
    await fill(store, 6, (n) => [0, 10, 30, 10, 30, 0, 5][n] as number);
    const found = async (skip: number) => (await store.reap({ maxBytes: 25, skip })).map(({ seq }) => seq);
    assert.deepEqual(await found(0), [1]);
    assert.deepEqual(await found(1), [1, 3]);
    assert.deepEqual(await found(2), [1, 3, 5, 6]);
  }),
  timed('take puts what reap lists in flight, with the events and counters of markInflight', async (store) => {
    await fill(store, 4);
    const listed = await store.reap({ maxTxs: 2 });
    const lot = await store.take({ maxTxs: 2 }, { owner: 'a', claimMs: 50, operationId: 'one' });
    const transactions = listed.map((one) => ({ ...one, receivedAt: 1_000, attempts: 1 }));
    assert.deepEqual(lot, { claimId: 'one', owner: 'a', untilMs: 1_050, transactions });
    assert.deepEqual(await stages(store, 1, 2, 3, 4), ['Propagated', 'Propagated', 'Pending', 'Pending']);
    const events = await store.subscribe({ after: await cursorAt(store, 'events', 4) });
    const seen: unknown[] = [];
    for await (const event of events) {
      assert(event.kind === 'transaction');
      seen.push([event.eventSeq, event.hash, event.stage, event.previous.stage]);
      if (seen.length === 2) break;
    }
    const [one, two] = hashes(1, 2);
    assert.deepEqual(seen, [
      [5, one, 'Propagated', 'Pending'],
      [6, two, 'Propagated', 'Pending'],
    ]);
    assert.deepEqual(
      (await store.peekInflight()).transactions.map(({ hash }) => hash),
      [one, two],
    );
  }),
  check('two takers never get the same one, and each take goes on where the last one ended', async (store) => {
    await fill(store, 100);
    const lots = await Promise.all(
      Array.from({ length: 12 }, (_, i) => store.take({ maxTxs: 9 }, { owner: `taker-${i}`, claimMs: 60_000 })),
    );
    const taken = lots.flatMap(({ transactions }) => transactions.map(({ seq }) => seq));
    assert.deepEqual(
      taken,
      Array.from({ length: 100 }, (_, i) => i + 1),
    );
    assert.equal(new Set(lots.map(({ claimId }) => claimId)).size, 12);
  }),
  timed('X2: a repeated take takes nothing more, and tells what is still under its lease', async (store) => {
    await fill(store, 6);
    const call = () => store.take({ maxTxs: 4 }, { owner: 'a', claimMs: 50, operationId: 'one' });
    const first = await call();
    assert.deepEqual(await call(), first);
    await store.markAcknowledged(hashes(1));
    await store.release(hashes(2));
    await store.drop(hashes(3), 'failed');
    assert.deepEqual(await call(), { ...first, transactions: first.transactions.slice(3) });
    await store.take({ maxTxs: 1 }, { owner: 'b', claimMs: 50 });
    assert.deepEqual(await call(), { ...first, transactions: first.transactions.slice(3) });
    assert.equal((await store.usage()).pending, 2);
    await assert.rejects(store.sweep({ operationId: 'one' }), { code: 'ERR_MEMPOOL_INVALID' });
  }),
  check('a take answers with all that it took, whatever is called right behind it', async (store) => {
    await fill(store, 5);
    const all = hashes(1, 2, 3, 4, 5);
    const taking = store.take({}, { owner: 'a', claimMs: 50 });
    const dropping = store.drop(all, 'failed');
    assert.deepEqual(hashesOf(await taking), all);
    assert.deepEqual(await dropping, all);
  }),
  timed('a take that finds nothing makes no event, and a lease with nothing under it', async (store) => {
    const lot = await store.take({}, { owner: 'a', claimMs: 50, operationId: 'none' });
    assert.deepEqual(lot, { claimId: 'none', owner: 'a', untilMs: 1_050, transactions: [] });
    await fill(store, 1);
    assert.deepEqual(hashesOf(await store.take({}, { owner: 'a', claimMs: 50, operationId: 'none' })), []);
    assert.equal((await store.usage()).lastEventSeq, 1);
  }),
  check('flush drops every Pending one in one step, and nothing else', async (store) => {
    await fill(store, 5);
    await store.markInflight(hashes(2));
    await store.release(hashes(2));
    await store.markInflight(hashes(3, 4));
    assert.equal(await store.flush({ operationId: 'flush' }), 3);
    await store.receive([transaction(9)]);
    assert.equal(await store.flush({ operationId: 'flush' }), 3);
    assert.deepEqual(await stages(store, 1, 2, 3, 4, 5, 9), [
      'Dropped',
      'Dropped',
      'Propagated',
      'Propagated',
      'Dropped',
      'Pending',
    ]);
    const { entries } = await store.dumpFinalized();
    assert.deepEqual(
      entries.map(({ hash, reason }) => [hash, reason]),
      hashes(1, 2, 5).map((hash) => [hash, 'flushed']),
    );
    assert.equal(await store.flush(), 1);
    assert.equal(await store.flush(), 0);
  }),
];
