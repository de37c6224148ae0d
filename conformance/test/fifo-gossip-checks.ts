import assert from 'node:assert/strict';
import { anyStore } from 'mempool-core/backend';
import { cursorAt, placeOf } from '../src/scenario/pool.ts';
import { check, type FifoCheck, fill, hashes, hashOf, point, transaction } from './fifo-scenario.ts';

/** What peers are told: `since`, `payloads`, and the verbs that such a pool does not have. */
export const gossipChecks: readonly FifoCheck[] = [
  check('since lists Pending, Propagated and Acknowledged ones behind a seq, with payloads', async (store) => {
    await fill(store, 6, (n) => n);
    await store.markInflight(hashes(2, 3, 5, 6));
    await store.markAcknowledged(hashes(3));
    await store.confirm({ point, seen: hashes(5), unseen: [] }, { dropThreshold: 9 });
    const after = await cursorAt(store, 'gossip', 1);
    const { items, next } = await store.since({ after });
    assert.equal(placeOf(next), 'g6');
    const expected = [2, 3, 4, 6].map((n) => {
      const { payload, ...rest } = transaction(n, n);
      return { ...rest, payload: [...payload], seq: n, gossipSeq: n, bytes: n, gas: 0, priority: 0n };
    });
    assert.deepEqual(
      items.map((item) => ({ ...item, payload: [...(item.payload ?? [])] })),
      expected,
    );
    const bare = await store.since({ after, hashesOnly: true });
    assert.deepEqual(
      bare.items,
      items.map((item) => ({ ...item, payload: null, payloadType: null })),
    );
    assert.equal(bare.next, next);
  }),
  check('since pages by limit and by 8 MiB, and goes on where the page ended', async (store) => {
    await fill(store, 12, () => 1_048_576);
    await store.markInflight(hashes(1, 4, 7));
    const seqs = async (place: number, limit?: number, hashesOnly?: boolean) => {
      const after = await cursorAt(store, 'gossip', place);
      const { items, next } = await store.since({ after, limit, hashesOnly });
      return [items.map(({ seq }) => seq), Number.parseInt(placeOf(next).slice(1), 36)];
    };
    assert.deepEqual(await seqs(0, 2), [[1, 2], 2]);
    assert.deepEqual(await seqs(2, 3), [[3, 4, 5], 5]);
    assert.deepEqual(await seqs(0), [[1, 2, 3, 4, 5, 6, 7, 8], 8]);
    assert.deepEqual(await seqs(8), [[9, 10, 11, 12], 12]);
    assert.deepEqual(await seqs(0, 11, true), [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], 11]);
    assert.deepEqual(await seqs(12), [[], 12]);
    assert.deepEqual(await seqs(99), [[], 99]);
  }),
  check('since passes over any number of Confirmed ones to what is behind them', async (store) => {
    await fill(store, 1_203);
    const all = Array.from({ length: 1_200 }, (_, i) => hashOf(i + 1));
    await store.markInflight([...all.slice(2, 900), hashOf(1_202)]);
    await store.confirm({ point, seen: all.slice(1), unseen: [] }, { dropThreshold: 9 });
    const { items, next } = await store.since({ limit: 3, hashesOnly: true });
    assert.deepEqual(
      items.map(({ seq }) => seq),
      [1, 1_201, 1_202],
    );
    assert.equal(next, await cursorAt(store, 'gossip', 1_202));
  }),
  check('payloads gives the live ones in the order asked, null for any other', async (store) => {
    await fill(store, 5, (n) => n);
    await store.markInflight(hashes(2, 3));
    await store.confirm({ point, seen: hashes(3), unseen: [] });
    await store.drop(hashes(4), 'failed');
    const found = await store.payloads(hashes(5, 9, 4, 3, 2, 1, 5));
    const expected = [5, null, null, 3, 2, 1, 5].map((n) => (n === null ? null : transaction(n, n)));
    assert.deepEqual(
      found.map((each) => each && { ...each, payload: [...each.payload] }),
      expected.map((each) => each && { ...each, payload: [...each.payload] }),
    );
  }),
  check('nothing is parked; what needs priorities, sources or tags is refused as unsupported', async (store) => {
    await fill(store, 1);
    assert.deepEqual((await store.peekParked()).transactions, []);
    const refused = { code: 'ERR_MEMPOOL_UNSUPPORTED' };
    const untyped = anyStore(store);
    await assert.rejects(untyped.best(), refused);
    await assert.rejects(untyped.stale({ height: 1 }), refused);
    await assert.rejects(untyped.revise([{ hash: hashOf(1), version: 1, answer: {} }]), refused);
    await assert.rejects(store.since({ except: 'peer' }), refused);
    await assert.rejects(store.setLimits({ maxBytes: 1 }), refused);
  }),
];
