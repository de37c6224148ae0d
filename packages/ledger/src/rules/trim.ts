import { ledgerLimits } from '../contract/limits.ts';
import type { StoredTransfer } from '../contract/record.ts';

/**
 * Returns the time before which records may be trimmed; `null` if none may. The time in an id may be ahead of the store's clock by
 * `maxClockAheadMs`, so records are kept longer by that. So when a record is gone, its id is already refused as expired.
 */
export function trimBefore(now: number, retentionMs: number | null): number | null {
  return retentionMs === null ? null : now - retentionMs - ledgerLimits.maxClockAheadMs;
}

/** True if the oldest record may be removed. A pending reservation stays, and so do all records after it. */
export function mayTrim(at: number, transfer: StoredTransfer | null, before: number): boolean {
  return at < before && transfer?.state !== 'pending';
}
