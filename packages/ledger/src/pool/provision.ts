import type { TransferOutcome } from '../contract/outcome.ts';
import type { Transfer } from '../contract/transfer.ts';
import type { TransferAnswer } from '../ledger/ledger.ts';
import type { SeriesEnd } from '../ledger/verbs.ts';
import type { Coupling, PoolTransfer } from './pool-options.ts';
import type { Place, ReservationNote } from './position.ts';
import type { Reservations } from './reservations.ts';
import { termsOf } from './terms.ts';

/** Digits of a hash in an operation id, which has at most 128 characters. */
const idDigits = 32;

/** Reserves money for events of transactions without a reservation, and gives payments back. */
export class Provision {
  readonly #coupling: Coupling;
  readonly #reservations: Reservations;

  constructor(coupling: Coupling, reservations: Reservations) {
    this.#coupling = coupling;
    this.#reservations = reservations;
  }

  /** Reserves from the payer, or drops the transaction. */
  async fund(hash: string, position: Place, end: SeriesEnd): Promise<void> {
    const terms = await termsOf(this.#coupling, hash, end.last);
    if (terms === 'free') return;
    if (terms === 'unknown') return this.dropUnfunded(hash, position, 'unknown_payment');
    const { outcome } = await this.#fromPayer(terms, hash, position, end.number);
    if (outcome !== 'created') await this.dropUnfunded(hash, position, outcome);
  }

  /**
   * Drops a transaction as `unfunded`. The operation id has the event and the hash, so a late repeat cannot drop a later life. The hash
   * is part of it, because several hashes may be compared at one position. A transaction that the chain carries stays, and its next event
   * requests money again.
   */
  async dropUnfunded(hash: string, { event }: Place, outcome: TransferOutcome | 'unknown_payment'): Promise<void> {
    const { pool, name, report } = this.#coupling;
    const operationId = `ledger/${name}/unfunded/${event}/${hash.slice(-idDigits)}`;
    const dropped = await pool.drop([hash], { app: 'unfunded' }, { operationId });
    if (dropped.length > 0) report({ kind: 'unfunded', hash, outcome });
  }

  /** Reserves from the payer, else from the debt wallet. */
  async carry(hash: string, position: Place, end: SeriesEnd): Promise<Transfer | null> {
    const terms = await termsOf(this.#coupling, hash, end.last);
    if (terms === 'free') return null;
    if (terms === 'unknown') return this.#stuck(hash, 'unknown_payment');
    const { outcome, transfer } = await this.#fromPayer(terms, hash, position, end.number);
    if (outcome === 'created') return transfer;
    return this.#fromDebt(terms, hash, position, end.number + (transfer === null ? 0 : 1));
  }

  async carryByDebt(hash: string, position: Place, end: SeriesEnd): Promise<Transfer | null> {
    const terms = await termsOf(this.#coupling, hash, end.last);
    if (terms === 'free') return null;
    if (terms === 'unknown') return this.#stuck(hash, 'unknown_payment');
    return this.#fromDebt(terms, hash, position, end.number);
  }

  /** Moves a payment back, from the payee if possible, else from the debt wallet. */
  async giveBack(hash: string, posted: Transfer): Promise<void> {
    const { number, last } = await this.#reservations.backEnd(posted);
    if (last?.state === 'posted') return;
    if (last?.state === 'pending') return void (await this.#reservations.postBack(last));
    const held = await this.#holdBack(hash, posted, number);
    if (held !== null) await this.#reservations.postBack(held);
  }

  async #holdBack(hash: string, posted: Transfer, number: number): Promise<Transfer | null> {
    const { outcome, transfer } = await this.#reservations.reserveBack(posted, posted.destination, number);
    if (outcome === 'created') return transfer;
    const debt = await this.#reservations.debtWallet(posted.currency);
    if (posted.source === debt) {
      // It need not be given back by the one that paid. The payee owes it.
      this.#coupling.report({ kind: 'shortfall', hash, transfer: posted });
      return null;
    }
    const after = number + (transfer === null ? 0 : 1);
    const held = await pastRefusals(after, (n) => this.#reservations.reserveBack(posted, debt, n));
    if (held.outcome !== 'created' || held.transfer === null) return this.#stuck(hash, held.outcome);
    if (!held.replayed) this.#coupling.report({ kind: 'shortfall', hash, transfer: held.transfer });
    return held.transfer;
  }

  async #fromPayer(terms: PoolTransfer, hash: string, position: Place, after: number): Promise<TransferAnswer> {
    return this.#reservations.reserve(terms, after, await this.#note(terms, hash, position));
  }

  async #fromDebt(terms: PoolTransfer, hash: string, position: Place, after: number): Promise<Transfer | null> {
    const note = await this.#note(terms, hash, position);
    const { signature: _, ...unsigned } = terms;
    const debt = { ...unsigned, source: await this.#reservations.debtWallet(terms.currency) };
    const { outcome, transfer, replayed } = await pastRefusals(after, (n) => this.#reservations.reserve(debt, n, note));
    if (outcome !== 'created' || transfer === null) return this.#stuck(hash, outcome);
    if (!replayed) this.#coupling.report({ kind: 'uncovered', hash, transfer, payer: terms.source });
    return transfer;
  }

  #stuck(hash: string, outcome: TransferOutcome | 'unknown_payment'): null {
    this.#coupling.report({ kind: 'stuck', hash, outcome });
    return null;
  }

  /** The log up to the event before this one says nothing about what is made for it. */
  async #note({ source }: PoolTransfer, hash: string, { era, event, cursor }: Place): Promise<ReservationNote> {
    const { name } = this.#coupling;
    return { pool: name, hash, era, event: event - 1, cursor, by: 'event', payer: source };
  }
}

/** Asks for the next number as long as another process was refused under the one before. */
async function pastRefusals(after: number, ask: (after: number) => Promise<TransferAnswer>): Promise<TransferAnswer> {
  for (let n = after; ; n++) {
    const answer = await ask(n);
    if (!answer.replayed || answer.transfer?.state !== 'refused') return answer;
  }
}
