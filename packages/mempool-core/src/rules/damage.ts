import { live, type TxState } from '../contract/lifecycle.ts';
import type { Entry } from '../contract/pool-entry.ts';
import { defaultVerdict, minPriority } from '../contract/verdict.ts';

/** What a damaged record counts as, on every backend, until it is dropped or replaced (M2). */

/** A tag that no verdict may name: nobody provides it, and no block satisfies it. */
const nobodysTag = '';
/** Of a life whose end is lost: no other has it. */
const lostTick = -1;

/** In place of an entry that cannot be read: parked, until it is dropped or judged anew. */
export function lostEntry(hash: string, seq: number, bytes: number): Entry {
  const verdict = { ...defaultVerdict, priority: minPriority, requires: [nobodysTag] };
  const times = { admittedAt: 0, admittedHeight: 0, checkedHeight: 0, gossipSeq: 0 };
  return { hash, seq, bytes, verdict, sources: [], version: 1, ...times, claim: null };
}

/**
 * In place of a log entry that cannot be read: ended, nobody knows how. The hash may be received again; no block moves
 * it.
 */
export function lostEnd(hash: string, seq: number): TxState {
  return { ...live(hash, seq, 'Pending', lostTick), stage: 'Dropped', reason: 'damaged' };
}

export function isLostEnd({ tick }: TxState): boolean {
  return tick === lostTick;
}
