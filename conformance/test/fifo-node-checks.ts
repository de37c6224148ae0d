import assert from 'node:assert/strict';
import { type FifoCheck, fill, hashes, hashesOf, hashOf, stages, swept, transaction } from './fifo-scenario.ts';

/** For shared backends: opening twice is two nodes of one pool. */
export const fifoNodeChecks: readonly FifoCheck[] = [
  {
    title: 'N1: nodes that take at once share the work out: each transaction is in one lot',
    async run(open) {
      await using one = await open();
      await using two = await open();
      await using three = await open();
      await fill(one, 300);
      const lots = await Promise.all(
        Array.from({ length: 45 }, (_, i) =>
          ([one, two, three][i % 3] as typeof one).take({ maxTxs: 7 }, { owner: `n${i % 3}`, claimMs: 60_000 }),
        ),
      );
      const taken = lots.flatMap(hashesOf);
      assert.equal(taken.length, 300);
      assert.deepEqual(new Set(taken), new Set(Array.from({ length: 300 }, (_, i) => hashOf(i + 1))));
    },
  },
  {
    title: 'a lease that one node made is ended by what another does, and by a sweep of any',
    async run(open) {
      let now = 1_000;
      await using taker = await open({ now: () => now });
      await using other = await open({ now: () => now });
      await fill(taker, 4);
      await taker.take({ maxTxs: 3 }, { owner: 'a', claimMs: 50, operationId: 'one' });
      await other.markAcknowledged(hashes(1));
      await other.release(hashes(2));
      assert.deepEqual(
        hashesOf(await other.take({ maxTxs: 3 }, { owner: 'a', claimMs: 50, operationId: 'one' })),
        hashes(3),
      );
      now = 2_000;
      assert.deepEqual(await other.sweep(), swept(...hashes(3)));
      assert.deepEqual(await stages(taker, 1, 2, 3, 4), ['Acknowledged', 'Pending', 'Pending', 'Pending']);
    },
  },
  {
    title: 'a limit that one node sets holds for all; the latest open that names one sets it',
    async run(open) {
      await using one = await open();
      await using two = await open();
      await fill(two, 2);
      await one.setLimits({ maxTxs: 2 });
      assert.equal((await two.receive([transaction(3)]))[0]?.kind, 'full');
      await using three = await open({ maxTxs: 3 });
      assert.equal((await one.setLimits({})).maxTxs, 3);
      assert.equal((await two.receive([transaction(3)]))[0]?.kind, 'received');
      assert.equal((await three.receive([transaction(4)]))[0]?.kind, 'full');
      await using four = await open();
      assert.equal((await four.receive([transaction(4)]))[0]?.kind, 'full');
      await using five = await open({ maxTxs: Number.POSITIVE_INFINITY });
      assert.equal((await one.receive([transaction(4)]))[0]?.kind, 'received');
      assert.equal((await five.setLimits({})).maxTxs, Number.POSITIVE_INFINITY);
    },
  },
  {
    title: 'nodes that receive at once never pass the limit between them',
    async run(open) {
      await using one = await open({ maxTxs: 50 });
      await using two = await open();
      const outcomes = await Promise.all(
        Array.from({ length: 40 }, (_, i) =>
          (i % 2 === 0 ? one : two).receive([transaction(2 * i + 1), transaction(2 * i + 2)]),
        ),
      );
      const kinds = outcomes.flat().map(({ kind }) => kind);
      assert.equal(kinds.filter((kind) => kind === 'received').length, 50);
      assert.equal(kinds.filter((kind) => kind === 'full').length, 30);
      assert.equal((await two.usage()).pending, 50);
    },
  },
];

/** For durable backends: closing and opening again finds what there was. */
export const fifoReopenChecks: readonly FifoCheck[] = [
  {
    title: 'D1: leases, the limit and recorded outcomes are found again',
    async run(open) {
      let now = 1_000;
      const options = { now: () => now };
      const first = await open({ ...options, maxTxs: 4 });
      await fill(first, 4);
      const lot = await first.take({ maxTxs: 2 }, { owner: 'a', claimMs: 50, operationId: 'one' });
      await first.take({ maxTxs: 1 }, { owner: 'b', claimMs: 5_000 });
      await first.close();
      await using second = await open(options);
      assert.deepEqual(await second.take({ maxTxs: 2 }, { owner: 'a', claimMs: 50, operationId: 'one' }), lot);
      assert.deepEqual(await second.receive([transaction(5)]), [{ kind: 'full', hash: hashOf(5) }]);
      now = 2_000;
      assert.deepEqual(await second.sweep(), swept(...hashes(1, 2)));
      now = 9_000;
      assert.deepEqual(await second.sweep(), swept(...hashes(3)));
    },
  },
];
