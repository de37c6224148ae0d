import assert from 'node:assert/strict';
import { fifoLimits } from 'mempool-core/backend';
import { check, type FifoCheck, fill, hashes, hashOf, limited, point, transaction } from './fifo-scenario.ts';

/** `maxTxs`: the one limit of such a pool. */
export const limitChecks: readonly FifoCheck[] = [
  check('a pool has no limit until one is named; setLimits answers with all of them', async (store) => {
    assert.deepEqual(await store.setLimits({}), fifoLimits);
    assert.equal(fifoLimits.maxTxs, Number.POSITIVE_INFINITY);
    assert.deepEqual(await store.setLimits({ maxTxs: 7 }), { ...fifoLimits, maxTxs: 7 });
    assert.deepEqual(await store.setLimits({}), { ...fifoLimits, maxTxs: 7 });
    assert.deepEqual(await store.setLimits({ maxTxs: Number.POSITIVE_INFINITY }), fifoLimits);
  }),
  limited('what would be too many is full, and the rest of the call is received', 3, async (store) => {
    const call = [1, 2, 1, 3, 4, 4, 2, 5].map((n) => transaction(n));
    const outcomes = await store.receive(call);
    assert.deepEqual(outcomes, [
      { kind: 'received', hash: hashOf(1), seq: 1, stage: 'Pending' },
      { kind: 'received', hash: hashOf(2), seq: 2, stage: 'Pending' },
      { kind: 'duplicate', hash: hashOf(1), stage: 'Pending' },
      { kind: 'received', hash: hashOf(3), seq: 3, stage: 'Pending' },
      { kind: 'full', hash: hashOf(4) },
      { kind: 'full', hash: hashOf(4) },
      { kind: 'duplicate', hash: hashOf(2), stage: 'Pending' },
      { kind: 'full', hash: hashOf(5) },
    ]);
    const { pending, lastSeq, lastEventSeq } = await store.usage();
    assert.deepEqual({ pending, lastSeq, lastEventSeq }, { pending: 3, lastSeq: 3, lastEventSeq: 3 });
    assert.equal((await store.checkStatus(hashes(4)))[0]?.stage, 'Unknown');
  }),
  limited('Propagated and Acknowledged count, Confirmed and final ones do not', 2, async (store) => {
    await fill(store, 2);
    const kind = async (n: number) => (await store.receive([transaction(n)]))[0]?.kind;
    await store.markInflight(hashes(1, 2));
    assert.equal(await kind(3), 'full');
    await store.markAcknowledged(hashes(1));
    assert.equal(await kind(3), 'full');
    await store.confirm({ point, seen: hashes(1), unseen: [] });
    assert.equal(await kind(3), 'received');
    assert.equal(await kind(4), 'full');
    await store.drop(hashes(2), 'failed');
    assert.equal(await kind(4), 'received');
  }),
  limited(
    'L2, L13: a Dropped one begins anew only where there is room; what a block carried needs none',
    1,
    async (store) => {
      await fill(store, 1);
      await store.drop(hashes(1), 'failed');
      await store.receive([transaction(2)]);
      assert.deepEqual(await store.receive([transaction(1)]), [{ kind: 'full', hash: hashOf(1) }]);
      const { entries } = await store.dumpFinalized();
      assert.deepEqual(
        entries.map(({ hash, seq, reason }) => [hash, seq, reason]),
        [[hashOf(1), 1, 'failed']],
      );
      await store.confirm({ point, seen: hashes(8), unseen: [] });
      assert.deepEqual(await store.receive([7, 8, 9].map((n) => transaction(n))), [
        { kind: 'full', hash: hashOf(7) },
        { kind: 'received', hash: hashOf(8), seq: 3, stage: 'Confirmed' },
        { kind: 'full', hash: hashOf(9) },
      ]);
      await store.drop(hashes(2), 'failed');
      assert.deepEqual(await store.receive([transaction(1, 77)]), [
        { kind: 'received', hash: hashOf(1), seq: 4, stage: 'Pending' },
      ]);
      assert.equal((await store.peekPending()).transactions[0]?.payload.length, 77);
    },
  ),
  limited('X2: a repeated receive tells of the refusal that it met, though there is room now', 1, async (store) => {
    const call = () => store.receive([transaction(1), transaction(2)], { operationId: 'receive' });
    const first = await call();
    await store.setLimits({ maxTxs: 9 });
    assert.deepEqual(await call(), first);
    assert.equal(first[1]?.kind, 'full');
    assert.equal((await store.usage()).pending, 1);
  }),
  check('a lower limit drops nothing; more fit when it is raised, or taken away', async (store) => {
    await fill(store, 3);
    assert.equal((await store.setLimits({ maxTxs: 1 }, { operationId: 'limit' })).maxTxs, 1);
    assert.equal((await store.usage()).pending, 3);
    assert.equal((await store.receive([transaction(4)]))[0]?.kind, 'full');
    await store.setLimits({ maxTxs: 4 });
    assert.equal((await store.setLimits({ maxTxs: 1 }, { operationId: 'limit' })).maxTxs, 1);
    assert.equal((await store.receive([transaction(4)]))[0]?.kind, 'received');
    assert.equal((await store.receive([transaction(5)]))[0]?.kind, 'full');
    await store.setLimits({ maxTxs: Number.POSITIVE_INFINITY });
    assert.equal((await store.receive([transaction(5)]))[0]?.kind, 'received');
    await store.setLimits({ maxTxs: 0 });
    assert.equal((await store.receive([transaction(6)]))[0]?.kind, 'full');
  }),
];
