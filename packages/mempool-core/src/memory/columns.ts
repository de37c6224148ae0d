import type { Facts } from '../contract/lifecycle.ts';
import { type KnownStage, knownStages } from '../contract/transaction.ts';

/** The record of a row is 64 bytes, which one line of a processor's cache holds: doubles first, then 32-bit integers. */
const doubles = 8;
const integers = 16;
const [seqAt, tickAt, receivedAt, sentAt, moreAt, bytesAt] = [0, 1, 2, 3, 4, 5];
const [slabAt, startAt, attemptsAt, kindAt] = [12, 13, 14, 15];
const firstRows = 1_024;
/** In the kind of a row, the stage stands above the payload type. */
const typeBits = 16;
const typeMask = 0xffff;

/** No call has this time (E5). */
const unknownTime = 0;
/** Beside a Pending row that is not held back. */
const nothing = Number.NaN;

/** Where the payload of a row is. */
export interface PayloadPlace {
  readonly slab: number;
  readonly start: number;
  readonly bytes: number;
}

/** The numbers of all rows of a pool, by slot. A row is no object, so a million of them cost the garbage collector nothing. */
export class Columns {
  #doubles: Float64Array = new Float64Array(firstRows * doubles);
  #integers: Int32Array = new Int32Array(this.#doubles.buffer);

  /** Makes a Pending row that arrives at this time. */
  arrive(slot: number, seq: number, payloadType: number, at: number): void {
    if (slot * doubles >= this.#doubles.length) this.#grow(slot);
    const numbers = this.#doubles;
    const first = slot * doubles;
    numbers[first + seqAt] = seq;
    numbers[first + tickAt] = 0;
    numbers[first + receivedAt] = at;
    numbers[first + sentAt] = unknownTime;
    numbers[first + moreAt] = nothing;
    this.#integers[slot * integers + attemptsAt] = 0;
    this.#integers[slot * integers + kindAt] = pendingKind | payloadType;
  }

  /** True if the ledger has a row in this slot. */
  has(slot: number): boolean {
    const kind = this.#integers[slot * integers + kindAt];
    return kind !== undefined && kind >>> typeBits > 0;
  }

  clear(slot: number): void {
    this.#integers[slot * integers + kindAt] = 0;
  }

  seq(slot: number): number {
    return this.#doubles[slot * doubles + seqAt] as number;
  }

  tick(slot: number): number {
    return this.#doubles[slot * doubles + tickAt] as number;
  }

  stage(slot: number): KnownStage {
    return knownStages[(this.#kind(slot) >>> typeBits) - 1] as KnownStage;
  }

  payloadType(slot: number): number {
    return this.#kind(slot) & typeMask;
  }

  /** Sets the stage with its tick. */
  move(slot: number, stage: KnownStage, tick: number): void {
    this.#doubles[slot * doubles + tickAt] = tick;
    this.#integers[slot * integers + kindAt] = kindOf(stage) | this.payloadType(slot);
  }

  /** The time until which a Pending row is held back (P20); `null` if it is not. */
  notBefore(slot: number): number | null {
    const more = this.#doubles[slot * doubles + moreAt] as number;
    return Number.isNaN(more) ? null : more;
  }

  holdBack(slot: number, until: number | undefined): void {
    this.#doubles[slot * doubles + moreAt] = until ?? nothing;
  }

  /** The number of the log entry of a final row. */
  logSeq(slot: number): number {
    return this.#doubles[slot * doubles + moreAt] as number;
  }

  end(slot: number, logSeq: number): void {
    this.#doubles[slot * doubles + moreAt] = logSeq;
  }

  bytes(slot: number): number {
    return this.#doubles[slot * doubles + bytesAt] as number;
  }

  payload(slot: number): PayloadPlace {
    const first = slot * integers;
    const [slab, start] = [this.#integers[first + slabAt] as number, this.#integers[first + startAt] as number];
    return { slab, start, bytes: this.bytes(slot) };
  }

  setPayload(slot: number, slab: number, start: number, bytes: number): void {
    const first = slot * integers;
    this.#integers[first + slabAt] = slab;
    this.#integers[first + startAt] = start;
    this.#doubles[slot * doubles + bytesAt] = bytes;
  }

  attempts(slot: number): number {
    return this.#integers[slot * integers + attemptsAt] as number;
  }

  /** When the row's present life was received. */
  received(slot: number): number | null {
    return known(this.#doubles[slot * doubles + receivedAt]);
  }

  /** When a row was sent; `null` if it was not, or if that is not known. */
  sent(slot: number): number | null {
    return known(this.#doubles[slot * doubles + sentAt]);
  }

  facts(slot: number): Facts {
    return { receivedAt: this.received(slot), attempts: this.attempts(slot), sentAt: this.sent(slot) };
  }

  setFacts(slot: number, facts: Facts): void {
    const first = slot * doubles;
    this.#doubles[first + receivedAt] = facts.receivedAt ?? unknownTime;
    this.#doubles[first + sentAt] = facts.attempts === 0 ? unknownTime : (facts.sentAt ?? unknownTime);
    this.#integers[slot * integers + attemptsAt] = facts.attempts;
  }

  #kind(slot: number): number {
    return this.#integers[slot * integers + kindAt] as number;
  }

  #grow(slot: number): void {
    const larger = new Float64Array(Math.max(2 * this.#doubles.length, (slot + 1) * doubles));
    larger.set(this.#doubles);
    this.#doubles = larger;
    this.#integers = new Int32Array(larger.buffer);
  }
}

function known(time: number | undefined): number | null {
  return time === undefined || time === unknownTime ? null : time;
}

function kindOf(stage: KnownStage): number {
  return (knownStages.indexOf(stage) + 1) << typeBits;
}

const pendingKind = kindOf('Pending');
