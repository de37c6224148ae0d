import type { ReceiveOptions, Submission } from 'mempool-core';
import { type Known, type Marks, noFloor } from './marks.ts';
import {
  type Coupling,
  type FundedOutcome,
  type PoolTransfer,
  type StuckOutcome,
  unfundedCode,
} from './pool-options.ts';
import { firstGeneration, type Progress } from './progress.ts';
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
    const submission = owned(given);
    const hold = await this.#hold(submission);
    if (hold.kind !== 'held') return hold;
    const send = async () => [await this.#coupling.pool.submit(submission, options)];
    return first(await this.#withdrawUnless([hold], send));
  }

  async receive(given: readonly Submission[], options: FundedOptions): Promise<FundedOutcome[]> {
    const submissions = given.map(owned);
    const holds = await Promise.all(submissions.map((each) => this.#hold(each)));
    const funded = holds.filter((each) => each.kind === 'held');
    const sent = submissions.filter((_, index) => holds[index]?.kind === 'held');
    const outcomes =
      sent.length === 0 ? [] : await this.#withdrawUnless(funded, () => this.#coupling.pool.receive(sent, options));
    const left = outcomes.values();
    return holds.map((each) => (each.kind === 'held' ? first([...left.take(1)]) : each));
  }

  /** Sends, and gives back what was reserved for a transaction that the pool does not have afterwards. */
  async #withdrawUnless(
    holds: readonly Hold[],
    send: () => Promise<readonly FundedOutcome[]>,
  ): Promise<readonly FundedOutcome[]> {
    try {
      const outcomes = await send();
      await this.#withdraw(holds.filter((_, index) => outcomes[index]?.kind !== 'received'));
      return outcomes;
    } catch (error) {
      // A lost answer may stand for a receipt. The survey decides later.
      if (isSafeFailure(error)) await this.#withdraw(holds).catch(() => undefined);
      throw error;
    }
  }

  async #withdraw(holds: readonly Hold[]): Promise<void> {
    await Promise.all(
      holds.map(async ({ hash, made }) => {
        // The row is read first: a receipt that is settled after that changes it.
        const known = made === null ? null : await this.#marks.read(hash);
        if (known === null || known.row?.open?.id !== made) return;
        const [status] = await this.#coupling.pool.checkStatus([hash]);
        const duty = dutyOf(status?.stage ?? 'Unknown', this.#coupling.postOn);
        if (duty === 'none' || duty === 'posted') await this.#settlement.withdraw(known);
      }),
    );
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
    const [status] = await this.#coupling.pool.checkStatus([hash]);
    if (status?.stage === 'Finalized' || status?.stage === 'Confirmed') {
      return { kind: 'duplicate', hash, stage: status.stage };
    }
    return this.#reserve(hash, terms.transfer);
  }

  async #reserve(hash: string, terms: PoolTransfer): Promise<Hold | FundedOutcome> {
    const generation = (await this.#marks.position<Progress>()).kept?.generation ?? firstGeneration;
    const id = this.#marks.newId(hash);
    for (;;) {
      const known: Known = await this.#marks.read(hash);
      const row = known.row ?? { ...noFloor, ...known.floor, slot: null, terms, open: null, paid: null };
      if (row.open !== null && row.open.id !== id && isSame(row.terms, terms))
        return { kind: 'held', hash, made: null };
      if (row.open?.id === id) return { kind: 'held', hash, made: id };
      if ((row.open !== null || row.paid !== null) && !isSame(row.terms, terms)) return refused(hash, 'id_conflict');
      const metadata = { hash, payer: terms.source };
      const { outcome } = await this.#marks.step(known, [{ ...terms, kind: 'reserve', id, metadata }], {
        ...{ ...row, terms },
        open: { id, byDebt: false, unseen: generation },
      });
      if (outcome === 'settled') return { kind: 'held', hash, made: id };
      if (outcome !== 'changed') return refused(hash, outcome);
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
