import type { Database } from 'better-sqlite3';
import type { Limits } from 'mempool-core';
import * as core from 'mempool-core/backend';
import { readSql } from '../file/sql-text.ts';
import type { PoolFile } from '../pool/pool-file.ts';
import type { PoolState } from '../pool/records.ts';

const statements = 'fifo/claim-statements.sql';

/** Stores the limit that an open names. It applies to all processes, until another open or call changes it. */
export function storeCapacity(database: Database, { maxTxs }: Partial<Limits>): void {
  if (maxTxs === undefined) return;
  const made = database.prepare("SELECT 1 FROM pragma_table_info('pool') WHERE name = 'capacity'").get() !== undefined;
  if (!made && maxTxs === Number.POSITIVE_INFINITY) return;
  if (!made) database.exec(readSql('fifo/tables.sql'));
  database.prepare('UPDATE pool SET capacity = ?').run(capacityColumn(maxTxs));
}

function capacityColumn(maxTxs: number): number {
  return Math.min(maxTxs, Number.MAX_SAFE_INTEGER);
}

export function maxTxsOf({ capacity = Number.MAX_SAFE_INTEGER }: PoolState): number {
  return capacity === Number.MAX_SAFE_INTEGER ? Number.POSITIVE_INFINITY : capacity;
}

/** How many more transactions the pool takes. */
export function freePlacesIn(state: PoolState): number {
  return maxTxsOf(state) - state.pending - state.propagated - state.acknowledged;
}

/** Whether there are claims. The counter in the state says so, without a query. */
export function hasClaims(file: PoolFile, { leases = 0 }: PoolState): boolean {
  if (leases > 0) file.include(statements);
  return leases > 0;
}

/** The claims and the limit of the pool; `null` if it has neither. */
export function readClaims(file: PoolFile, state: PoolState): core.FifoRecord | null {
  const maxTxs = maxTxsOf(state);
  const lots = new Map<string, core.FifoRecord['lots'][number] & { readonly held: [string, number][] }>();
  for (const { seq, id, owner, until, hash } of hasClaims(file, state) ? file.rows('allClaims') : []) {
    const claim = { id: String(id), owner: String(owner), untilMs: Number(until) };
    const key = JSON.stringify(claim);
    if (!lots.has(key)) lots.set(key, { claim, held: [] });
    lots.get(key)?.held.push([core.bytesToHash(hash as Uint8Array), Number(seq)]);
  }
  return lots.size === 0 && maxTxs === Number.POSITIVE_INFINITY ? null : { maxTxs, lots: [...lots.values()] };
}

/** Writes the claims and the limit of another pool into a new one. */
export function restoreClaims(file: PoolFile, state: PoolState, { maxTxs, lots }: core.FifoRecord): void {
  if (state.leases === undefined) file.execute('fifo/tables.sql');
  file.include(statements);
  file.run('setCapacity', capacityColumn(maxTxs));
  let count = 0;
  for (const { claim, held } of lots)
    for (const [, seq] of held) count += file.run('putClaim', seq, claim.id, claim.owner, claim.untilMs).changes;
  file.run('countClaims', count);
}

/** Writes the claims and the limit of a step. For a pool that never had either, nothing is queried. */
export function writeClaims(file: PoolFile, state: PoolState, { events, fifo = null }: core.Step<unknown>): void {
  let change = 0;
  if (hasClaims(file, state))
    for (const { seq } of core.endedClaims(events)) change -= file.run('endClaim', seq).changes;
  if (fifo !== null) {
    if (state.leases === undefined) file.execute('fifo/tables.sql');
    file.include(statements);
    change += writeNewClaims(file, events, fifo);
    if (fifo.extended !== null) file.run('extendClaim', fifo.extended.untilMs, fifo.extended.id);
    if (fifo.maxTxs !== null) file.run('setCapacity', capacityColumn(fifo.maxTxs));
  }
  if (change !== 0) file.run('countClaims', change);
}

function writeNewClaims(file: PoolFile, events: readonly core.StepEvent[], { taken }: core.FifoStep): number {
  if (taken === null) return 0;
  const all = core.takenBy(events);
  for (const { seq } of all) file.run('putClaim', seq, taken.id, taken.owner, taken.untilMs);
  return all.length;
}
