import type { Awaitable } from '../contract/call-options.ts';
import { MempoolError, type MempoolErrorDetails } from '../contract/errors.ts';
import type { Limits } from '../contract/limits.ts';
import type { ConfirmOutcome, RollbackOutcome } from '../contract/store.ts';
import { type ChainPoint, samePoint } from '../contract/transaction.ts';

// X2: an operation id belongs to one call with one set of arguments. What the recorded outcome tells of them is compared with
// the arguments of the call that repeats it.

interface Named {
  readonly hash: string;
}

/**
 * Of `receive` and `revise`, which answer for each transaction in turn. @throws `ERR_MEMPOOL_INVALID`, with the
 * recorded hashes
 */
export function sameTransactions<Outcome extends Named>(told: Outcome[], given: readonly Named[]): Outcome[] {
  if (told.length === given.length && told.every(({ hash }, i) => hash === given[i]?.hash)) return told;
  const hashes = told.map(({ hash }) => hash);
  return otherArguments({ hashes });
}

/** Of the verbs that answer with those they moved. @throws `ERR_MEMPOOL_INVALID` naming `operationId` */
export function amongGiven(told: string[], given: readonly string[]): string[] {
  const all = new Set(given);
  return told.every((hash) => all.has(hash)) ? told : otherArguments();
}

/** @throws `ERR_MEMPOOL_INVALID` naming `operationId` */
export function sameBlock(told: ConfirmOutcome, point: ChainPoint): ConfirmOutcome {
  return told.kind !== 'applied' || isAt(told.tip.point, point) ? told : otherArguments();
}

/** @throws `ERR_MEMPOOL_INVALID` naming `operationId` */
export function sameTarget(told: RollbackOutcome, point: ChainPoint | null): RollbackOutcome {
  return told.kind !== 'rolled-back' || isAt(told.tip.point, point) ? told : otherArguments();
}

/** @throws `ERR_MEMPOOL_INVALID` naming `operationId` */
export function sameLimits(told: Limits, named: Partial<Limits>): Limits {
  const names = Object.keys(named) as (keyof Limits)[];
  return names.every((name) => told[name] === named[name]) ? told : otherArguments();
}

/** At once where the answer is there: in memory a wait costs as much as a call. */
export function after<A, B>(answer: Awaitable<A>, next: (answer: A) => B): Awaitable<B> {
  return answer instanceof Promise ? answer.then(next) : next(answer);
}

function otherArguments(details: MempoolErrorDetails = {}): never {
  const message = 'operationId must be new for every call: this one was used with other arguments';
  throw new MempoolError('ERR_MEMPOOL_INVALID', message, { field: 'operationId', ...details });
}

function isAt(a: ChainPoint | null, b: ChainPoint | null): boolean {
  return a === null || b === null ? a === b : samePoint(a, b);
}
