import { type Facts, factsAt, live, type TxState } from '../contract/lifecycle.ts';
import { type ChainPoint, isLive, type KnownStage, type LiveStage, type Transaction } from '../contract/transaction.ts';

/**
 * The additional fields of a Confirmed, Finalized or Dropped row, and of a Pending one that is held back. The mark of a
 * Finalized or Dropped row is its latest log entry.
 */
interface Mark {
  /** The confirming block, kept here because it outlives the kept blocks (L12). */
  readonly point: ChainPoint | null;
  /** The final state; `null` while the transaction is live. */
  readonly final: FinalState | null;
  /** The time until which a Pending row is held back (P20). Absent if it is not. */
  readonly notBefore?: number;
}

/** A final state without the facts, which its row has. */
type FinalState = Omit<TxState, 'facts'>;

/** The record of a hash that is live or in the log. It has few fields, because a pool may have a million rows. */
export interface Row {
  readonly hash: string;
  /** The buffer with the payload: `bytes` bytes from offset `start`. The facts are stored in front of the payload. */
  slab: Buffer;
  start: number;
  bytes: number;
  payloadType: number;
  seq: number;
  stage: KnownStage;
  tick: number;
  mark: Mark | null;
}

/** An entry of the log in memory. */
export interface LogRow extends Mark {
  readonly final: FinalState;
  /** The time of the call that ended it; `null` if an older version ended it. */
  readonly at: number | null;
  /** The facts at the end, if the row has a later state; else `null`, because the row still has them. */
  facts: Facts | null;
  /**
   * The row of the hash, which has the payload, so that a page of the log needs no search by hash. `null` if the entry was
   * restored before its row.
   */
  readonly row: Row | null;
}

/** Makes a new row and copies the payload into `slabs`. */
export function makeRow(
  txState: TxState,
  point: ChainPoint | null,
  { payload, payloadType }: Transaction,
  slabs: PayloadSlabs,
  at: number | null,
): Row {
  const { hash, seq, stage, tick } = txState;
  slabs.put(payload);
  const { slab, start } = slabs;
  writeFacts(slab, start, factsAt(txState.facts, at));
  return { hash, slab, start, bytes: payload.length, payloadType, seq, stage, tick, mark: markOf(txState, point) };
}

/** Returns the state of the row: that of its live record, or of its latest log entry. */
export function stateOf(row: Row): TxState {
  const { hash, seq, stage, tick, mark } = row;
  const facts = factsOf(row);
  if (mark !== null && mark.final !== null) return { ...mark.final, facts };
  const known = live(hash, seq, stage as LiveStage, tick, facts);
  return mark?.notBefore === undefined ? known : { ...known, notBefore: mark.notBefore };
}

/** Writes the next state to the row. Payload and seq do not change. `at` is the time of the call. */
export function rewrite(row: Row, txState: TxState, point: ChainPoint | null, at: number | null): void {
  row.stage = txState.stage;
  row.tick = txState.tick;
  // Facts change only when the transaction goes out.
  if (txState.stage === 'Propagated') writeFacts(row.slab, row.start, factsAt(txState.facts, at));
  row.mark = markOf(txState, point);
}

/** Writes a new transaction with a known hash to the row. It has its own payload and seq, but the row is the same object. */
export function renew(
  row: Row,
  txState: TxState,
  point: ChainPoint | null,
  { payload, payloadType }: Transaction,
  slabs: PayloadSlabs,
  at: number | null,
): void {
  slabs.put(payload);
  row.slab = slabs.slab;
  row.start = slabs.start;
  row.bytes = payload.length;
  row.payloadType = payloadType;
  row.seq = txState.seq;
  writeFacts(row.slab, row.start, factsAt(txState.facts, at));
  rewrite(row, txState, point, at);
}

/** The row of a Pending transaction that was unknown. */
export function arrivedRow(
  { hash, payload, payloadType }: Transaction,
  seq: number,
  at: number,
  slabs: PayloadSlabs,
): Row {
  slabs.put(payload);
  const { slab, start } = slabs;
  writeArrival(slab, start, at);
  return { hash, slab, start, bytes: payload.length, payloadType, seq, stage: 'Pending', tick: 0, mark: null };
}

/** The transaction with a copy of its payload. */
export function bodyOf({ hash, slab, start, bytes, payloadType }: Row): Transaction {
  return { hash, payload: Buffer.from(slab.subarray(start, start + bytes)), payloadType };
}

/** The transaction with its payload as it is kept: nobody may change it (P32). */
export function viewOf({ hash, slab, start, bytes, payloadType }: Row): Transaction {
  return { hash, payload: slab.subarray(start, start + bytes), payloadType };
}

