import type { Transaction, TransactionEvent, TransactionStatus } from 'mempool-core';
import type { Settled, TransferCall } from '../ledger/verbs.ts';
import { type Held, isAtLeast, type Known, type Marks, type Position, type Row } from './marks.ts';
import type { Coupling, PoolTransfer, StuckOutcome } from './pool-options.ts';
import { type Terms, termsOf, termsOfHash } from './terms.ts';

/**
 * The required state of a transaction's money at a stage. `reserved` means that the payer's money is reserved. `carried` means that the
 * chain has the transaction, so money is reserved, from the debt wallet if necessary. `posted` means that the money has moved.
 */
export type Duty = 'none' | 'reserved' | 'carried' | 'posted';

export function dutyOf(stage: TransactionStatus['stage'], postOn: Coupling['postOn']): Duty {
  switch (stage) {
    case 'Pending':
    case 'Propagated':
    case 'Acknowledged':
      return 'reserved';
    case 'Confirmed':
      return postOn === 'confirmed' ? 'posted' : 'carried';
    case 'Finalized':
      return 'posted';
    case 'Dropped':
    case 'Unknown':
      return 'none';
  }
}

/** An event, or a look at the pool, after which a transaction's money has to be in a state. */
export interface Moment extends Position {
  readonly hash: string;
  readonly duty: Duty;
  readonly at: number;
  readonly slot: number | null;
  /** When the pool received the transaction. */
  readonly receivedAt: number;
  /** The transaction, if it is at hand. */
  readonly transaction?: Transaction;
}

interface Noted {
  readonly moment: Pick<Moment, 'generation' | 'event' | 'at' | 'slot'>;
  readonly known: Known;
}

interface Case extends Noted {
  readonly moment: Moment;
}

/**
 * Brings the money of transactions into the state that the pool's events require. Each step moves money and writes the row of the hash
 * in one step of the ledger, and only if the row is still the one that the step was planned on. So an event that is not later than the
 * row's changes nothing, and it does not matter how often, by how many processes and how late events are settled.
 */
export class Settlement {
  readonly #coupling: Coupling;
  readonly #marks: Marks;

  constructor(coupling: Coupling, marks: Marks) {
    this.#coupling = coupling;
    this.#marks = marks;
  }

