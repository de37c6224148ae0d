import type { Submission } from 'mempool-core';
import { badArgument } from '../contract/errors.ts';
import { checkNames, checkWhole } from '../ledger/check.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { Admission, type FundedOptions } from './admission.ts';
import { CursorRecord } from './cursor-record.ts';
import { Follower } from './follower.ts';
import { Orphans } from './orphans.ts';
import type { CoupledPool, Coupling, FundedOutcome, LedgerPoolOptions } from './pool-options.ts';
import { Reservations } from './reservations.ts';
import { Settlement } from './settlement.ts';

const names = { transferOf: true, name: true, postOn: true, orphanAfterMs: true, report: true } as const;
const dayMs = 86_400_000;

/**
 * A pool whose transactions move money of a ledger. `submit` reserves before the pool receives; `follow` posts what is final and voids what is
 * dropped. Submit through it alone: what comes into the pool otherwise is reserved late, or dropped as `unfunded`.
 *
 * @throws what the pool and the ledger throw
 */
export class LedgerPool {
  readonly #admission: Admission;
  readonly #follower: Follower;

  /** Use `ledgerPool`. */
  constructor(coupling: Coupling, ledger: Ledger, orphanAfterMs: number) {
    const record = new CursorRecord(coupling.pool, coupling.name);
    const reservations = new Reservations(ledger, coupling.name);
    const settlement = new Settlement(coupling, reservations);
    const orphans = new Orphans({ coupling, ledger, reservations, settlement, record, orphanAfterMs });
    this.#admission = new Admission(coupling, reservations, record);
    this.#follower = new Follower({ coupling, settlement, orphans, record, orphanAfterMs });
  }

  /**
   * Reserves what the transaction moves, and gives it to the pool. If the money is not there, the answer is `refused` with the
   * ledger's `outcome`, and the pool has not seen it. If the pool refuses it, the reservation is voided.
   */
  submit(submission: Submission, options: FundedOptions = {}): Promise<FundedOutcome> {
    return this.#admission.submit(submission, options);
  }

  /** The same for at most 1,000. Outcomes in the order given. */
  receive(submissions: readonly Submission[], options: FundedOptions = {}): Promise<FundedOutcome[]> {
    return this.#admission.receive(submissions, options);
  }

  /**
   * Settles the pool's events until `signal` aborts, and ends what submissions that crashed have left. Let at least one process
   * do it; several may. While the pool or the ledger is out of reach, it tries again and reports `retrying`.
   */
  follow(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    return this.#follower.run(options.signal, false);
  }

  /** Settles what the pool has done until now, then returns: for a timer, a test or the end of a program. */
  catchUp(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    return this.#follower.run(options.signal, true);
  }
}

/**
 * Couples a pool with a ledger.
 *
 * @throws `ERR_LEDGER_ARGUMENT` naming the option
 * @example const payments = ledgerPool(pool, ledger, { transferOf: ({ payload }) => decode(payload) });
 */
export function ledgerPool(pool: CoupledPool, ledger: Ledger, options: LedgerPoolOptions): LedgerPool {
  const {
    transferOf,
    name = 'main',
    postOn = 'finalized',
    orphanAfterMs = 60_000,
    report,
  } = checkNames(options, names);
  if (typeof transferOf !== 'function') throw badArgument('transferOf', 'a function');
  if (report !== undefined && typeof report !== 'function') throw badArgument('report', 'a function');
  if (!/^[\w-]{1,24}$/.test(name)) throw badArgument('name', '1 to 24 of the characters A–Z a–z 0–9 _ -');
  if (postOn !== 'finalized' && postOn !== 'confirmed') throw badArgument('postOn', 'finalized or confirmed');
  checkWhole('orphanAfterMs', orphanAfterMs, 1, dayMs);
  return new LedgerPool({ pool, name, postOn, transferOf, report: report ?? (() => undefined) }, ledger, orphanAfterMs);
}
