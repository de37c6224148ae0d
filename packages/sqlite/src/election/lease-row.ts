import type { HeldLease } from 'mempool-election';
import { damaged, isCount, type Row } from '../file/row.ts';
import type { SqlFile } from '../file/sql-file.ts';
import type { LeaseClock } from './lease-clock.ts';

/** A lease as stored in its row, live or expired. */
export interface StoredLease extends Omit<HeldLease, 'remainingMs'> {
  readonly hbAtMs: number;
  readonly ttlMs: number;
  readonly expiresMs: number;
  /** The id of the clock of `expiresMs`. */
  readonly clock: string | null;
  readonly holdsLock: number;
}

/** The row of an election. `lease` is `null` if it was released or never held. */
export interface LeaseRow {
  readonly term: number;
  readonly lease: StoredLease | null;
}

/** Reads the row of an election. @throws `ERR_MEMPOOL_CORRUPT` if it is damaged */
export function readLease(file: SqlFile, election: string): LeaseRow {
  const row = file.row('lease', election);
  if (row === undefined) return { term: 0, lease: null };
  if (!isCount(row.term)) throw damaged(`term of the election ${election}`);
  if (row.token === null) return { term: row.term, lease: null };
  if (!isLease(row)) throw damaged(`lease of the election ${election}`);
  return { term: row.term, lease: row };
}

/** True if the lease has expired. A lease of another clock counts as held, and followers watch whether its `seq` changes. */
export function isExpired({ clock, expiresMs }: StoredLease, now: LeaseClock): boolean {
  return clock !== null && clock === now.id && expiresMs <= now.nowMs();
}

export function remainingMs({ clock, expiresMs }: StoredLease, now: LeaseClock): number | null {
  return clock !== null && clock === now.id ? Math.max(0, expiresMs - now.nowMs()) : null;
}

function isLease(row: Row): row is Row & StoredLease {
  const { nodeId, token, address, clock } = row;
  const counts = [row.term, row.seq, row.hbSeq, row.hbAtMs, row.priority, row.ttlMs, row.expiresMs, row.holdsLock];
  if (!counts.every(isCount) || typeof nodeId !== 'string' || typeof token !== 'string') return false;
  return [address, clock].every((text) => text === null || typeof text === 'string');
}
