import { live, noFacts, type TxState } from '../contract/lifecycle.ts';
import type { Entry } from '../contract/pool-entry.ts';
import { defaultVerdict, minPriority } from '../contract/verdict.ts';

/**
 * This file defines the values that stand in for a damaged record, on every backend, until it is dropped (M2).
 */

/** A tag that no verdict can name. So no transaction provides it, and no block satisfies it. Only lost entries require it. */
const nobodysTag = '';
/** The tick of a state whose log entry is damaged. No other state has this tick. */
const lostTick = -1;

/** Returns a substitute for an entry that cannot be read. A Pending transaction with it is parked: it is not handed out. */
export function lostEntry(hash: string, seq: number, bytes: number): Entry {
  const verdict = { ...defaultVerdict, priority: minPriority, requires: [nobodysTag] };
  const times = { admittedAt: 0, admittedHeight: 0, checkedHeight: 0, gossipSeq: 0 };
  return { hash, seq, bytes, verdict, sources: [], version: 1, ...times, claim: null };
}

/** True for an entry made by `lostEntry`. */
export function isLostEntry({ verdict }: Entry): boolean {
  return verdict.requires[0] === nobodysTag;
}

/**
 * Returns a substitute for a log entry that cannot be read. Its stage is Dropped, because the final stage is unknown. The
 * hash can be received again. A block does not change it.
 */
export function lostEnd(hash: string, seq: number): TxState {
  return { ...live(hash, seq, 'Pending', lostTick, noFacts), stage: 'Dropped', reason: 'damaged' };
}

/** True for a state made by `lostEnd`. */
export function isLostEnd({ tick }: TxState): boolean {
  return tick === lostTick;
}
