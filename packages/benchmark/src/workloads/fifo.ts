import type { Mempool, MempoolEvent, Transaction, TransactionPage } from 'mempool-core';
import { cursorOf } from 'mempool-core/backend';
import type { Per } from '../report/row.ts';
import { batches, freshTransactions, hashesOf } from '../setup/samples.ts';
import type { FilledBare, FilledPool } from './pools.ts';
import { byCalls, inCalls, repeated, type Turn, type Workload } from './workload.ts';

const perTurn = 1_000;
const callSize = 100;
const callers = 64;
const callsOfEach = 16;
const undone = 6;
const eventCalls = 8;

export function receive(pool: FilledPool, count: number, size: number): Turn {
  const transactions = freshTransactions(count);
  const undo = () => pool.drop(transactions);
  return byCalls(transactions, size, (call) => pool.store.receive(call), { undo });
}

export function bareInsert({ bare }: FilledBare, count: number, size: number): Turn {
  const transactions = freshTransactions(count);
  const undo = () => inCalls(batches(hashesOf(transactions), perTurn), (hashes) => bare.remove(hashes));
  return byCalls(transactions, size, (call) => bare.insert(call), { undo });
}

/** @param unit transactions that count as one */
export function bareUpdate({ bare, stored }: FilledBare, wanted: number, size: number, unit = 1): Turn {
  return byCalls(stored.some(wanted), size, (hashes) => bare.update(hashes), { unit });
}

/** Reads as many payloads as the pages have, in their order. */
function barePages({ bare, stored }: FilledBare): Turn {
  const count = Math.min(perTurn, stored.count);
  return byCalls(stored.run(stored.place(count), count), callSize, (hashes) => bare.read(hashes));
}

/** Page after page. `next` gets the place of the first, another one each time. */
function pages({ stored }: FilledPool, next: (place: number) => () => unknown): Turn {
  const count = Math.min(perTurn, stored.count);
  return repeated(Math.ceil(count / callSize), next(stored.place(count)), count);
}

function row(id: string, title: string, per: Per, given: Workload['given']) {
  return { id, title, per, given };
}

function receiveBy(size: number, count: number, title: string, goals: Workload['goals'] = {}): Workload {
  return {
    ...row(`receive-${size}`, title, 'transaction', 'pending'),
    goals,
    ours: (pool) => receive(pool, count, size),
    limit: (pool) => bareInsert(pool, count, size),
  };
}

const receives: readonly Workload[] = [
  receiveBy(1, 200, 'receive alone', { ephemeral: 0.5, sqlite: 0.7 }),
  {
    ...row('receive-callers', `receive, ${callers} callers`, 'transaction', 'pending'),
    ours(pool) {
      const transactions = freshTransactions(callers * callsOfEach);
      const shares = batches(transactions, callsOfEach);
      const submitAll = async (share: readonly Transaction[]): Promise<void> => {
        for (const transaction of share) await pool.store.submit(transaction);
      };
      const run = () => Promise.all(shares.map(submitAll));
      return { count: transactions.length, run, undo: () => pool.drop(transactions) };
    },
    // Callers who each await an answer can be coalesced to no more than this.
    limit: (pool) => bareInsert(pool, callers * callsOfEach, callers),
  },
  receiveBy(100, 1_000, 'receive by 100', { ephemeral: 0.5, sqlite: 0.75, redis: 0.5 }),
  receiveBy(1_000, 2_000, 'receive by 1,000'),
];

type Call = (store: Mempool, hashes: string[]) => unknown;

/** A change of stage, which `undo` takes back. */
function change(
  head: ReturnType<typeof row>,
  call: Call,
  undo: (pool: FilledPool, hashes: readonly string[]) => unknown,
): Workload {
  return {
    ...head,
    ours(pool) {
      const hashes = pool.stored.some(perTurn);
      return byCalls(hashes, callSize, (some) => call(pool.store, some), { undo: () => undo(pool, hashes) });
    },
    limit: (pool) => bareUpdate(pool, perTurn, callSize),
  };
}

async function markAgain(pool: FilledPool, hashes: readonly string[]): Promise<void> {
  await pool.store.markInflight(hashes);
  await pool.seal();
}

const changes: readonly Workload[] = [
  change(
    row('mark-inflight', 'in flight by 100', 'transaction', 'pending'),
    (store, hashes) => store.markInflight(hashes),
    ({ store }, hashes) => store.release(hashes),
  ),
  change(
    row('acknowledge', 'acknowledge by 100', 'transaction', 'inflight'),
    (store, hashes) => store.markAcknowledged(hashes),
    async (pool, hashes) => {
      await pool.store.release(hashes);
      await markAgain(pool, hashes);
    },
  ),
  change(
    row('release', 'release by 100', 'transaction', 'inflight'),
    (store, hashes) => store.release(hashes),
    markAgain,
  ),
  {
    ...row('confirm', 'confirm a block of 100', 'block', 'inflight'),
    async ours(pool) {
      const hashes = pool.stored.some(perTurn);
      const before = (await pool.store.tip()).point;
      const undo = async () => {
        await pool.store.rollback(before ?? 'origin');
        await markAgain(pool, hashes);
      };
      return byCalls(hashes, callSize, (seen) => pool.confirm(seen), { unit: callSize, undo });
    },
    limit: (pool) => bareUpdate(pool, perTurn, callSize, callSize),
  },
  {
    ...row('rollback', `roll back ${undone} blocks of 100`, 'rollback', 'inflight'),
    async ours(pool) {
      const hashes = pool.stored.some(undone * callSize);
      const before = (await pool.store.tip()).point;
      await inCalls(batches(hashes, callSize), (seen) => pool.confirm(seen));
      return { count: 1, run: () => pool.store.rollback(before ?? 'origin'), undo: () => markAgain(pool, hashes) };
    },
    limit: (pool) => ({ ...bareUpdate(pool, undone * callSize, undone * callSize), count: 1 }),
  },
];

