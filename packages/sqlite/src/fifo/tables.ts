import type { Database } from 'better-sqlite3';
import type { Limits } from 'mempool-core';
import * as core from 'mempool-core/backend';
import type { OrderedReads } from '../pool/exported-parts.ts';
import type { OrderedWrites } from '../pool/file-import.ts';
import type { PoolFile } from '../pool/pool-file.ts';
import type { PoolState } from '../pool/records.ts';

/** Stores the limit that an open names. It applies to all processes, until another open or call changes it. */
export function storeFifoLimit(database: Database, { maxTxs }: Partial<Limits>): void {
  if (maxTxs !== undefined) database.prepare('UPDATE pool SET capacity = ?').run(limitColumn(maxTxs));
}

function limitColumn(limit: number): number {
  return Math.min(limit, Number.MAX_SAFE_INTEGER);
}

/** The limit of the pool. */
export function limitOf({ capacity }: PoolState): Pick<Limits, 'maxTxs'> {
  return { maxTxs: capacity === Number.MAX_SAFE_INTEGER ? Number.POSITIVE_INFINITY : capacity };
}

/** Returns how many more transactions the pool accepts; negative if there are too many. */
export function roomIn(state: PoolState): number {
  return limitOf(state).maxTxs - state.pending - state.propagated - state.acknowledged;
}

/** What an export reads of a fifo pool only. */
export function exportReads(file: PoolFile): OrderedReads {
  return {
    ordering: 'fifo',
    numbers: (state) => ({ limits: limitOf(state), lastGossipSeq: 0 }),
    claim({ leases }, seq) {
      const row = leases > 0 ? file.row('claimRecord', seq) : undefined;
      return row === undefined ? null : { id: String(row.id), owner: String(row.owner), untilMs: Number(row.until) };
    },
  };
}

/** What an import writes in a fifo pool only. */
export function importWrites(file: PoolFile): OrderedWrites {
  return {
    numbers({ limits: { maxTxs = Number.POSITIVE_INFINITY } }) {
      file.run('setCapacity', limitColumn(maxTxs));
    },
    entry: () => undefined,
    satisfied: () => undefined,
    replaced: () => undefined,
  };
}

/** Writes the claims and the limit of a step. For a pool without claims, nothing is queried. */
export function writeClaims(file: PoolFile, { leases }: PoolState, { events, fifo = null }: core.Step<unknown>): void {
  let change = 0;
  if (leases > 0) for (const { seq } of core.endedClaims(events)) change -= file.run('endClaim', seq).changes;
  if (fifo !== null) {
    change += writeNewClaims(file, events, fifo);
    if (fifo.extended !== null) file.run('extendClaim', fifo.extended.untilMs, fifo.extended.id);
    if (fifo.maxTxs !== null) file.run('setCapacity', limitColumn(fifo.maxTxs));
  }
  if (change !== 0) file.run('countClaims', change);
}

function writeNewClaims(file: PoolFile, events: readonly core.StepEvent[], { taken }: core.FifoStep): number {
  if (taken === null) return 0;
  const all = core.takenBy(events);
  for (const { seq } of all) file.run('putClaim', seq, taken.id, taken.owner, taken.untilMs);
  return all.length;
}
