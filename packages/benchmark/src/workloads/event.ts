import type { MempoolEvent } from 'mempool-core';
import { bareInsert, dropAll } from './receive.ts';
import { batches, freshTransactions } from './sample.ts';
import type { Workload } from './workload.ts';

const perTurn = 1_000;

/** Resolves when the stream has given news of `count` transactions. */
async function read(stream: AsyncIterable<MempoolEvent>, count: number): Promise<void> {
  let left = count;
  for await (const event of stream) {
    if (event.kind === 'lagged') throw new Error(`a subscriber missed ${event.missed} events`);
    if (event.kind === 'transaction' && --left === 0) return;
  }
  throw new Error('the stream of events ended');
}

function fanOut(subscribers: number): Workload {
  return {
    id: `events-${subscribers}`,
    title: `receive by 100 until ${subscribers === 1 ? 'a subscriber' : `${subscribers} subscribers`} had the events`,
    per: 'event',
    given: 'pending',
    async ours(pool) {
      const transactions = freshTransactions(perTurn);
      const streams = await Promise.all(Array.from({ length: subscribers }, () => pool.store.subscribe()));
      return {
        count: perTurn,
        async run() {
          const reading = Promise.all(streams.map((stream) => read(stream, perTurn)));
          for (const call of batches(transactions, 100)) await pool.store.receive(call);
          await reading;
        },
        undo: () => dropAll(pool, transactions),
      };
    },
    limit: (pool) => bareInsert(pool, perTurn, 100),
  };
}

const calls = 8;

const secondNode: Workload = {
  id: 'events-second-node',
  title: 'receive alone until a second node had the event',
  per: 'event',
  given: 'pending',
  needs: ['shared'],
  async ours(pool) {
    const transactions = freshTransactions(calls);
    const other = await pool.second();
    const events = (await other.subscribe())[Symbol.asyncIterator]();
    return {
      count: calls,
      async run() {
        for (const transaction of transactions) await Promise.all([pool.store.receive([transaction]), events.next()]);
      },
      async undo() {
        await other.close();
        await dropAll(pool, transactions);
      },
    };
  },
  limit: (pool) => bareInsert(pool, calls, 1),
};

export const eventWorkloads: readonly Workload[] = [fanOut(1), fanOut(8), fanOut(32), secondNode];
