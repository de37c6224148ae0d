import type { Submission } from 'mempool-core';
import { badArgument } from '../contract/errors.ts';
import { checkNames, checkWhole } from '../ledger/check.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { Admission, type FundedOptions } from './admission.ts';
import { Follower } from './follower.ts';
import { Marks } from './marks.ts';
import type { CoupledPool, Coupling, FundedOutcome, LedgerPoolOptions } from './pool-options.ts';
import { ProgressMark } from './progress.ts';
import { Settlement } from './settlement.ts';
import { Survey } from './survey.ts';

const names = {
  transferOf: true,
  authorise: true,
  name: true,
  postOn: true,
  orphanAfterMs: true,
  report: true,
} as const;
const dayMs = 86_400_000;

/**
 * A pool whose transactions move money of a ledger. `submit` reserves the money before the pool receives a transaction. `follow` posts the
 * reservations of final transactions and voids those of dropped ones. Submit only through this class. For a transaction that enters the
 * pool otherwise, the money is reserved late, or the transaction is dropped as `unfunded`.
 *
 * @throws the errors of the pool and of the ledger
 */
export class LedgerPool {
  readonly #admission: Admission;
  readonly #follower: Follower;

  /** Use `ledgerPool`. */
  constructor(coupling: Coupling, orphanAfterMs: number) {
    const marks = new Marks(coupling.ledger, coupling.name);
    const settlement = new Settlement(coupling, marks);
    const survey = new Survey(coupling, marks, settlement, orphanAfterMs);
    const mark = new ProgressMark(coupling.pool, marks);
    this.#admission = new Admission(coupling, marks, settlement);
    this.#follower = new Follower({ coupling, settlement, survey, mark, orphanAfterMs });
  }

  /**
   * Reserves the money that the transaction moves, then submits it to the pool. If there is not enough money, the outcome is `refused`
   * with the ledger's `outcome`, and the pool has not seen the transaction. If the pool refuses it, the reservation is voided.
   */
  submit(submission: Submission, options: FundedOptions = {}): Promise<FundedOutcome> {
    return this.#admission.submit(submission, options);
  }

  /** Does the same for at most 1,000 transactions. Returns the outcomes in the order given. */
  receive(submissions: readonly Submission[], options: FundedOptions = {}): Promise<FundedOutcome[]> {
    return this.#admission.receive(submissions, options);
  }

  /**
   * Settles the pool's events until `signal` aborts, and voids reservations of submissions that crashed. At least one process must run
   * it; several may. While the pool or the ledger cannot be reached, it tries again and reports `retrying`.
   */
  follow(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    return this.#follower.run(options.signal, false);
  }

  /** Settles all events until now, then returns. Use it with a timer, in a test or at the end of a program. */
  catchUp(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    return this.#follower.run(options.signal, true);
  }
}

/**
 * Couples a pool with a ledger.
 *
 * @throws `ERR_LEDGER_ARGUMENT` naming the option
 * @example const payments = ledgerPool(pool, ledger, { transferOf, authorise: isSignedByPayer });
 */
export function ledgerPool(pool: CoupledPool, ledger: Ledger, options: LedgerPoolOptions): LedgerPool {
  const {
    transferOf,
    authorise,
    name = 'main',
    postOn = 'finalized',
    orphanAfterMs = 60_000,
    report,
  } = checkNames(options, names);
  if (typeof transferOf !== 'function') throw badArgument('transferOf', 'a function');
  if (typeof authorise !== 'function') throw badArgument('authorise', 'a function');
  if (report !== undefined && typeof report !== 'function') throw badArgument('report', 'a function');
  if (!/^[\w-]{1,24}$/.test(name)) throw badArgument('name', '1 to 24 of the characters A–Z a–z 0–9 _ -');
  if (postOn !== 'finalized' && postOn !== 'confirmed') throw badArgument('postOn', 'finalized or confirmed');
  checkWhole('orphanAfterMs', orphanAfterMs, 1, dayMs);
  const parts = { pool, ledger, name, postOn, transferOf, authorise, report: report ?? (() => undefined) };
  return new LedgerPool(parts, orphanAfterMs);
}
