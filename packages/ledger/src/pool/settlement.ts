import type { TransactionEvent, TransactionStatus } from 'mempool-core';
import type { Transfer } from '../contract/transfer.ts';
import type { SeriesEnd } from '../ledger/verbs.ts';
import type { LateEvents } from './late-events.ts';
import type { Coupling } from './pool-options.ts';
import { isAtLeast, noteOf, type Place, type Position } from './position.ts';
import { Provision } from './provision.ts';
import type { Reservations } from './reservations.ts';

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

/** A hash with the event that is settled, and the end of its series. */
interface Case {
  readonly hash: string;
  readonly position: Place;
  readonly end: SeriesEnd;
}

/**
 * Updates the ledger for the events of transactions, in the order of the log. To settle an event again changes nothing, even after
 * another process has settled later ones, for two reasons:
 *
 * - A reservation names an event before it (`ReservationNote.event`), and a post or a void names the event that it was made for. An
 *   event that is not after those is settled already.
 * - Everything that is made for an event has an id that depends only on the reservation: `post.<id>`, `void.<id>`, or the next number
 *   of the series. So if two processes settle one event, the second receives the first one's answers.
 *
 * Where the records that tell so were trimmed, `LateEvents` decides.
 */
export class Settlement {
  readonly #coupling: Coupling;
  readonly #reservations: Reservations;
  readonly #late: LateEvents;
  readonly #provision: Provision;

  constructor(coupling: Coupling, reservations: Reservations, late: LateEvents) {
    this.#coupling = coupling;
    this.#reservations = reservations;
    this.#late = late;
    this.#provision = new Provision(coupling, reservations);
  }

  async settle(event: TransactionEvent, position: Place): Promise<void> {
    const { hash, previous, stage, at } = event;
    const before = dutyOf(previous.stage, this.#coupling.postOn);
    const duty = dutyOf(stage, this.#coupling.postOn);
    if (before === duty) return;
    const end = await this.#reservations.end(hash);
    if (!isPending(end.last) || !isMadeBefore(end.last, position)) {
      const state = await this.#late.stateOf(hash, end, at, position);
      if (state === 'unknown') this.#reportTrimmed(hash);
      if (state !== 'open') return;
    }
    if (before === 'posted') await this.#giveBack({ hash, position, end });
    await this.#owe(duty, { hash, position, end }, before === 'carried');
  }

  /** Updates the ledger for the present stage of a transaction, after events up to the position were lost. */
  async compare(hash: string, stage: TransactionStatus['stage'], position: Place): Promise<void> {
    const end = await this.#reservations.end(hash);
    if (stage === 'Unknown') {
      // It may have been finalized or dropped: only an operator can know.
      if (isPending(end.last)) this.#coupling.report({ kind: 'unknown', hash, transfer: end.last });
      return;
    }
    const duty = dutyOf(stage, this.#coupling.postOn);
    if (duty !== 'posted' && end.last?.state === 'posted') await this.#giveBack({ hash, position, end });
    await this.#owe(duty, { hash, position, end }, false);
  }

  async #owe(duty: Duty, on: Case, wasCarried: boolean): Promise<void> {
    switch (duty) {
      case 'none':
        return this.#owePeace(on);
      case 'reserved':
        return this.#oweReservation(on, wasCarried);
      case 'carried':
        if (!isPending(on.end.last)) await this.#carry(on);
        return;
      case 'posted':
        return this.#owePayment(on);
    }
  }

  /** Nothing may be held. A reservation that was made after the event is for a later life. */
  async #owePeace({ position, end: { last } }: Case): Promise<void> {
    if (isPending(last) && isMadeBefore(last, position)) await this.#reservations.void(last, position);
  }

  async #oweReservation(on: Case, wasCarried: boolean): Promise<void> {
    const { last } = on.end;
    if (!isPending(last)) return this.#fund(on);
    // The chain has let go of it: the debt wallet no longer pays.
    if (!wasCarried || !isByDebt(last) || !isMadeBefore(last, on.position)) return;
    await this.#reservations.void(last, on.position);
    await this.#provision.fund(on.hash, on.position, on.end);
  }

  async #fund(on: Case): Promise<void> {
    const statement = await this.#reservations.statement(on.hash, on.end);
    if (statement === null || !isAtLeast(statement.position, on.position)) {
      return this.#provision.fund(on.hash, on.position, on.end);
    }
    if (!isAtLeast(on.position, statement.position)) return;
    // What the debt wallet held was voided for this very event, and nothing was reserved in its place yet.
    if (on.end.last?.state === 'voided' && isByDebt(on.end.last)) {
      return this.#provision.fund(on.hash, on.position, on.end);
    }
    // The payer was refused for this very event: what follows from it may not be done yet.
    if (statement.isRefusal) {
      await this.#provision.dropUnfunded(on.hash, on.position, on.end.last?.outcome ?? 'insufficient_funds');
    }
  }

  async #carry(on: Case): Promise<Transfer | null> {
    const statement = await this.#reservations.statement(on.hash, on.end);
    if (statement === null || !isAtLeast(statement.position, on.position)) {
      return this.#provision.carry(on.hash, on.position, on.end);
    }
    if (!statement.isRefusal || !isAtLeast(on.position, statement.position)) return null;
    return this.#provision.carryByDebt(on.hash, on.position, on.end);
  }

  async #owePayment(on: Case): Promise<void> {
    const { last } = on.end;
    if (isPending(last)) {
      if (isMadeBefore(last, on.position) || !(await this.#isSettled(on))) {
        await this.#reservations.post(last, on.position);
      }
      return;
    }
    // Posted already, by what compared the pool with the ledger after a loss of events.
    if (last?.state === 'posted' && !(await this.#reservations.isReverted(last))) return;
    const made = await this.#carry(on);
    if (isPending(made)) await this.#reservations.post(made, on.position);
  }

  async #isSettled({ hash, position, end }: Case): Promise<boolean> {
    const statement = await this.#reservations.statement(hash, end);
    return statement !== null && isAtLeast(statement.position, position);
  }

  /** Gives a payment back that the event undoes, once. */
  async #giveBack({ hash, position, end }: Case): Promise<void> {
    const posted = await this.#reservations.lastPosted(hash, end);
    if (posted === null && !(await this.#reservations.isWhole(hash, end))) this.#reportTrimmed(hash);
    if (posted === null || isAtLeast(await this.#reservations.postedAt(posted), position)) return;
    await this.#provision.giveBack(hash, posted);
  }

  /** What was done for the transaction was trimmed, so only an operator can know what is due. */
  #reportTrimmed(hash: string): void {
    this.#coupling.report({ kind: 'stuck', hash, outcome: 'id_expired' });
  }
}

function isPending(transfer: Transfer | null): transfer is Transfer & { readonly state: 'pending' } {
  return transfer?.state === 'pending';
}

function isByDebt(reservation: Transfer): boolean {
  return (noteOf(reservation)?.payer ?? reservation.source) !== reservation.source;
}

/** Whether the log had not come to the event when the reservation was made: so the event may be about it. */
function isMadeBefore(reservation: Transfer, position: Position): boolean {
  const note = noteOf(reservation);
  return note === null || !isAtLeast(note, position);
}
