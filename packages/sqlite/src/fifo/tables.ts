import type { Database } from 'better-sqlite3';
import type { Limits } from 'mempool-core';
import * as core from 'mempool-core/backend';
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

/** The claims and the limits of the pool; `null` if it has neither. */
export function readClaims(file: PoolFile, state: PoolState): core.FifoRecord | null {
  const rows = state.leases > 0 ? [...file.rows('allClaims')] : [];
  const claimed = rows.map(({ seq, id, owner, until, hash }) => {
    const claim = { id: String(id), owner: String(owner), untilMs: Number(until) };
    return [claim, core.bytesToHash(hash as Uint8Array), Number(seq)] as const;
  });
  return core.fifoRecord(limitsOf(state), core.lotsOf(claimed));
}

/** Writes the claims and the limits of another pool into a new one. */
export function restoreClaims(file: PoolFile, { maxTxs, acceptUntil, lots }: core.FifoRecord): void {
  file.run('setClosing', limitColumn(acceptUntil ?? Number.POSITIVE_INFINITY));
  file.run('setCapacity', limitColumn(maxTxs));
  let count = 0;
  for (const { claim, held } of lots)
    for (const [, seq] of held) count += file.run('putClaim', seq, claim.id, claim.owner, claim.untilMs).changes;
  file.run('countClaims', count);
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
