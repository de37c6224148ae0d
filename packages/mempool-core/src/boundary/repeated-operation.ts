import { operationReused } from '../codec/outcome-record.ts';
import type { Awaitable } from '../contract/call-options.ts';
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
 * For `receive` and `revise`: the hashes must be the same, in the same order.
 *
 * @throws `ERR_MEMPOOL_INVALID` naming `operationId`; `details.hashes` are the recorded hashes
 */
export function sameTransactions<Outcome extends Named>(told: Outcome[], given: readonly Named[]): Outcome[] {
  if (told.length === given.length && told.every(({ hash }, i) => hash === given[i]?.hash)) return told;
  const hashes = told.map(({ hash }) => hash);
  throw operationReused(hashes);
}

/**
 * For verbs that return the hashes they moved: each must be given again.
 *
 * @throws `ERR_MEMPOOL_INVALID` naming `operationId`
 */
export function amongGiven(told: string[], given: readonly string[]): string[] {
  const all = new Set(given);
  return told.every((hash) => all.has(hash)) ? told : otherArguments();
}

/** For `confirm`: an applied block must be the same. @throws `ERR_MEMPOOL_INVALID` naming `operationId` */
export function sameBlock(told: ConfirmOutcome, point: ChainPoint): ConfirmOutcome {
  return told.kind !== 'applied' || isAt(told.tip.point, point) ? told : otherArguments();
}

/** For `rollback`: the point rolled back to must be the same. @throws `ERR_MEMPOOL_INVALID` naming `operationId` */
export function sameTarget(told: RollbackOutcome, point: ChainPoint | null): RollbackOutcome {
  return told.kind !== 'rolled-back' || isAt(told.tip.point, point) ? told : otherArguments();
}

/** For `setLimits`: each named limit must be the same. @throws `ERR_MEMPOOL_INVALID` naming `operationId` */
export function sameLimits(told: Limits, named: Partial<Limits>): Limits {
  const names = Object.keys(named) as (keyof Limits)[];
  return names.every((name) => told[name] === named[name]) ? told : otherArguments();
}

/** Calls `next` with the answer. A synchronous answer is not awaited: in memory an await costs as much as the call. */
export function after<A, B>(answer: Awaitable<A>, next: (answer: A) => B): Awaitable<B> {
  return answer instanceof Promise ? answer.then(next) : next(answer);
}

function otherArguments(): never {
  throw operationReused();
}

function isAt(a: ChainPoint | null, b: ChainPoint | null): boolean {
  return a === null || b === null ? a === b : samePoint(a, b);
}
