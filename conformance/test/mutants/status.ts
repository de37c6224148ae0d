import type { LogEntry, StoredTransaction } from 'mempool-core';
import { fifo } from './fifo.ts';
import type { Mutant } from './mutant.ts';
import type { PlantedDriver } from './planted-driver.ts';
import { stores } from './stores.ts';

type Found = StoredTransaction | null;

function finding(
  id: string,
  change: (found: Found[], pool: PlantedDriver, asked: readonly string[]) => Found[],
): Mutant {
  return fifo.told(id, { findInflight: (found, { pool, given: [asked] }) => change(found, pool, asked) });
}

/** The status of a hash by one of its log entries. */
function byEntry(id: string, pick: (entries: LogEntry[]) => LogEntry | undefined): Mutant {
  return fifo.each(id, {
    checkStatus: ({ hash }, { pool }) => {
      const entry = pick(pool.logged(hash));
      return entry && { stage: entry.stage, reason: entry.reason };
    },
  });
}

const unknown = { stage: 'Unknown', confirmations: 0, nonConfirmations: 0, confirmedAt: null, reason: null };

/** O3 and O5. */
export const statusMutants: readonly Mutant[] = [
  fifo.told('status-without-repeats', {
    checkStatus: (told) => [...new Map(told.map((status) => [status.hash, status])).values()],
  }),
  fifo.told('status-by-hash', { checkStatus: (told) => told.toSorted((a, b) => a.hash.localeCompare(b.hash)) }),
  fifo.only('status-without-unknown-ones', { checkStatus: ({ stage }) => stage !== 'Unknown' }),
  fifo.each('unknown-has-an-age', {
    checkStatus: ({ stage }, { pool }) => stage === 'Unknown' && { nonConfirmations: pool.currentTip.tick },
  }),
  fifo.each('final-depth-not-told', { checkStatus: ({ stage }) => stage === 'Finalized' && { confirmations: 0 } }),
  byEntry('first-entry-counts', (entries) => entries[0]),
  byEntry('entry-counts-before-the-live-one', (entries) => entries.at(-1)),
  fifo.each('final-remembered-for-ever', {
    checkStatus: (told, { notes: { patches } }) => {
      if (told.stage === 'Finalized' || told.stage === 'Dropped') patches.set(told.hash, told);
      return told.stage === 'Unknown' && patches.get(told.hash);
    },
  }),
  fifo.each('hash-goes-with-its-first-entry', {
    checkStatus: ({ stage }, { pool }) => {
      const isTrimmed = pool.usage().lastLogSeq > pool.logged().length && stage === 'Dropped';
      return (
        isTrimmed && pool.logged().every(({ reason }) => reason === 'second') && { stage: 'Unknown', reason: null }
      );
    },
  }),
  fifo.each('payload-goes-with-the-first-entry', {
    drop: (hash, { notes }) => void notes.hashes.add(hash),
    peekPending: ({ hash }, { pool, notes }) =>
      notes.hashes.has(hash) && pool.logged(hash).length === 0 && { payload: new Uint8Array() },
  }),
  finding('found-first-missing-last', (found) => found.toSorted((a, b) => Number(a === null) - Number(b === null))),
  finding('found-once', (found, _, asked) => found.map((one, i) => (asked.indexOf(asked[i] ?? '') === i ? one : null))),
  finding('waiting-ones-found-in-flight', (found, pool, asked) =>
    found.map((one, i) => one ?? pool.peekPending(0, 1_000).find(({ hash }) => hash === asked[i]) ?? null),
  ),
  finding('confirmed-not-found', (found) => found.map((one) => (one?.stage === 'Confirmed' ? null : one))),
  fifo.each('found-without-its-age', { findInflight: () => ({ nonConfirmations: 0 }) }),
  stores.plant('empty-where-it-failed', (store) => ({
    hasPending: (options) => store.hasPending(options).catch(() => false),
    peekPending: (query) => store.peekPending(query).catch(() => []),
    checkStatus: (hashes, options) =>
      store.checkStatus(hashes, options).catch(() => hashes.map((hash) => ({ ...unknown, hash }) as never)),
    usage: (options) => store.usage(options).catch(() => ({}) as never),
  })),
];
