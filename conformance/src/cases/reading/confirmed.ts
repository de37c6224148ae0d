import assert from 'node:assert/strict';
import type { ChainPoint, TransactionStatus } from 'mempool-core';
import type { ConformanceCase } from '../../case/case.ts';
import { mustEach } from '../../case/must.ts';
import type { TestedPool } from '../../case/tested-pool.ts';
import { eachOnPool, openPool } from '../../scenario/on-pool.ts';
import { forkPoint, type Pool, point } from '../../scenario/pool.ts';

type Place = Pick<TransactionStatus, 'hash' | 'stage'> & { readonly point: ChainPoint | null };

function placeOf({ hash, stage, point: at }: Place): string {
  return `${hash} ${stage} ${at?.slot} ${at?.hash}`;
}

async function placesNow(store: TestedPool): Promise<string[]> {
  return (await store.confirmed()).transactions.map(placeOf);
}

const onePool = eachOnPool({
  'O9/once: a transaction that a fork returned and that is final again is listed once, at its last block; a returned one is not listed':
    async (pool, store) => {
      const [again, returned, waiting, dropped] = await pool.receiveHashes(4);
      await pool.block(1);
      await pool.finalizeIn(2, again, returned);
      await pool.rollback(1);
      await store.confirm({ point: forkPoint(2), seen: [again] }, { finalizeThreshold: 1 });
      await pool.mark(waiting);
      await pool.drop(dropped);
      assert.deepEqual(
        (await pool.logEntries()).map(({ hash }) => hash).filter((hash) => hash === again),
        [again, again],
      );
      const { transactions, complete } = await store.confirmed();
      assert.deepEqual(transactions, [{ hash: again, seq: 1, stage: 'Finalized', point: forkPoint(2) }]);
      assert.equal(complete, true);
    },
  'O9/order: they are in the order of their blocks, also of two blocks in one slot, and within a block by seq': async (
    pool,
    store,
  ) => {
    const [a, b, c, d] = await pool.receiveHashes(4);
    await pool.block(1, { seen: [d] });
    const shared = { slot: point(1).slot, hash: 'e'.repeat(64) };
    await store.confirm({ point: shared, seen: [c, b] });
    await pool.block(3, { seen: [a] });
    const found = (await store.confirmed()).transactions;
    assert.deepEqual(
      found.map((one) => [one.hash, one.stage, one.point]),
      [
        [d, 'Confirmed', point(1)],
        [b, 'Confirmed', shared],
        [c, 'Confirmed', shared],
        [a, 'Confirmed', point(3)],
      ],
    );
  },
});

/** A follower: it keeps where each transaction is, from the events. */
class Follower {
  readonly #pool: Pool;
  #places = new Map<string, string>();
  #cursor = 'origin';

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  get places(): string[] {
    return [...this.#places.values()].sort();
  }

  /** As after `lagged`. */
  async rebuild(): Promise<void> {
    const { transactions, complete, cursor } = await this.#pool.store.confirmed();
    assert.equal(complete, true);
    this.#places = new Map(transactions.map((one) => [one.hash, placeOf(one)]));
    this.#cursor = cursor;
  }

  /** Reads the events up to the last one that there is now. */
  async follow(): Promise<void> {
    const end = (await this.#pool.store.usage()).cursors.events;
    if (this.#cursor === end) return;
    for await (const event of await this.#pool.subscribe({ after: this.#cursor })) {
      assert.notEqual(event.kind, 'lagged');
      if (event.kind === 'transaction' && event.point !== null) this.#places.set(event.hash, placeOf(event));
      else if (event.kind === 'transaction') this.#places.delete(event.hash);
      this.#cursor = event.cursor;
      if (event.cursor === end) break;
    }
  }
}

/** One random call: a block, a fork, or calls of a sender. */
async function anyCall({ random, store }: Pool, hashes: readonly string[]): Promise<void> {
  const { points } = await store.tip({ points: 5 });
  const [tip] = points;
  const some = hashes.filter(() => random.below(4) === 0);
  switch (random.below(4)) {
    case 0:
      if (tip !== undefined) await store.rollback(random.pick(points));
      return;
    case 1:
      await store.markInflight(some);
      return;
    default: {
      const next = { slot: (tip?.slot ?? 0) + random.below(2), hash: random.hex(32) };
      await store.confirm({ point: next, seen: some });
    }
  }
}

async function statusPlaces(store: TestedPool, hashes: readonly string[]): Promise<string[]> {
  const found = (await store.status(hashes)).filter(({ confirmedAt }) => confirmedAt !== null);
  return found.map((one) => placeOf({ ...one, point: one.confirmedAt })).sort();
}

const rounds = 25;

const ownPools = mustEach({
  'O9/trimmed: the answer is incomplete as soon as the log was trimmed': async (context) => {
    const pool = await openPool(context, { maxFinalized: 2 });
    const [a, b, c] = await pool.receiveHashes(3);
    for (const [i, hash] of [a, b].entries()) await pool.finalizeIn(i + 1, hash);
    assert.equal((await pool.store.confirmed()).complete, true);
    await pool.finalizeIn(3, c);
    const { transactions, complete } = await pool.store.confirmed();
    assert.deepEqual([transactions.map(({ hash }) => hash), complete], [[b, c], false]);
  },
  'O9/rebuilt: a follower that rebuilds while blocks and forks come, and goes on with the events, equals the pool':
    async (context) => {
      const pool = await openPool(context, { finalizeThreshold: 2 });
      const hashes: readonly string[] = await pool.receiveHashes(20);
      const follower = new Follower(pool);
      for (let round = 0; round < rounds * context.effort; round++) {
        const rebuilding = pool.random.below(2) === 0 ? follower.rebuild() : null;
        for (let i = 0; i < 5; i++) await anyCall(pool, hashes);
        await rebuilding;
        await follower.follow();
        const expected = await statusPlaces(pool.store, hashes);
        assert.deepEqual(follower.places, expected);
        assert.deepEqual((await placesNow(pool.store)).sort(), expected);
      }
    },
});

/** Cases of O9. */
export const confirmedCases: readonly ConformanceCase[] = [...onePool, ...ownPools];
