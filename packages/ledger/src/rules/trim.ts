import { ledgerLimits } from '../contract/limits.ts';
import type { StoredTransfer } from '../contract/record.ts';

/**
 * The time before which records may be trimmed; `null`: none may. An id may be ahead of the store's clock by
 * `maxClockAheadMs`, so a record is kept that much longer: once it is gone, its id is refused as expired.
 */
export function trimBefore(now: number, retentionMs: number | null): number | null {
  return retentionMs === null ? null : now - retentionMs - ledgerLimits.maxClockAheadMs;
}

/** Whether the oldest record may go. A pending reservation stays, and with it everything after. */
export function mayTrim(at: number, transfer: StoredTransfer | null, before: number): boolean {
  return at < before && transfer?.state !== 'pending';
}
