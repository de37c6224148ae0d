import type { ReceiveOptions, Submission } from 'mempool-core';
import type { Marks } from './marks.ts';
import {
  type Coupling,
  type FundedOutcome,
  type PoolTransfer,
  type StuckOutcome,
  unfundedCode,
} from './pool-options.ts';
import { dutyOf, type Settlement } from './settlement.ts';
import { termsOf } from './terms.ts';

/** Options of a submission. It needs no operation id, because a repeat finds its reservation and the pool answers `duplicate`. */
export type FundedOptions = Omit<ReceiveOptions, 'operationId'> & { readonly from?: string | undefined };

/** `held`: may go to the pool; with `made`, under the reservation that this call has made for the hash. */
type Hold = { readonly kind: 'held'; readonly hash: string; readonly made: string | null };

/**
 * Reserves, then submits. A crash in between leaves a reservation without an event, which `Survey` finds. If the pool refuses a
 * transaction, this process voids its reservation. At the same moment, the pool may receive the transaction from another process. Then the
 * follower finds no open reservation for that event, and reserves again or drops the transaction as `unfunded`.
 */
export class Admission {
  readonly #coupling: Coupling;
  readonly #marks: Marks;
  readonly #settlement: Settlement;

  constructor(coupling: Coupling, marks: Marks, settlement: Settlement) {
    this.#coupling = coupling;
    this.#marks = marks;
    this.#settlement = settlement;
  }

  async submit(given: Submission, options: FundedOptions): Promise<FundedOutcome> {
    const { pool } = this.#coupling;
    return first(await this.#admit([given], async (sent) => [await pool.submit(first(sent), options)]));
  }

  receive(given: readonly Submission[], options: FundedOptions): Promise<FundedOutcome[]> {
    return this.#admit(given, (sent) => this.#coupling.pool.receive(sent, options));
  }

  /** Sends what is held, and gives back what was reserved for a transaction that the pool does not have afterwards. */
  async #admit(
    given: readonly Submission[],
    send: (sent: readonly Submission[]) => Promise<readonly FundedOutcome[]>,
  ): Promise<FundedOutcome[]> {
    const submissions = given.map(owned);
    const holds = await Promise.all(submissions.map((each) => this.#hold(each)));
    const held = holds.filter((each) => each.kind === 'held');
    const sent = submissions.filter((_, index) => holds[index]?.kind === 'held');
    try {
      const outcomes = sent.length === 0 ? [] : await send(sent);
      await Promise.all(
        held.filter((_, index) => outcomes[index]?.kind !== 'received').map((each) => this.#withdraw(each)),
      );
      const left = outcomes.values();
      return holds.map((each) => (each.kind === 'held' ? first([...left.take(1)]) : each));
    } catch (error) {
      // If the answer was lost, and the pool receives a transaction later, the follower reserves again.
      await Promise.all(held.map((each) => this.#withdraw(each))).catch(() => undefined);
      throw error;
    }
  }

  async #withdraw({ hash, made }: Hold): Promise<void> {
    // The row is read first: a receipt that is settled after that changes it.
    const known = made === null ? null : await this.#marks.read(hash);
    if (known === null || known.row.open?.id !== made) return;
    const [status] = await this.#coupling.pool.status([hash]);
    const duty = dutyOf(status?.stage ?? 'Unknown', this.#coupling.postOn);
    if (duty === 'none' || duty === 'posted') await this.#settlement.withdraw(known);
  }

  async #hold(submission: Submission): Promise<Hold | FundedOutcome> {
    const { payloadType = 0 } = submission;
    const hash = String(submission.hash).toLowerCase().replace(/^0x/, '');
    const free = { kind: 'held', hash, made: null } as const;
    if (!/^([0-9a-f]{2}){1,64}$/.test(hash)) return free;
    const terms = await termsOf(this.#coupling, { ...submission, hash, payloadType });
    if (terms.kind === 'unreadable') throw terms.error;
    if (terms.kind === 'free') return free;
    if (terms.kind !== 'pays') return refused(hash, 'unauthorised');
    const [status] = await this.#coupling.pool.status([hash]);
    if (status?.stage === 'Finalized' || status?.stage === 'Confirmed') {
      return { kind: 'duplicate', hash, stage: status.stage };
    }
    return this.#reserve(hash, terms.transfer);
  }

  async #reserve(hash: string, terms: PoolTransfer): Promise<Hold | FundedOutcome> {
    const id = this.#marks.newId(hash);
    for (;;) {
      const known = await this.#marks.read(hash);
      const { row } = known;
      if ((row.open !== null || row.paid !== null) && !isSame(row.terms, terms)) return refused(hash, 'id_conflict');
      if (row.open !== null) return { kind: 'held', hash, made: row.open.id === id ? id : null };
      const call = { ...terms, kind: 'reserve', id, metadata: { hash, payer: terms.source } } as const;
      const open = { id, byDebt: false, unseen: true } as const;
      const { outcome } = await this.#marks.step(known, [call], { ...row, terms, open });
      if (outcome !== 'settled' && outcome !== 'changed') return refused(hash, outcome);
    }
  }
}

/** The caller may use its bytes again at once. */
function owned(submission: Submission): Submission {
  const { payload } = submission;
  return { ...submission, payload: payload instanceof Uint8Array ? Uint8Array.from(payload) : payload };
}

function isSame(known: PoolTransfer | null, terms: PoolTransfer): boolean {
  if (known === null || known.source !== terms.source || known.destination !== terms.destination) return false;
  return known.amount === terms.amount && known.currency === terms.currency;
}

function refused(hash: string, outcome: StuckOutcome): FundedOutcome {
  const log = `the ledger refused the reservation: ${outcome}`;
  return { kind: 'refused', hash, code: unfundedCode, log, penalize: false, outcome };
}

function first<Item>([item]: readonly Item[]): Item {
  if (item === undefined) throw new TypeError('the pool gave no outcome');
  return item;
}
