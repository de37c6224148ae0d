import type { LogEntry, StoredTransaction, TransactionStatus } from 'mempool-core';
import { answered, handed, type Mutant } from './mutant.ts';
import type { PlantedDriver } from './planted-driver.ts';

function telling(
  id: string,
  alter: (told: TransactionStatus[], pool: PlantedDriver, asked: readonly string[]) => TransactionStatus[],
): Mutant {
  return answered(id, (pool) => ({ checkStatus: (hashes) => alter(pool.checkStatus(hashes), pool, hashes) }));
}

function finding(
  id: string,
  alter: (found: (StoredTransaction | null)[], pool: PlantedDriver) => (StoredTransaction | null)[],
): Mutant {
  return answered(id, (pool) => ({ findInflight: (hashes) => alter(pool.findInflight(hashes), pool) }));
}

/** The status of a hash by the first or the last of its log entries. */
function byEntry(id: string, pick: (entries: LogEntry[]) => LogEntry | undefined): Mutant {
  return telling(id, (told, pool) =>
    told.map((status) => {
      const entry = pick(pool.dumpFinalized(0, 1_000).entries.filter(({ hash }) => hash === status.hash));
      return entry === undefined ? status : { ...status, stage: entry.stage, reason: entry.reason };
    }),
  );
}

/** O3 and O5. */
export const statusMutants: readonly Mutant[] = [
  telling('status-without-repeats', (told) => [...new Map(told.map((status) => [status.hash, status])).values()]),
  telling('status-by-hash', (told) => told.toSorted((a, b) => a.hash.localeCompare(b.hash))),
  telling('status-without-unknown-ones', (told) => told.filter(({ stage }) => stage !== 'Unknown')),
  telling('unknown-has-an-age', (told, pool) =>
    told.map((status) => (status.stage === 'Unknown' ? { ...status, nonConfirmations: pool.currentTip.tick } : status)),
  ),
  telling('final-depth-not-told', (told) =>
    told.map((status) => (status.stage === 'Finalized' ? { ...status, confirmations: 0 } : status)),
  ),
  byEntry('first-entry-counts', (entries) => entries[0]),
  telling('entry-counts-before-the-live-one', (told, pool) =>
    told.map((status) => {
      const entry = pool.dumpFinalized(0, 1_000).entries.findLast(({ hash }) => hash === status.hash);
      return entry === undefined ? status : { ...status, stage: entry.stage, reason: entry.reason };
    }),
  ),
  answered('final-remembered-for-ever', (pool) => {
    const ever = new Map<string, TransactionStatus>();
    return {
      checkStatus: (hashes) =>
        pool.checkStatus(hashes).map((status) => {
          if (status.stage === 'Finalized' || status.stage === 'Dropped') ever.set(status.hash, status);
          return status.stage === 'Unknown' ? (ever.get(status.hash) ?? status) : status;
        }),
    };
  }),
  telling('hash-goes-with-its-first-entry', (told, pool) =>
    told.map((status) => {
      const { entries } = pool.dumpFinalized(0, 1_000);
      const trimmed = pool.usage().lastLogSeq > entries.length && status.stage === 'Dropped';
      const gone = trimmed && entries.every(({ reason }) => reason === 'second');
      return gone ? { ...status, stage: 'Unknown', reason: null } : status;
    }),
  ),
  answered('payload-goes-with-the-first-entry', (pool) => {
    const dropped = new Set<string>();
    return {
      drop: (hashes, reason, context) => {
        for (const hash of hashes) dropped.add(hash);
        return pool.drop(hashes, reason, context);
      },
      peekPending: (after, limit) =>
        pool.peekPending(after, limit).map((record) => {
          const logged = pool.dumpFinalized(0, 1_000).entries.some(({ hash }) => hash === record.hash);
          return dropped.has(record.hash) && !logged ? { ...record, payload: new Uint8Array(0) } : record;
        }),
    };
  }),
  finding('found-first-missing-last', (found) => found.toSorted((a, b) => Number(a === null) - Number(b === null))),
  finding('found-once', (found) => {
    const seen = new Set<string>();
    return found.map((one) => {
      const again = one !== null && seen.has(one.hash);
      seen.add(one?.hash ?? '');
      return again ? null : one;
    });
  }),
  answered('waiting-ones-found-in-flight', (pool) => ({
    findInflight: (hashes) =>
      pool
        .findInflight(hashes)
        .map((one, i) => one ?? pool.peekPending(0, 1_000).find(({ hash }) => hash === hashes[i]) ?? null),
  })),
  finding('confirmed-not-found', (found) => found.map((one) => (one?.stage === 'Confirmed' ? null : one))),
  finding('found-without-its-age', (found) => found.map((one) => one && { ...one, nonConfirmations: 0 })),
  handed('empty-where-it-failed', (store) => ({
    hasPending: (options) => store.hasPending(options).catch(() => false),
    peekPending: (query) => store.peekPending(query).catch(() => []),
    checkStatus: (hashes, options) =>
      store.checkStatus(hashes, options).catch(() =>
        hashes.map((hash) => ({
          hash,
          stage: 'Unknown',
          confirmations: 0,
          nonConfirmations: 0,
          confirmedAt: null,
          reason: null,
        })),
      ),
    usage: (options) => store.usage(options).catch(() => ({}) as never),
  })),
];
