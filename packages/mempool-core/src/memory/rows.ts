import { type Facts, factsAt, live, type TxState } from '../contract/lifecycle.ts';
import { type ChainPoint, isLive, type KnownStage, type LiveStage, type Transaction } from '../contract/transaction.ts';
import type { FifoEntry } from '../rules/fifo-step.ts';
import type { Write } from '../rules/step.ts';
import { Columns } from './columns.ts';
import { EndLog, type PastLife } from './end-log.ts';
import { PayloadSlabs } from './payload-slabs.ts';
import { noSlot, type Slots } from './slots.ts';
import { StageIndexes } from './stage-indexes.ts';

/**
 * The rows of all hashes that are live or in the log: their columns, payloads and indexes, and the log. A row is known by its
 * slot. Its state is an object only where somebody asks for it.
 */
export class Rows {
  readonly slots: Slots;
  readonly columns: Columns = new Columns();
  readonly stageIndexes: StageIndexes = new StageIndexes(this.columns);
  readonly log: EndLog = new EndLog();
  readonly #slabs = new PayloadSlabs(this.columns);
  /** The confirming blocks of Confirmed rows. */
  readonly #points = new Map<number, ChainPoint>();
  /** The number of hashes that are live or in the log. */
  size = 0;
  /** The last seq that was assigned; 0 before the first. */
  lastSeq = 0;

  constructor(slots: Slots) {
    this.slots = slots;
  }

  /** The slot of the row of a hash, or `noSlot`. */
  find(hash: string): number {
    const slot = this.slots.find(hash);
    return slot !== noSlot && this.columns.has(slot) ? slot : noSlot;
  }

  /** Writes a record. `at` is the time of the call. A final state is a new entry of the log. */
  write({ after, point, body }: Write, at: number): void {
    const known = this.find(after.hash);
    if (known !== noSlot) this.#leaveEnd(known);
    const slot = known === noSlot ? this.slots.hold(after.hash) : known;
    if (known === noSlot) this.#add(slot, after, body as Transaction, at);
    else if (body === null) {
      this.stageIndexes.move(known, after);
      // Facts change only when the transaction goes out.
      if (after.stage === 'Propagated') this.columns.setFacts(known, factsAt(after.facts, at));
    } else {
      // A known hash with a new seq. One call of a priority pool may end a transaction and admit its hash again: only the
      // new state is written.
      this.#remove(known);
      this.#add(known, after, body, at);
    }
    this.#mark(slot, after, point, at);
  }

  /** Adds the log entry of a life whose hash has a later one. */
  writePast(after: TxState, point: ChainPoint | null, at: number): void {
    const { hash, seq, facts } = after;
    this.log.pushPast({ hash, seq, facts }, this.log.endingOf(after, point, at));
  }

  /** Removes the row of a log entry that was removed. Returns its hash. */
  forget(slot: number): string {
    const hash = this.slots.hashOf(slot);
    this.#remove(slot);
    this.columns.clear(slot);
    this.size -= 1;
    this.slots.release(slot);
    return hash;
  }

  /** The state of its live record, or of its latest log entry. */
  state(slot: number): TxState {
    const { columns } = this;
    const hash = this.slots.hashOf(slot);
    if (this.#isFinal(slot))
      return this.#finalState(columns.logSeq(slot), { hash, seq: columns.seq(slot), facts: columns.facts(slot) });
    const known = live(
      hash,
      columns.seq(slot),
      columns.stage(slot) as LiveStage,
      columns.tick(slot),
      columns.facts(slot),
    );
    const notBefore = columns.notBefore(slot);
    return notBefore === null ? known : { ...known, notBefore };
  }

  /** The state that a log entry tells. */
  ended(logSeq: number): TxState {
    const past = this.log.past(logSeq);
    return past === null ? this.state(this.log.slot(logSeq)) : this.#finalState(logSeq, past);
  }

  /** The slot of the row of a log entry. */
  logged(logSeq: number): number {
    const past = this.log.past(logSeq);
    return past === null ? this.log.slot(logSeq) : this.find(past.hash);
  }

  /** What `reap`, `take` and `since` of a fifo pool need of a row. */
  entry(slot: number): FifoEntry & { readonly stage: KnownStage } {
    const { columns } = this;
    const [seq, bytes, stage] = [columns.seq(slot), columns.bytes(slot), columns.stage(slot)];
    return { hash: this.slots.hashOf(slot), seq, bytes, stage };
  }

  /** The transaction with a copy of its payload. */
  body(slot: number): Transaction {
    return {
      hash: this.slots.hashOf(slot),
      payload: Buffer.from(this.#payload(slot)),
      payloadType: this.columns.payloadType(slot),
    };
  }

  /** The transaction with its payload as it is kept: nobody may change it (P32). */
  view(slot: number): Transaction {
    return { hash: this.slots.hashOf(slot), payload: this.#payload(slot), payloadType: this.columns.payloadType(slot) };
  }

  /** The confirming block of a Confirmed or Finalized row, else `null`. */
  point(slot: number): ChainPoint | null {
    if (this.#isFinal(slot)) return this.log.ending(this.columns.logSeq(slot)).point;
    return this.#points.get(slot) ?? null;
  }

  #isFinal(slot: number): boolean {
    return !isLive(this.columns.stage(slot));
  }

  #payload(slot: number): Buffer {
    const { slab, start, bytes } = this.columns.payload(slot);
    return this.#slabs.view(slab, start, bytes);
  }

  #finalState(logSeq: number, { hash, seq, facts }: PastLife): TxState {
    const { stage, tick, confirmations, nonConfirmations, reason } = this.log.ending(logSeq);
    return { hash, seq, stage, tick, confirmations, nonConfirmations, reason, facts };
  }

  /** Keeps the end of a final row for its log entry, before a later state is written to the row. */
  #leaveEnd(slot: number): void {
    if (!this.#isFinal(slot)) return;
    const { columns } = this;
    const [hash, seq, facts]: [string, number, Facts] = [
      this.slots.hashOf(slot),
      columns.seq(slot),
      columns.facts(slot),
    ];
    this.log.leave(columns.logSeq(slot), { hash, seq, facts });
  }

  #add(slot: number, after: TxState, body: Transaction, at: number): void {
    this.#put(slot, after.seq, body, 0);
    this.columns.setFacts(slot, factsAt(after.facts, at));
    this.stageIndexes.add(slot, after);
    if (after.seq > this.lastSeq) this.lastSeq = after.seq;
  }

  #put(slot: number, seq: number, { payload, payloadType }: Transaction, at: number): void {
    this.#slabs.put(slot, payload);
    if (!this.columns.has(slot)) this.size += 1;
    this.columns.arrive(slot, seq, payloadType, at);
    this.columns.setPayload(slot, this.#slabs.slab, this.#slabs.start, payload.length);
  }

  #remove(slot: number): void {
    this.stageIndexes.remove(slot);
    this.#slabs.remove(slot);
  }

  /** Notes the log entry of a final state, and the block of a live one. */
  #mark(slot: number, after: TxState, point: ChainPoint | null, at: number): void {
    const isOver = !isLive(after.stage);
    if (isOver) this.columns.end(slot, this.log.push(slot, this.log.endingOf(after, point, at)));
    if (point !== null && !isOver) this.#points.set(slot, point);
    else if (this.#points.size > 0) this.#points.delete(slot);
  }
}
