import type { ReceiveOptions, Submission, TransactionStatus } from 'mempool-core';
import type { TransferOutcome } from '../contract/outcome.ts';
import type { Transfer } from '../contract/transfer.ts';
import type { CursorRecord } from './cursor-record.ts';
import { type Coupling, type FundedOutcome, type PoolTransfer, unfundedCode } from './pool-options.ts';
import { noteOf, type ReservationNote } from './position.ts';
import type { Reservations } from './reservations.ts';
import { dutyOf } from './settlement.ts';

/** Options of a submission. It needs no operation id, because a repeat finds its reservation and the pool answers `duplicate`. */
export type FundedOptions = Omit<ReceiveOptions, 'operationId'> & { readonly from?: string | undefined };

/** Where the pool's log ended when a reservation was made. */
type LogEnd = Pick<ReservationNote, 'era' | 'event' | 'cursor'>;

/** `held`: may go to the pool; with `made`, the reservation that this call has made for it. */
type Held = { readonly kind: 'held'; readonly made: Transfer | null };

/**
 * Reserves, then submits. A crash in between leaves a reservation without an event, which `Orphans` voids. If the pool refuses a
 * transaction, this process voids its reservation. At the same moment, the pool may receive the transaction from another process. Then the
 * follower finds no open reservation for that event, and reserves again or drops the transaction as `unfunded`.
 */
export class Admission {
  readonly #coupling: Coupling;
  readonly #reservations: Reservations;
  readonly #record: CursorRecord;

  constructor(coupling: Coupling, reservations: Reservations, record: CursorRecord) {
    this.#coupling = coupling;
    this.#reservations = reservations;
    this.#record = record;
  }

  async submit(given: Submission, options: FundedOptions): Promise<FundedOutcome> {
    const submission = owned(given);
    const held = await this.#hold(submission);
    if (held.kind !== 'held') return held;
    return this.#withdrawUnless([held], async () => [await this.#coupling.pool.submit(submission, options)]).then(
      first,
    );
  }

  async receive(given: readonly Submission[], options: FundedOptions): Promise<FundedOutcome[]> {
    const submissions = given.map(owned);
    const held = await Promise.all(submissions.map((each) => this.#hold(each)));
    const funded = held.filter((each) => each.kind === 'held');
    const sent = submissions.filter((_, index) => held[index]?.kind === 'held');
    const outcomes =
      sent.length === 0 ? [] : await this.#withdrawUnless(funded, () => this.#coupling.pool.receive(sent, options));
    const left = outcomes.values();
    return held.map((each) => (each.kind === 'held' ? first([...left.take(1)]) : each));
  }

  /** Sends what is held, and gives back what was held for something that the pool does not have afterwards. */
  async #withdrawUnless(
    held: readonly Held[],
    send: () => Promise<readonly FundedOutcome[]>,
  ): Promise<readonly FundedOutcome[]> {
    const made = held.map((each) => each.made);
    try {
      const outcomes = await send();
      await this.#withdraw(made.filter((_, index) => outcomes[index]?.kind !== 'received'));
      return outcomes;
    } catch (error) {
      // A lost answer may stand for a receipt. The orphans' rule decides later.
      if (isSafeFailure(error)) await this.#withdraw(made).catch(() => undefined);
      throw error;
    }
  }

  /** Voids those whose transaction needs none: another call may have brought it into the pool. */
  async #withdraw(made: readonly (Transfer | null)[]): Promise<void> {
    const own = made.filter((each) => each !== null);
    if (own.length === 0) return;
    const hashes = own.map((each) => noteOf(each)?.hash ?? '');
    const statuses = await this.#coupling.pool.checkStatus(hashes);
    const idle = own.filter((_, index) => this.#isIdle(statuses[index]));
    await Promise.all(idle.map((each) => this.#reservations.withdraw(each)));
  }

  #isIdle(status: TransactionStatus | undefined): boolean {
    const duty = status === undefined ? 'none' : dutyOf(status.stage, this.#coupling.postOn);
    return duty === 'none' || duty === 'posted';
  }

  async #hold(submission: Submission): Promise<Held | FundedOutcome> {
    const { payloadType = 0 } = submission;
    const hash = String(submission.hash).toLowerCase().replace(/^0x/, '');
    if (!/^([0-9a-f]{2}){1,64}$/.test(hash)) return { kind: 'held', made: null };
    const terms = await this.#coupling.transferOf({ ...submission, hash, payloadType });
    if (terms === null) return { kind: 'held', made: null };
    const [status] = await this.#coupling.pool.checkStatus([hash]);
    if (status?.stage === 'Finalized' || status?.stage === 'Confirmed') {
      return { kind: 'duplicate', hash, stage: status.stage };
    }
    return this.#reserve(hash, terms);
  }

  async #reserve(hash: string, terms: PoolTransfer): Promise<Held | FundedOutcome> {
    for (;;) {
      // First the series, then the log: so every event that has resolved an earlier reservation is before the end that is noted.
      const { number, last } = await this.#reservations.end(hash);
      if (last?.state === 'pending') return sameTerms(last, terms) ? held(null) : refused(hash, 'id_conflict');
      const note = { pool: this.#coupling.name, hash, by: 'submission', payer: terms.source } as const;
      const answer = await this.#reservations.reserve(terms, number, { ...note, ...(await this.#logEnd()) });
      const { outcome, transfer, replayed } = answer;
      if (!replayed && outcome === 'created' && transfer !== null) return held(transfer);
      if (!replayed || transfer === null) return refused(hash, outcome);
      // Another process has made this number. Unless it is still open, it says nothing about this submission.
    }
  }

  async #logEnd(): Promise<LogEnd> {
    const { epoch, lastEventSeq, cursors } = await this.#coupling.pool.usage();
    return { era: await this.#record.era(epoch), event: lastEventSeq, cursor: cursors.events };
  }
}

function held(made: Transfer | null): Held {
  return { kind: 'held', made };
}

/** The caller may use its bytes again at once. */
function owned(submission: Submission): Submission {
  const { payload } = submission;
  return { ...submission, payload: payload instanceof Uint8Array ? Uint8Array.from(payload) : payload };
}

function sameTerms(reservation: Transfer, terms: PoolTransfer): boolean {
  const payer = noteOf(reservation)?.payer ?? reservation.source;
  if (payer !== terms.source || reservation.destination !== terms.destination) return false;
  return reservation.amount === terms.amount && reservation.currency === terms.currency;
}

function refused(hash: string, outcome: TransferOutcome): FundedOutcome {
  const log = `the ledger refused the reservation: ${outcome}`;
  return { kind: 'refused', hash, code: unfundedCode, log, penalize: false, outcome };
}

const safeCodes: ReadonlySet<unknown> = new Set(
  ['INVALID', 'UNAVAILABLE', 'BUSY', 'STORE_FULL', 'UNSUPPORTED', 'READ_ONLY'].map((code) => `ERR_MEMPOOL_${code}`),
);

/** Whether the error says that the pool received nothing. */
function isSafeFailure(error: unknown): boolean {
  return error instanceof Error && 'code' in error && safeCodes.has(error.code);
}

function first(outcomes: readonly FundedOutcome[]): FundedOutcome {
  const [outcome] = outcomes;
  if (outcome === undefined) throw new TypeError('the pool gave no outcome');
  return outcome;
}