  async settle(event: TransactionEvent, generation: number): Promise<void> {
    const { hash, previous, stage, at, point, eventSeq } = event;
    const duty = dutyOf(stage, this.#coupling.postOn);
    if (dutyOf(previous.stage, this.#coupling.postOn) === duty) return;
    const slot = point?.slot ?? null;
    await this.bring({ hash, duty, at, slot, generation, event: eventSeq, receivedAt: event.receivedAt ?? at });
  }

  /** Takes as many steps as are necessary. */
  async bring(moment: Moment): Promise<void> {
    for (let isDone = false; !isDone; ) {
      const known = await this.#marks.read(moment.hash);
      const { row, text, floor } = known;
      if (isAtLeast(row, moment) || (text === null && moment.duty === 'none')) return;
      // In a pool that fell back, a transaction may come again whose row was removed.
      const isOld = text === null && moment.receivedAt <= floor.at && floor.generation < moment.generation;
      isDone = isOld ? await this.#forget({ moment, known }) : await this.#step({ moment, known });
    }
  }

  /** Voids the reservation of a submission, if it is still as it is known. */
  async withdraw(known: Known): Promise<void> {
    if (known.row.open?.unseen) await this.#release(known, known.row);
  }

  /** Keeps the reservation of a transaction that the pool does not know. It may have been finalized or dropped: only an operator can know. */
  async keep(known: Known, position: Position): Promise<void> {
    const { hash, row } = known;
    if (row.open === null || isAtLeast(row, position)) return;
    const transfer = await this.#coupling.ledger.findTransfer(row.open.id);
    this.#coupling.report({ kind: 'unknown', hash, transfer });
    await this.#note({ known, moment: { ...row, ...position } });
  }

  /** Returns true if the money is in the required state, or cannot come into it; false if there is another step to take. */
  async #step(on: Case): Promise<boolean> {
    const { known, moment } = on;
    const { open, paid } = known.row;
    if (paid !== null && moment.duty !== 'posted') return this.#giveBack(known, paid);
    if (open === null) return moment.duty === 'none' || paid !== null ? this.#note(on) : this.#reserve(on);
    if (moment.duty === 'none' || paid !== null) return this.#release(known, noted(on));
    if (moment.duty === 'posted') return this.#post(on, open);
    if (moment.duty === 'carried' || !open.byDebt) return this.#note(on);
    // The chain has let go of the transaction: the debt wallet no longer pays.
    await this.#release(known, known.row);
    return false;
  }

  /** Writes that the event is settled. */
  async #note({ known, moment }: Noted): Promise<boolean> {
    const { open } = known.row;
    const seen = open && { id: open.id, byDebt: open.byDebt };
    return (await this.#marks.step(known, [], { ...noted({ known, moment }), open: seen })).outcome === 'settled';
  }

  async #reserve(on: Case): Promise<boolean> {
    const { hash, duty } = on.moment;
    const terms = await this.#termsOf(on);
    if (terms.kind === 'free') return on.known.text === null || this.#note(on);
    if (terms.kind === 'unreadable') {
      this.#coupling.report({ kind: 'unreadable', hash, error: terms.error });
      return this.#note(on);
    }
    // Other processes have settled the event, and the pool has forgotten the transaction since.
    if (terms.kind === 'unknown' && (await this.#marks.isPassed(on.moment))) return true;
    if (terms.kind !== 'pays') {
      return this.#refuse(on, terms.kind === 'unknown' ? 'unknown_payment' : 'unauthorised');
    }
    const { outcome } = await this.#hold(on, terms.transfer, false);
    if (outcome === 'settled') return duty !== 'posted';
    if (outcome === 'changed') return false;
    if (duty === 'reserved') return this.#refuse(on, outcome);
    const byDebt = await this.#hold(on, terms.transfer, true);
    if (byDebt.outcome === 'changed') return false;
    if (byDebt.outcome !== 'settled') return this.#refuse(on, byDebt.outcome);
    const [transfer = null] = byDebt.transfers;
    this.#coupling.report({ kind: 'uncovered', hash, transfer, payer: terms.transfer.source });
    return duty !== 'posted';
  }

  async #termsOf({ known: { row }, moment: { hash, transaction } }: Case): Promise<Terms> {
    if (row.terms !== null) return { kind: 'pays', transfer: row.terms };
    return transaction === undefined ? termsOfHash(this.#coupling, hash) : termsOf(this.#coupling, transaction);
  }

  /** Reserves from the payer or from the debt wallet. If the money has to be posted then, the event is not settled by that. */
  async #hold(on: Case, terms: PoolTransfer, byDebt: boolean): Promise<Settled> {
    const { hash, duty } = on.moment;
    const { signature, source: payer, ...money } = terms;
    const from = byDebt
      ? { source: await this.#coupling.ledger.debtWallet(terms.currency) }
      : { source: payer, signature };
    const call = {
      ...money,
      ...from,
      kind: 'reserve',
      id: this.#marks.newId(hash),
      metadata: { hash, payer },
    } as const;
    const row = duty === 'posted' ? on.known.row : noted(on);
    return this.#marks.step(on.known, [call], { ...row, terms, open: { id: call.id, byDebt } });
  }

  /** Drops a transaction as `unfunded`. One that the chain has cannot be dropped: its payment is stuck. */
  async #refuse(on: Case, outcome: StuckOutcome): Promise<boolean> {
    const { pool, name, report } = this.#coupling;
    const { hash, duty, generation, event } = on.moment;
    if (duty === 'reserved') {
      // The id has the event, so that a late repeat cannot drop a later life, and the end of the hash: several hashes are compared at once.
      const operationId = `ledger/${name}/unfunded/${generation}/${event}/${hash.slice(-32)}`;
      const dropped = await pool.drop([hash], { app: 'unfunded' }, { operationId });
      if (dropped.length > 0) report({ kind: 'unfunded', hash, outcome });
    } else {
      report({ kind: 'stuck', hash, outcome });
    }
    return this.#note(on);
  }

  #post(on: Case, { id, byDebt }: Held): Promise<boolean> {
    const call = { kind: 'post', id: this.#marks.newId(on.known.hash), pendingId: id } as const;
    return this.#end(on.known, call, { ...noted(on), open: null, paid: { id, byDebt } });
  }

  /** Voids the open reservation of a known row and writes the row without it. */
  #release(known: Known, row: Row): Promise<boolean> {
    const pendingId = row.open?.id ?? '';
    const call = { kind: 'void', id: this.#marks.newId(known.hash), pendingId } as const;
    return this.#end(known, call, { ...row, open: null });
  }

  async #end(known: Known, call: TransferCall & { readonly pendingId: string }, row: Row): Promise<boolean> {
    const { outcome } = await this.#marks.step(known, [call], row);
    if (outcome === 'settled') return true;
    if (outcome.startsWith('pending_')) await this.#adopt(known, call.pendingId);
    else if (outcome !== 'changed') return this.#stuck(known.hash, outcome);
    return false;
  }

  /** An operator has resolved the reservation: writes the row as it is now. */
  async #adopt(known: Known, id: string): Promise<void> {
    const { open, paid } = known.row;
    const isPosted = (await this.#coupling.ledger.findTransfer(id))?.state === 'posted';
    const posted = isPosted ? { id, byDebt: open?.byDebt ?? false } : null;
    await this.#marks.step(known, [], { ...known.row, open: null, paid: paid ?? posted });
  }

  /** Gives a payment back: from the payee if possible, else from the debt wallet. */
  async #giveBack(known: Known, { id: paid, byDebt }: Held): Promise<boolean> {
    const { hash, row } = known;
    const { ledger, report } = this.#coupling;
    if (row.terms === null) return this.#stuck(hash, 'unknown_payment');
    const { amount, currency, source: payer, destination: source } = row.terms;
    const debt = () => ledger.debtWallet(currency);
    const texts = { description: `given back: ${paid}`, metadata: { hash } };
    const back = { ...texts, kind: 'transfer', id: this.#marks.newId(hash), amount, currency } as const;
    const next = { ...row, paid: null };
    const destination = byDebt ? await debt() : payer;
    const { outcome } = await this.#marks.step(known, [{ ...back, source, destination }], next);
    if (outcome === 'settled' || outcome === 'changed') return false;
    // A payment of the debt wallet stays: the payee owes it.
    const calls = byDebt ? [] : [{ ...back, source: await debt(), destination }];
    const other = await this.#marks.step(known, calls, next);
    if (other.outcome === 'changed') return false;
    if (other.outcome !== 'settled') return this.#stuck(hash, other.outcome);
    const transfer = byDebt ? await ledger.findTransfer(paid) : (other.transfers[0] ?? null);
    report({ kind: 'shortfall', hash, transfer });
    return false;
  }

  #stuck(hash: string, outcome: StuckOutcome): true {
    this.#coupling.report({ kind: 'stuck', hash, outcome });
    return true;
  }

  async #forget(on: Case): Promise<true> {
    return (await this.#termsOf(on)).kind === 'free' || this.#stuck(on.moment.hash, 'id_expired');
  }
}

/** The row, with the event as settled. */
function noted({ known: { row }, moment: { generation, event, at, slot } }: Noted): Row {
  return { ...row, generation, event, at, slot };
}
