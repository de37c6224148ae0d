import { operationReused } from '../codec/outcome-record.ts';
import type { Limits } from '../contract/limits.ts';
import type { ConfirmOutcome, RollbackOutcome } from '../contract/store.ts';
import { type ChainPoint, samePoint } from '../contract/transaction.ts';

// X2: an operation id belongs to one call with one set of arguments. A repeated call gets the recorded outcome. A driver
// compares the digest of the arguments. Records of formats before 2 have none: for these, the functions here compare the
// outcome with the arguments of the repeated call, and return it if they match.

interface Named {
  readonly hash: string;
}

/**
 * Returns the recorded outcomes of `receive` or `revise`.
 *
 * @throws `ERR_MEMPOOL_INVALID` naming `operationId` if the repeat has other hashes or another order; `details.hashes`
 * are the recorded hashes
 */
export function sameTransactions<Outcome extends Named>(told: Outcome[], given: readonly Named[]): Outcome[] {
  if (told.length === given.length && told.every(({ hash }, i) => hash === given[i]?.hash)) return told;
  const hashes = told.map(({ hash }) => hash);
  throw operationReused(hashes);
}

/**
 * Returns the recorded answer of a verb that returns the hashes it moved.
 *
 * @throws `ERR_MEMPOOL_INVALID` naming `operationId` if the repeat does not name all of them
 */
export function amongGiven(told: string[], given: readonly string[]): string[] {
  const all = new Set(given);
  return told.every((hash) => all.has(hash)) ? told : otherArguments();
}

/** Returns the recorded outcome of `confirm`. @throws `ERR_MEMPOOL_INVALID` naming `operationId` if it applied another block */
export function sameBlock(told: ConfirmOutcome, point: ChainPoint): ConfirmOutcome {
  return told.kind !== 'applied' || isAt(told.tip.point, point) ? told : otherArguments();
}

/** Returns the recorded outcome of `rollback`. @throws `ERR_MEMPOOL_INVALID` naming `operationId` if it had another target */
export function sameTarget(told: RollbackOutcome, point: ChainPoint | null): RollbackOutcome {
  return told.kind !== 'rolled-back' || isAt(told.tip.point, point) ? told : otherArguments();
}

/** Returns the recorded answer of `setLimits`. @throws `ERR_MEMPOOL_INVALID` naming `operationId` if a named limit differs */
export function sameLimits(told: Limits, named: Partial<Limits>): Limits {
  const names = Object.keys(named) as (keyof Limits)[];
  return names.every((name) => told[name] === named[name]) ? told : otherArguments();
}

function otherArguments(): never {
  throw operationReused();
}

function isAt(a: ChainPoint | null, b: ChainPoint | null): boolean {
  return a === null || b === null ? a === b : samePoint(a, b);
}
