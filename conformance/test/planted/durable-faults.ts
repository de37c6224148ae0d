import { randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import type { ReceiveOutcome, Submission, WriteOptions } from 'mempool-core';
import type { TestedPool } from '../../src/case/tested-pool.ts';
import { again, withOptions, writeVerbs } from '../mutants/through.ts';
import { type Fault, moment, planted, type StoreFile, sabotaged, stores } from './fault.ts';

/** The call in two halves: same outcome, same events, but not one step. */
async function inHalves<T, R>(
  items: readonly T[],
  call: (items: readonly T[], half: 1 | 2) => Promise<R[]>,
  between: (items: number) => Promise<void> = async () => undefined,
): Promise<R[]> {
  const half = Math.ceil(items.length / 2);
  const first = await call(items.slice(0, half), 1);
  await between(items.length);
  return [...first, ...(await call(items.slice(half), 2))];
}

const part = (options: WriteOptions | undefined, half: 1 | 2): WriteOptions =>
  options?.operationId === undefined ? {} : { operationId: `${options.operationId}/${half}` };

function withOwnIds(store: TestedPool): Partial<TestedPool> {
  const suffix = randomUUID();
  const own = ({ operationId: id }: WriteOptions) => (id === undefined ? {} : { operationId: `${id} ${suffix}` });
  const verbs = writeVerbs.map((verb) => [verb, (...given: unknown[]) => again(store, verb, withOptions(given, own))]);
  return Object.fromEntries(verbs);
}

/** A file beside the pool's, written in a step of its own. */
function beside({ path }: StoreFile): DatabaseSync {
  const database = new DatabaseSync(`${path}-beside`, { timeout: 5_000 });
  database.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; CREATE TABLE IF NOT EXISTS kept (key TEXT PRIMARY KEY, value) WITHOUT ROWID',
  );
  return database;
}

/** Every verb without its operation id, whose outcome is kept a step later. */
function recordsLater(store: TestedPool, place: StoreFile): Partial<TestedPool> {
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

/** Of every pool of this process. */
const outcomes = new Map<string | undefined, ReceiveOutcome[]>();

export const durableFaults: readonly Fault[] = [
  stores.plant('answers-before-it-writes', (store) => {
    const queue: (readonly Submission[])[] = [];
    let seq = 0;
    const outcome = ({ hash }: Submission): ReceiveOutcome => {
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
  }),
  stores.around('writes-in-halves', {
    receive: ({ store, given: [batch, options] }) =>
      inHalves(batch, (half, n) => store.receive(half, part(options, n)), moment),
    markInflight: ({ store, given: [hashes, options] }) =>
      inHalves(hashes, (half, n) => store.markInflight(half, part(options, n)), moment),
  }),
  stores.around('receives-in-two-batches', {
    receive: ({ store, given: [batch, options] }) =>
      inHalves(batch, (half, n) => store.receive(half, n === 1 ? part(options, 1) : options)),
  }),
  planted('records-in-a-batch-of-their-own', { plant: recordsLater }),
  planted('ids-of-this-open-alone', { plant: withOwnIds }),
  planted('no-events-of-before', {
    async plant(store) {
      const { cursors } = await store.usage();
      return { subscribe: ({ after: _, ...more } = {}) => store.subscribe({ ...more, after: cursors.events }) };
    },
  }),
  stores.told('epoch-of-this-open', {
    tip: (_, { reopened }) => reopened && { epoch: 'another' },
    usage: (_, { reopened }) => reopened && { epoch: 'another' },
  }),
  stores.told('another-order-after-reopening', {
    peekPending: ({ transactions }, { reopened }) => reopened && { transactions: transactions.reverse() },
  }),
  planted('sightings-in-memory', { sabotage: 'DELETE FROM sighting' }),
  sabotaged('attempts-forgotten-at-opening', 'UPDATE pending SET attempts = 0'),
  sabotaged('going-out-forgotten-at-opening', 'UPDATE inflight SET sent = NULL'),
  planted('outcomes-in-memory', { sabotage: 'DELETE FROM operation' }),
  planted('versions-in-memory', {
    sabotage: 'UPDATE record_total SET last_version = (SELECT max(version) FROM record)',
  }),
  sabotaged('time-of-puts-in-memory', 'UPDATE record_total SET at = 0'),
  planted('limits-of-this-open-alone', {
    options: (options) => ({ maxFinalized: 10_000, ...options }),
  }),
  planted('no-import-goes-on-after-a-kill', {
    async plant(_, { reopened }) {
      return reopened ? { import: async () => ({ kind: 'other-file' }) } : {};
    },
  }),
  stores.told('nothing-held-after-reopening', { usage: (_, { reopened }) => reopened && { held: 0 } }),
  stores.around('claims-of-this-open-alone', {
    extendClaim: async ({ store, given, reopened }) => (reopened ? { kind: 'ended' } : store.extendClaim(...given)),
  }),
  planted('without-a-limit-after-reopening', {
    async plant(store, { reopened }) {
      if (reopened) await store.setLimits({ maxTxs: Number.POSITIVE_INFINITY });
      return {};
    },
  }),
  stores.told('tip-ahead-after-reopening', { tip: ({ tick }, { reopened }) => reopened && { tick: tick + 1 } }),
  planted('not-as-volatile-as-it-says', { capabilities: { durable: false } }),
  planted('outcomes-longer-than-the-pool', {
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
  }),
  stores.plant('a-timer-left-behind', (store) => {
    setInterval(() => undefined, 1_000);
    return { close: () => store.close() };
  }),
];
