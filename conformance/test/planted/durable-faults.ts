import { randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import type { MempoolStore, ReceiveOutcome, Transaction, WriteOptions } from 'mempool-core';
import { type Fault, moment, type OrderKey } from './fault.ts';

/** The call in two halves: same outcome, same events, but not one step. */
async function inHalves<T, R>(
  items: readonly T[],
  options: WriteOptions | undefined,
  call: (items: readonly T[], options?: WriteOptions) => Promise<R[]>,
): Promise<R[]> {
  const half = Math.ceil(items.length / 2);
  const part = (n: number): WriteOptions =>
    options?.operationId === undefined ? {} : { operationId: `${options.operationId}/${n}` };
  const first = await call(items.slice(0, half), part(1));
  await moment();
  return [...first, ...(await call(items.slice(half), part(2)))];
}

function withOwnIds(store: MempoolStore): Partial<MempoolStore> {
  const suffix = randomUUID();
  const own = (options: WriteOptions = {}): WriteOptions =>
    options.operationId === undefined ? options : { operationId: `${options.operationId} ${suffix}` };
  return {
    receive: (transactions, options) => store.receive(transactions, own(options)),
    markInflight: (hashes, options) => store.markInflight(hashes, own(options)),
    markAcknowledged: (hashes, options) => store.markAcknowledged(hashes, own(options)),
    release: (hashes, options) => store.release(hashes, own(options)),
    drop: (hashes, reason, options) => store.drop(hashes, reason, own(options)),
    confirm: (block, policy, options) => store.confirm(block, policy, own(options)),
    rollback: (point, options) => store.rollback(point, own(options)),
  };
}

/** A file beside the pool's, written in a step of its own. */
function beside({ path }: OrderKey): DatabaseSync {
  const database = new DatabaseSync(`${path}-beside`, { timeout: 5_000 });
  database.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; CREATE TABLE IF NOT EXISTS kept (key TEXT PRIMARY KEY, value) WITHOUT ROWID',
  );
  return database;
}

/** Every verb without its operation id, whose outcome is kept a step later. */
function recordsLater(store: MempoolStore, place: OrderKey): Partial<MempoolStore> {
  const database = beside(place);
  const read = database.prepare('SELECT value FROM kept WHERE key = ?');
  const write = database.prepare('INSERT OR REPLACE INTO kept VALUES (?, ?)');
  const later = async <T>(options: WriteOptions | undefined, call: () => Promise<T>): Promise<T> => {
    const key = options?.operationId ?? '';
    const known = read.get(key);
    if (known !== undefined) return JSON.parse(String(known.value));
    const outcome = await call();
    if (key !== '') write.run(key, JSON.stringify(outcome));
    return outcome;
  };
  return {
    receive: (batch, options) => later(options, () => store.receive(batch)),
    markInflight: (hashes, options) => later(options, () => store.markInflight(hashes)),
    drop: (hashes, reason, options) => later(options, () => store.drop(hashes, reason)),
    confirm: (block, policy, options) => later(options, () => store.confirm(block, policy)),
    close: () => store.close().finally(() => database.close()),
  };
}

/** Numbers its events a step after what they tell of. */
function tellsLater(store: MempoolStore, place: OrderKey): Partial<MempoolStore> {
  const database = beside(place);
  const read = database.prepare("SELECT value FROM kept WHERE key = 'events'");
  const write = database.prepare("INSERT OR REPLACE INTO kept VALUES ('events', ?)");
  const then = async <T>(call: Promise<T>): Promise<T> => {
    const outcome = await call;
    write.run((await store.usage()).lastEventSeq);
    return outcome;
  };
  return {
    receive: (...args) => then(store.receive(...args)),
    markInflight: (...args) => then(store.markInflight(...args)),
    drop: (...args) => then(store.drop(...args)),
    confirm: (...args) => then(store.confirm(...args)),
    usage: async () => ({ ...(await store.usage()), lastEventSeq: Number(read.get()?.value ?? 0) }),
    close: () => store.close().finally(() => database.close()),
  };
}

/** Of every pool of this process. */
const outcomes = new Map<string | undefined, ReceiveOutcome[]>();

