import { type Facts, factsAt, type TxState } from '../contract/lifecycle.ts';
import { type ChainPoint, isLive, type Transaction } from '../contract/transaction.ts';
import type { Write } from '../rules/step.ts';
import { NumberedList } from './numbered-list.ts';
import { type Row, StageIndexes } from './stage-indexes.ts';

/** An entry of the log. */
export interface Ended {
  readonly txState: TxState;
  readonly point: ChainPoint | null;
  /** The time of the call that ended it. */
  readonly at: number;
}

const noFacts: Facts = { receivedAt: null, attempts: 0, sentAt: null };

/** The rows of all hashes that are live or in the log, with their indexes, and the log. */
export class Rows {
  readonly stageIndexes: StageIndexes = new StageIndexes();
  readonly log: NumberedList<Ended> = new NumberedList();
  readonly #rows = new Map<string, Row>();
  /** The facts of what the last call received, which share one object. */
  #arrived: Facts = noFacts;
  /** The last seq that was assigned; 0 before the first. */
  lastSeq = 0;

  /** The number of hashes that are live or in the log. */
  get size(): number {
    return this.#rows.size;
  }

  find(hash: string): Row | undefined {
    return this.#rows.get(hash);
  }

  /**
   * Writes a record, and keeps the payload that it has. `at` is the time of the call, or 0. A final state is a new entry of the
   * log.
   */
  write({ after, point, body }: Write, at: number): void {
    const txState = this.#timed(after, at);
    const row = this.#written(txState, body);
    row.point = point;
    row.logSeq = isLive(txState.stage) ? 0 : this.log.push({ txState, point, at });
  }

  /** Writes a record of a stored pool. Without a body it is a log entry whose hash has a later state. */
  restore(write: Write, at: number): void {
    const { after: txState, point, body } = write;
    if (body !== null) this.write(write, at);
    else this.log.push({ txState, point, at });
  }

  /** The row of a log entry that has no later one; `null` if the hash has a later state. */
  latest(logSeq: number): Row | null {
    const row = this.find(this.log.at(logSeq).txState.hash);
    return row?.logSeq === logSeq ? row : null;
  }

  /** Removes the oldest log entry, and its row unless the hash has a later state. Returns the hash of a row that was removed. */
  forget(): string | null {
    const row = this.latest(this.log.oldest);
    const { hash } = this.log.shift().txState;
    if (row === null) return null;
    this.stageIndexes.remove(row);
    this.#rows.delete(hash);
    return hash;
  }

  #written(txState: TxState, body: Transaction | null): Row {
    const { hash, seq } = txState;
    const known = this.#rows.get(hash);
    if (known !== undefined && body === null) {
      this.stageIndexes.move(known, txState);
      return known;
    }
    if (known !== undefined) this.stageIndexes.remove(known);
    const { payload, payloadType } = body as Transaction;
    const row: Row = { seq, payload, payloadType, txState, point: null, logSeq: 0 };
    this.#rows.set(hash, row);
    this.stageIndexes.add(row);
    if (seq > this.lastSeq) this.lastSeq = seq;
    return row;
  }

  /** The state with the times that a step leaves open. */
  #timed(txState: TxState, at: number): TxState {
    const { receivedAt, attempts, sentAt } = txState.facts;
    if (receivedAt !== 0 && sentAt !== 0) return txState;
    const facts = factsAt(txState.facts, at === 0 ? null : at);
    if (attempts > 0 || sentAt !== null) return { ...txState, facts };
    if (facts.receivedAt !== this.#arrived.receivedAt) this.#arrived = facts;
    return { ...txState, facts: this.#arrived };
  }
}

/** The transaction with a copy of its payload. */
export function bodyOf({ txState, payload, payloadType }: Row): Transaction {
  return { hash: txState.hash, payload: Buffer.from(payload), payloadType };
}
