import type { Database } from 'better-sqlite3';
import type { Limits } from 'mempool-core';
import * as core from 'mempool-core/backend';
import { readSql } from '../file/sql-text.ts';
import type { PoolFile } from '../pool/pool-file.ts';
import type { PoolState } from '../pool/records.ts';

const statements = 'fifo/claim-statements.sql';
const closingStatements = 'fifo/closing-statements.sql';

/** Stores the limits that an open names. They apply to all processes, until another open or call changes them. */
export function storeFifoLimits(database: Database, { maxTxs, acceptUntil }: Partial<Limits>): void {
  storeLimit(database, { column: 'capacity', tables: 'fifo/tables.sql' }, maxTxs);
  storeLimit(database, { column: 'accept_until', tables: 'fifo/closing.sql' }, acceptUntil);
}

/** A column with a limit. `tables` is the file in `sql` that makes the column. */
interface LimitColumn {
  readonly column: 'capacity' | 'accept_until';
  readonly tables: string;
}

function storeLimit(database: Database, { column, tables }: LimitColumn, limit: number | undefined): void {
  if (limit === undefined) return;
  const made = database.prepare("SELECT 1 FROM pragma_table_info('pool') WHERE name = ?").get(column) !== undefined;
  if (!made && limit === Number.POSITIVE_INFINITY) return;
  if (!made) database.exec(readSql(tables));
  database.prepare(`UPDATE pool SET ${column} = ?`).run(limitColumn(limit));
}

function limitColumn(limit: number): number {
  return Math.min(limit, Number.MAX_SAFE_INTEGER);
}

function readLimit(column: number = Number.MAX_SAFE_INTEGER): number {
  return column === Number.MAX_SAFE_INTEGER ? Number.POSITIVE_INFINITY : column;
}

/** The limits of the pool. */
export function limitsOf({ capacity, accept_until }: PoolState): Pick<Limits, 'maxTxs' | 'acceptUntil'> {
  return { maxTxs: readLimit(capacity), acceptUntil: readLimit(accept_until) };
}

/** Returns how many more transactions the pool accepts, or `'closed'` (P27). */
export function roomIn(state: PoolState, nowMs: number): core.Room {
  const limits = limitsOf(state);
  if (core.isClosedAt(limits, nowMs)) return 'closed';
  return limits.maxTxs - state.pending - state.propagated - state.acknowledged;
}

/** True if there are claims. It reads a counter in the state, without a query. */
export function hasClaims(file: PoolFile, { leases = 0 }: PoolState): boolean {
  if (leases > 0) file.include(statements);
  return leases > 0;
}

/** The claims and the limits of the pool; `null` if it has neither. */
export function readClaims(file: PoolFile, state: PoolState): core.FifoRecord | null {
  const rows = hasClaims(file, state) ? [...file.rows('allClaims')] : [];
  const claimed = rows.map(({ seq, id, owner, until, hash }) => {
    const claim = { id: String(id), owner: String(owner), untilMs: Number(until) };
    return [claim, core.bytesToHash(hash as Uint8Array), Number(seq)] as const;
  });
  return core.fifoRecord(limitsOf(state), core.lotsOf(claimed));
}

/** Writes the claims and the limits of another pool into a new one. */
export function restoreClaims(file: PoolFile, state: PoolState, { maxTxs, acceptUntil, lots }: core.FifoRecord): void {
  storeClosing(file, state, acceptUntil ?? Number.POSITIVE_INFINITY);
  if (state.leases === undefined) file.execute('fifo/tables.sql');
  file.include(statements);
  file.run('setCapacity', limitColumn(maxTxs));
  let count = 0;
  for (const { claim, held } of lots)
    for (const [, seq] of held) count += file.run('putClaim', seq, claim.id, claim.owner, claim.untilMs).changes;
  file.run('countClaims', count);
}

function storeClosing(file: PoolFile, { accept_until }: PoolState, acceptUntil: number): void {
  if (accept_until === undefined) {
    if (acceptUntil === Number.POSITIVE_INFINITY) return;
    file.execute('fifo/closing.sql');
  }
  file.include(closingStatements);
  file.run('setClosing', limitColumn(acceptUntil));
}

/** Writes the claims and the limits of a step. For a pool that never had either, nothing is queried. */
export function writeClaims(file: PoolFile, state: PoolState, { events, fifo = null }: core.Step<unknown>): void {
  let change = 0;
  if (hasClaims(file, state))
    for (const { seq } of core.endedClaims(events)) change -= file.run('endClaim', seq).changes;
  if (fifo !== null) {
    if (state.leases === undefined) file.execute('fifo/tables.sql');
    file.include(statements);
    change += writeNewClaims(file, events, fifo);
    if (fifo.extended !== null) file.run('extendClaim', fifo.extended.untilMs, fifo.extended.id);
    if (fifo.maxTxs !== null) file.run('setCapacity', limitColumn(fifo.maxTxs));
    if (fifo.acceptUntil != null) storeClosing(file, state, fifo.acceptUntil);
  }
  if (change !== 0) file.run('countClaims', change);
}

function writeNewClaims(file: PoolFile, events: readonly core.StepEvent[], { taken }: core.FifoStep): number {
  if (taken === null) return 0;
  const all = core.takenBy(events);
  for (const { seq } of all) file.run('putClaim', seq, taken.id, taken.owner, taken.untilMs);
  return all.length;
}