export const durableFaults: readonly Fault[] = [
  {
    id: 'answers-before-it-writes',
    kills: ['D1/killed-receiving', 'D1/killed-while-open', 'P15/killed'],
    plant(store) {
      const queue: (readonly Transaction[])[] = [];
      let seq = 0;
      const outcome = ({ hash }: Transaction): ReceiveOutcome => {
        seq += 1;
        return { kind: 'received', hash, seq, stage: 'Pending' };
      };
      return {
        async receive(transactions) {
          queue.push(transactions);
          if (queue.length > 3) await store.receive(queue.shift() ?? []);
          return transactions.map(outcome);
        },
      };
    },
  },
  {
    id: 'writes-in-halves',
    kills: ['D1/killed-receiving', 'D1/killed-again', 'X1/killed-confirming', 'P15/killed'],
    plant: (store) => ({
      receive: (transactions, options) => inHalves(transactions, options, (...args) => store.receive(...args)),
      markInflight: (hashes, options) => inHalves(hashes, options, (...args) => store.markInflight(...args)),
    }),
  },
  {
    id: 'receives-in-two-batches',
    kills: ['X1/stopped-anywhere'],
    plant: (store) => ({
      receive: async (batch, options) => {
        const middle = Math.ceil(batch.length / 2);
        const first = await store.receive(
          batch.slice(0, middle),
          options && { operationId: `${options.operationId}/1` },
        );
        return [...first, ...(await store.receive(batch.slice(middle), options))];
      },
    }),
  },
  {
    id: 'marks-in-two-batches',
    kills: ['X1/stopped-anywhere'],
    plant: (store) => ({
      markInflight: async (hashes, options) => {
        const middle = Math.ceil(hashes.length / 2);
        const first = await store.markInflight(hashes.slice(0, middle));
        return [...first, ...(await store.markInflight(hashes.slice(middle), options))];
      },
    }),
  },
  {
    id: 'applies-a-block-in-two-batches',
    kills: ['X1/stopped-anywhere'],
    plant: (store) => ({
      async confirm(block, policy, options) {
        const { length } = await store.release(block.unseen);
        const outcome = await store.confirm(block, policy, options);
        return outcome.kind === 'applied' ? { ...outcome, returned: outcome.returned + length } : outcome;
      },
    }),
  },
  { id: 'records-in-a-batch-of-their-own', kills: ['X2/stopped-anywhere'], plant: recordsLater },
  { id: 'events-in-a-batch-of-their-own', kills: ['X2/stopped-anywhere'], plant: tellsLater },
  {
    id: 'ids-of-this-open-alone',
    kills: ['D1/operation-ids', 'D1/reopened', 'X2/repeated-after-a-kill', 'X2/racing-nodes'],
    plant: withOwnIds,
  },
  {
    id: 'no-events-of-before',
    kills: ['D1/reopened', 'E3/resume-after-reopening', 'N1/late-node'],
    hangs: ['D1/reopened', 'E3/resume-after-reopening', 'N1/late-node'],
    async plant(store) {
      const { lastEventSeq } = await store.usage();
      return {
        subscribe: ({ after, ...more } = {}) => store.subscribe({ ...more, after: Math.max(after ?? 0, lastEventSeq) }),
      };
    },
  },
  {
    id: 'another-order-after-reopening',
    kills: ['D1/pending-order', 'D1/reopened'],
    plant: (store, { reopened }) => ({
      peekPending: async (query) => (reopened ? (await store.peekPending(query)).reverse() : store.peekPending(query)),
    }),
  },
  { id: 'sightings-in-memory', kills: ['D1/sightings'], sabotage: 'DELETE FROM sighting' },
  {
    id: 'points-in-memory',
    kills: ['X4/reopened'],
    sabotage: 'DELETE FROM block WHERE tick < (SELECT max(tick) FROM block)',
  },
  {
    id: 'limits-of-this-open-alone',
    kills: ['D1/retention', 'O4/latest-node-sets'],
    options: (options) => ({ maxFinalized: 10_000, ...options }),
  },
  {
    id: 'tip-ahead-after-reopening',
    kills: ['X4/killed-follower', 'X4/reopened'],
    plant: (store, { reopened }) => ({
      async tip(options) {
        const tip = await store.tip(options);
        return reopened ? { ...tip, tick: tip.tick + 1 } : tip;
      },
    }),
  },
  {
    id: 'slot-zero-is-not-kept',
    kills: ['X4/slot-zero-reopened', 'X4/slot-zero-reopened@priority'],
    plant: (store, { reopened }) => ({
      async tip(options) {
        const tip = await store.tip(options);
        return reopened && tip.point?.slot === 0 ? { ...tip, point: null } : tip;
      },
    }),
  },
  {
    id: 'not-as-volatile-as-it-says',
    kills: ['D2/empty', 'P15/volatile'],
    capabilities: { durable: false },
  },
  {
    id: 'outcomes-longer-than-the-pool',
    kills: ['D2/operation-ids'],
    capabilities: { durable: false },
    path: (path) => `${path}-${randomUUID()}`,
    plant: (store) => ({
      async receive(transactions, options) {
        const known = outcomes.get(options?.operationId);
        const answer = known ?? (await store.receive(transactions, options));
        outcomes.set(options?.operationId, answer);
        return answer;
      },
    }),
  },
  {
    id: 'a-timer-left-behind',
    kills: ['R2/process-ends', 'R2/process-ends-unused'],
    hangs: ['R2/process-ends', 'R2/process-ends-unused'],
    plant(store) {
      setInterval(() => undefined, 1_000);
      return { close: () => store.close() };
    },
  },
];