/** True for a Pending row that is held back (P20). No other Pending row has a mark. */
export function isHeld({ stage, mark }: Row): boolean {
  return stage === 'Pending' && mark !== null;
}

/** The confirming block of a Confirmed or Finalized row, else `null`. */
export function pointOf({ mark }: Row): ChainPoint | null {
  return mark?.point ?? null;
}

/** `null` for a final state: its mark is the log entry. */
function markOf(txState: TxState, point: ChainPoint | null): Mark | null {
  const { stage, notBefore } = txState;
  if (notBefore !== undefined) return { point, final: null, notBefore };
  return !isLive(stage) || point === null ? null : { point, final: null };
}

/** Makes the log entry of a row that has become final. The row keeps the facts until it has a later state. */
export function endRow(row: Row, txState: TxState, point: ChainPoint | null, at: number | null): LogRow {
  const entry = logRowOf(txState, point, at, row);
  row.mark = entry;
  return entry;
}

/** Makes a log entry whose row has a later state, or that has no row. */
export function pastEntry(txState: TxState, point: ChainPoint | null, at: number | null, row: Row | null): LogRow {
  const entry = logRowOf(txState, point, at, row);
  entry.facts = txState.facts;
  return entry;
}

function logRowOf(txState: TxState, point: ChainPoint | null, at: number | null, row: Row | null): LogRow {
  const { hash, seq, stage, tick, confirmations, nonConfirmations, reason } = txState;
  const final = { hash, seq, stage, tick, confirmations, nonConfirmations, reason };
  return { point, final, row, at, facts: null };
}

/** Copies the facts of a final row into its log entry, before a later state is written to the row. */
export function leaveEnd(row: Row): void {
  const { mark } = row;
  if (mark !== null && mark.final !== null) (mark as LogRow).facts = factsOf(row);
}

/** `sentAt`, `receivedAt` and `attempts` are the 14 bytes before the payload, so they need no object. Times have 48 bits (E5). */
const timeBytes = 6;
const attemptsAt = -2;
const receivedAt = attemptsAt - timeBytes;
const sentAt = receivedAt - timeBytes;
const factsBytes = -sentAt;
/** No call has this time (E5). */
const unknownTime = 0;

/** Returns the facts of the row's present life. */
export function factsOf({ slab, start }: Row): Facts {
  const attempts = slab.readUInt16LE(start + attemptsAt);
  return {
    receivedAt: readTime(slab, start + receivedAt),
    attempts,
    // Without an attempt there is no time: an arrival writes none.
    sentAt: attempts === 0 ? null : readTime(slab, start + sentAt),
  };
}

/** Returns when a Propagated or Acknowledged row was sent; `null` if that is not known. */
export function sentAtOf({ slab, start }: Row): number | null {
  return slab.readUInt16LE(start + attemptsAt) === 0 ? null : readTime(slab, start + sentAt);
}

function readTime(slab: Buffer, place: number): number | null {
  const time = slab.readUIntLE(place, timeBytes);
  return time === unknownTime ? null : time;
}

function writeFacts(slab: Buffer, start: number, facts: Facts): void {
  slab.writeUInt16LE(facts.attempts, start + attemptsAt);
  slab.writeUIntLE(facts.receivedAt ?? unknownTime, start + receivedAt, timeBytes);
  slab.writeUIntLE(facts.sentAt ?? unknownTime, start + sentAt, timeBytes);
}

function writeArrival(slab: Buffer, start: number, at: number): void {
  slab[start + attemptsAt] = 0;
  slab[start + attemptsAt + 1] = 0;
  slab.writeUIntLE(at, start + receivedAt, timeBytes);
}

/** A slab is freed only when all its payloads have left the pool, so slabs stay small. */
const slabBytes = 32_768;
const largeBytes = slabBytes / 8;

/**
 * Copies payloads into shared buffers. One buffer object per payload would cost more than the copy, in time, in memory and
 * in garbage collection.
 */
export class PayloadSlabs {
  /** The buffer of the last payload, which begins at offset `start`. */
  slab: Buffer = Buffer.alloc(0);
  start = 0;
  #open: Buffer = this.slab;
  #used = 0;

  /** Copies the bytes and sets `slab` and `start` to their position. It leaves room for the facts in front of them. */
  put(payload: Uint8Array): void {
    const { length } = payload;
    const whole = length + factsBytes;
    if (whole > largeBytes) {
      this.slab = Buffer.allocUnsafeSlow(whole);
      this.start = factsBytes;
    } else {
      if (this.#used + whole > this.#open.length) {
        this.#open = Buffer.allocUnsafeSlow(slabBytes);
        this.#used = 0;
      }
      this.slab = this.#open;
      this.start = this.#used + factsBytes;
      this.#used += whole;
    }
    this.slab.set(payload, this.start);
  }
}
