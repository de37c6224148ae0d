import type { Database } from 'better-sqlite3';
import type { Limits } from 'mempool-core';
import * as core from 'mempool-core/backend';
import type { OrderedReads } from '../pool/exported-parts.ts';
import type { OrderedWrites } from '../pool/file-import.ts';
import type { PoolFile } from '../pool/pool-file.ts';
import type { PoolState } from '../pool/records.ts';

/** Stores the limits that an open names. They apply to all processes, until another open or call changes them. */
export function storeFifoLimits(database: Database, { maxTxs, acceptUntil }: Partial<Limits>): void {
  if (maxTxs !== undefined) database.prepare('UPDATE pool SET capacity = ?').run(limitColumn(maxTxs));
  if (acceptUntil !== undefined) database.prepare('UPDATE pool SET accept_until = ?').run(limitColumn(acceptUntil));
}

function limitColumn(limit: number): number {
  return Math.min(limit, Number.MAX_SAFE_INTEGER);
}

function readLimit(column: number): number {
  return column === Number.MAX_SAFE_INTEGER ? Number.POSITIVE_INFINITY : column;
}

/** The limits of the pool. */
export function limitsOf({ capacity, acceptUntil }: PoolState): Pick<Limits, 'maxTxs' | 'acceptUntil'> {
  return { maxTxs: readLimit(capacity), acceptUntil: readLimit(acceptUntil) };
}

/** Returns how many more transactions the pool accepts, or `'closed'` (P27). */
export function roomIn(state: PoolState, nowMs: number): core.Room {
  const limits = limitsOf(state);
  if (core.isClosedAt(limits, nowMs)) return 'closed';
  return limits.maxTxs - state.pending - state.propagated - state.acknowledged;
}

/** What an export reads of a fifo pool only. */
export function exportReads(file: PoolFile): OrderedReads {
  return {
    ordering: 'fifo',
    numbers: (state) => ({ limits: limitsOf(state), lastGossipSeq: 0 }),
    claim({ leases }, seq) {
      const row = leases > 0 ? file.row('claimRecord', seq) : undefined;
      return row === undefined ? null : { id: String(row.id), owner: String(row.owner), untilMs: Number(row.until) };
    },
  };
}

/** What an import writes in a fifo pool only. */
export function importWrites(file: PoolFile): OrderedWrites {
  return {
    numbers({ limits: { maxTxs = Number.POSITIVE_INFINITY, acceptUntil = Number.POSITIVE_INFINITY } }) {
      file.run('setCapacity', limitColumn(maxTxs));
      file.run('setClosing', limitColumn(acceptUntil));
    },
    entry: () => undefined,
    satisfied: () => undefined,
    replaced: () => undefined,
  };
}

/** Writes the claims and the limits of a step. For a pool without claims, nothing is queried. */
export function writeClaims(file: PoolFile, { leases }: PoolState, { events, fifo = null }: core.Step<unknown>): void {
  let change = 0;
  if (leases > 0) for (const { seq } of core.endedClaims(events)) change -= file.run('endClaim', seq).changes;
  if (fifo !== null) {
    change += writeNewClaims(file, events, fifo);
    if (fifo.extended !== null) file.run('extendClaim', fifo.extended.untilMs, fifo.extended.id);
    if (fifo.maxTxs !== null) file.run('setCapacity', limitColumn(fifo.maxTxs));
    if (fifo.acceptUntil !== null) file.run('setClosing', limitColumn(fifo.acceptUntil));
  }
  if (change !== 0) file.run('countClaims', change);
}

function writeNewClaims(file: PoolFile, events: readonly core.StepEvent[], { taken }: core.FifoStep): number {
  if (taken === null) return 0;
  const all = core.takenBy(events);
  for (const { seq } of all) file.run('putClaim', seq, taken.id, taken.owner, taken.untilMs);
  return all.length;
}