/** A question about some hashes. */
function look(
  head: ReturnType<typeof row>,
  call: Call,
  bareCall: (pool: FilledBare, hashes: string[]) => unknown,
): Workload {
  return {
    ...head,
    ours: ({ store, stored }) => byCalls(stored.some(perTurn), callSize, (hashes) => call(store, hashes)),
    limit: (pool) => byCalls(pool.stored.some(perTurn), callSize, (hashes) => bareCall(pool, hashes)),
  };
}

/** Transactions were received in the order of their places, so a place is a seq. */
function peek(
  head: ReturnType<typeof row>,
  read: (store: Mempool, after: string) => Promise<TransactionPage>,
): Workload {
  return {
    ...head,
    async ours(pool) {
      const { epoch } = await pool.store.tip();
      return pages(pool, (place) => {
        let after = cursorOf('page', place, epoch);
        return async () => {
          after = (await read(pool.store, after)).next;
        };
      });
    },
    limit: barePages,
  };
}

const reads: readonly Workload[] = [
  look(
    row('status', 'status by 100', 'transaction', 'pending'),
    (store, hashes) => store.status(hashes),
    ({ bare }, hashes) => bare.look(hashes),
  ),
  look(
    row('find', 'find in flight by 100', 'transaction', 'inflight'),
    (store, hashes) => store.findInflight(hashes),
    ({ bare }, hashes) => bare.read(hashes),
  ),
  peek(row('peek-pending', 'page through Pending by 100', 'transaction', 'pending'), (store, after) =>
    store.peekPending({ after, limit: callSize }),
  ),
  peek(row('peek-inflight', 'page through what is in flight by 100', 'transaction', 'inflight'), (store, after) =>
    store.peekInflight({ after, limit: callSize }),
  ),
  {
    ...row('log', 'page through the log by 100', 'entry', 'logged'),
    async ours(pool) {
      const { epoch } = await pool.store.tip();
      return pages(pool, (place) => {
        let cursor = cursorOf('log', place + 1, epoch);
        return async () => {
          cursor = (await pool.store.dumpFinalized({ cursor, limit: callSize })).cursor;
        };
      });
    },
    limit: barePages,
  },
];

/** Resolves when the stream has delivered news of `count` transactions. */
async function read(stream: AsyncIterable<MempoolEvent>, count: number): Promise<void> {
  let left = count;
  for await (const event of stream) {
    if (event.kind === 'lagged') throw new Error(`a subscriber missed ${event.missed} events`);
    if (event.kind === 'transaction' && --left === 0) return;
  }
  throw new Error('the stream of events ended');
}

function fanOut(subscribers: number, who: string): Workload {
  return {
    ...row(`events-${subscribers}`, `receive by 100 until ${who} had the events`, 'event', 'pending'),
    async ours(pool) {
      const { count, run, undo } = receive(pool, perTurn, callSize);
      const streams = await Promise.all(Array.from({ length: subscribers }, () => pool.store.subscribe()));
      const runRead = () => Promise.all([...streams.map((stream) => read(stream, count)), run()]);
      return { count, run: runRead, undo };
    },
    limit: (pool) => bareInsert(pool, perTurn, callSize),
  };
}

/** Opens the pool again, until `first` has its answer. */
export function reopening(first: (pool: FilledPool) => Promise<unknown>): Pick<Workload, 'needs' | 'ours' | 'limit'> {
  return {
    needs: ['durable'],
    async ours(pool) {
      await pool.store.close();
      const run = async () => {
        await pool.reopen();
        await first(pool);
      };
      return { count: 1, run };
    },
    async limit({ bare }) {
      await bare.shut?.();
      return { count: 1, run: () => bare.reopen?.() };
    },
  };
}

const rest: readonly Workload[] = [
  {
    ...row('restart', 'restart until the first answer', 'restart', 'pending'),
    ...reopening(({ store }) => store.hasPending()),
  },
  fanOut(1, 'a subscriber'),
  fanOut(32, '32 subscribers'),
  {
    ...row('events-second-node', 'receive alone until a second node had the event', 'event', 'pending'),
    needs: ['shared'],
    async ours(pool) {
      const transactions = freshTransactions(eventCalls);
      const other = await pool.second();
      const events = (await other.subscribe())[Symbol.asyncIterator]();
      const undo = async () => {
        await other.close();
        await pool.drop(transactions);
      };
      return byCalls(transactions, 1, (call) => Promise.all([pool.store.receive(call), events.next()]), { undo });
    },
    limit: (pool) => bareInsert(pool, eventCalls, 1),
  },
];

/** Workloads of FIFO pools, in the order of the report. */
export const fifoWorkloads: readonly Workload[] = [...receives, ...changes, ...reads, ...rest];

/** A table from which entries were removed has gaps, which every read passes over: in memory the reads come first. */
export const readsFirst: readonly Workload[] = [...reads, ...changes, ...receives, ...rest];
