import type { MempoolStore, StoredTransaction } from 'mempool-core';
import { batches } from './sample.ts';
import type { Turn, Workload } from './workload.ts';

const perTurn = 1_000;
const pageSize = 100;

type ReadAll = (hashes: readonly string[]) => unknown;

/** Asks for the hashes call by call; what needs no waiting is not waited for. */
export function lookUps(hashes: readonly string[], read: ReadAll): Turn {
  const calls = batches(hashes, pageSize);
  return {
    count: hashes.length,
    async run() {
      for (const call of calls) {
        const done = read(call);
        if (done instanceof Promise) await done;
      }
    },
  };
}

const status: Workload = {
  id: 'status',
  title: 'status by 100',
  per: 'transaction',
  given: 'pending',
  ours: ({ store, stored }) => lookUps(stored.some(perTurn), (hashes) => store.checkStatus(hashes)),
  limit: ({ bare, stored }) => lookUps(stored.some(perTurn), (hashes) => bare.look(hashes)),
};

const find: Workload = {
  id: 'find',
  title: 'find in flight by 100',
  per: 'transaction',
  given: 'inflight',
  ours: ({ store, stored }) => lookUps(stored.some(perTurn), (hashes) => store.findInflight(hashes)),
  limit: ({ bare, stored }) => lookUps(stored.some(perTurn), (hashes) => bare.read(hashes)),
};

type Peek = (store: MempoolStore, after: number) => Promise<readonly StoredTransaction[]>;

function pages(id: string, title: string, given: Workload['given'], peek: Peek): Workload {
  return {
    id,
    title,
    per: 'transaction',
    given,
    ours({ store, stored }) {
      const count = Math.min(perTurn, stored.count);
      // Transactions were received in this order, so a place is a seq.
      let after = stored.place(count);
      return {
        count,
        async run() {
          for (let read = 0; read < count; read += pageSize) after = (await peek(store, after)).at(-1)?.seq ?? after;
        },
      };
    },
    limit({ bare, stored }) {
      const count = Math.min(perTurn, stored.count);
      return lookUps(stored.run(stored.place(count), count), (hashes) => bare.read(hashes));
    },
  };
}

const log: Workload = {
  id: 'log',
  title: 'page through the log by 100',
  per: 'entry',
  given: 'logged',
  ours({ store, stored }) {
    const count = Math.min(perTurn, stored.count);
    let cursor = stored.place(count) + 1;
    return {
      count,
      async run() {
        for (let read = 0; read < count; read += pageSize)
          cursor = (await store.dumpFinalized({ cursor, limit: pageSize })).cursor;
      },
    };
  },
  limit({ bare, stored }) {
    const count = Math.min(perTurn, stored.count);
    const from = stored.place(count);
    return {
      count,
      async run() {
        for (let read = 0; read < count; read += pageSize) {
          const done = bare.page(from + read, pageSize);
          if (done instanceof Promise) await done;
        }
      },
    };
  },
};

const restart: Workload = {
  id: 'restart',
  title: 'restart until the first answer',
  per: 'restart',
  given: 'pending',
  needs: ['durable'],
  async ours(pool) {
    await pool.store.close();
    return {
      count: 1,
      async run() {
        await pool.reopen();
        await pool.store.hasPending();
      },
    };
  },
  async limit({ bare }) {
    await bare.shut?.();
    return { count: 1, run: () => bare.reopen?.() };
  },
};

export const readWorkloads: readonly Workload[] = [
  status,
  find,
  pages('peek-pending', 'page through Pending by 100', 'pending', (store, after) =>
    store.peekPending({ after, limit: pageSize }),
  ),
  pages('peek-inflight', 'page through what is in flight by 100', 'inflight', (store, after) =>
    store.peekInflight({ after, limit: pageSize }),
  ),
  log,
];

export const restartWorkloads: readonly Workload[] = [restart];
