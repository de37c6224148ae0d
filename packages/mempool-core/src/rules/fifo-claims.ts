import type { StepEvent } from '../contract/events.ts';
import type { ClaimRecord } from '../contract/pool-entry.ts';
import type { FifoEntry } from './fifo-step.ts';
import type { Step } from './step.ts';

/** The claims and the limit of a fifo pool as plain data, for a file of any format. */
export interface FifoRecord {
  readonly maxTxs: number;
  readonly lots: readonly {
    readonly claim: ClaimRecord;
    readonly held: readonly (readonly [hash: string, seq: number])[];
  }[];
}

type Lot = FifoRecord['lots'][number];

/** Returns the claims of a stored pool, in the order in which they are met, from a row for each claimed transaction. */
export function lotsOf(rows: Iterable<readonly [claim: ClaimRecord, hash: string, seq: number]>): FifoRecord['lots'] {
  const lots = new Map<string, { readonly claim: ClaimRecord; readonly held: [string, number][] }>();
  for (const [claim, hash, seq] of rows) {
    const key = JSON.stringify(claim);
    const lot = lots.get(key);
    if (lot === undefined) lots.set(key, { claim, held: [[hash, seq]] });
    else lot.held.push([hash, seq]);
  }
  return [...lots.values()];
}

interface FifoClaim {
  claim: ClaimRecord;
  readonly seqs: Map<string, number>;
}

type TransactionStep = Extract<StepEvent, { kind: 'transaction' }>;

/** Returns the events that end claims. Any event of a Propagated transaction ends the claim on it. */
export function endedClaims(events: readonly StepEvent[]): TransactionStep[] {
  return transactionsOf(events).filter(({ previous }) => previous.stage === 'Propagated');
}

/** Returns the events of the transactions that a `take` step claimed. */
export function takenBy(events: readonly StepEvent[]): TransactionStep[] {
  return transactionsOf(events).filter(({ stage }) => stage === 'Propagated');
}

function transactionsOf(events: readonly StepEvent[]): TransactionStep[] {
  return events.filter((event) => event.kind === 'transaction');
}

/** The claims and the limit of a fifo pool, in memory. Empty until the first `take` or `setLimits`. */
export class FifoClaims {
  maxTxs: number = Number.POSITIVE_INFINITY;
  readonly #lots = new Map<string, FifoClaim>();
  readonly #lotOf = new Map<string, FifoClaim>();

  /** Applies a step: ends claims, adds the claim that the step made, and sets the limit. */
  apply({ events, fifo = null }: Pick<Step<unknown>, 'events' | 'fifo'>): void {
    if (this.#lotOf.size > 0) for (const { hash } of endedClaims(events)) this.#end(hash);
    if (fifo === null) return;
    this.maxTxs = fifo.maxTxs ?? this.maxTxs;
    if (fifo.extended !== null) this.#extend(fifo.extended);
    if (fifo.taken === null) return;
    this.#add(
      fifo.taken,
      takenBy(events).map(({ hash, seq }) => [hash, seq]),
    );
  }

  /** Returns the transactions that are claimed under this id, ordered by seq. */
  under(claimId: string): Pick<FifoEntry, 'hash' | 'seq'>[] {
    const lot = this.#lots.get(claimId);
    return lot === undefined ? [] : claimedBy(lot).sort((a, b) => a.seq - b.seq);
  }

  /** Returns the id of the claim on a transaction; `null` if there is none. */
  claimOf(hash: string): string | null {
    return this.#lotOf.get(hash)?.claim.id ?? null;
  }

  /** Returns the claim on a transaction; `null` if there is none. */
  claimRecordOf(hash: string): ClaimRecord | null {
    return this.#lotOf.get(hash)?.claim ?? null;
  }

  /** Returns the end of a claim and its number of transactions; `null` if it has none. */
  claim(id: string): { readonly untilMs: number; readonly held: number } | null {
    const lot = this.#lots.get(id);
    return lot === undefined ? null : { untilMs: lot.claim.untilMs, held: lot.seqs.size };
  }

  /** Returns up to `limit` hashes whose claim ended before `nowMs`: the earliest end first, then by seq. */
  ended(nowMs: number, limit: number): string[] {
    const lots = [...this.#lots.values()].filter(({ claim }) => claim.untilMs < nowMs);
    const ended = lots.flatMap((lot) => claimedBy(lot).map((each) => ({ ...each, untilMs: lot.claim.untilMs })));
    ended.sort((a, b) => a.untilMs - b.untilMs || a.seq - b.seq);
    return ended.slice(0, limit).map(({ hash }) => hash);
  }

  /** Returns the data for `restore`; `null` if there are no claims and no limit. */
  dump(): FifoRecord | null {
    const lots = this.lots();
    return lots.length === 0 && this.maxTxs === Number.POSITIVE_INFINITY ? null : { maxTxs: this.maxTxs, lots };
  }

  /** Returns all claims, with their transactions. */
  lots(): FifoRecord['lots'] {
    return Array.from(this.#lots.values(), ({ claim, seqs }) => ({ claim, held: [...seqs] }));
  }

  /** Adds the claims and the limit of a `dump`. */
  restore({ maxTxs, lots }: FifoRecord): void {
    this.maxTxs = maxTxs;
    this.addLots(lots);
  }

  addLots(lots: FifoRecord['lots']): void {
    for (const { claim, held } of lots) this.#add(claim, held);
  }

  #add(claim: ClaimRecord, held: Lot['held']): void {
    if (held.length === 0) return;
    const lot = { claim, seqs: new Map([...(this.#lots.get(claim.id)?.seqs ?? []), ...held]) };
    this.#lots.set(claim.id, lot);
    for (const hash of lot.seqs.keys()) this.#lotOf.set(hash, lot);
  }

  #extend({ id, untilMs }: Pick<ClaimRecord, 'id' | 'untilMs'>): void {
    const lot = this.#lots.get(id);
    if (lot !== undefined) lot.claim = { ...lot.claim, untilMs };
  }

  #end(hash: string): void {
    const lot = this.#lotOf.get(hash);
    if (lot === undefined) return;
    this.#lotOf.delete(hash);
    lot.seqs.delete(hash);
    if (lot.seqs.size === 0) this.#lots.delete(lot.claim.id);
  }
}

function claimedBy({ seqs }: FifoClaim): { readonly hash: string; readonly seq: number }[] {
  return Array.from(seqs, ([hash, seq]) => ({ hash, seq }));
}
