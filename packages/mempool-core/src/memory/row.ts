import { live, type TxState } from '../contract/lifecycle.ts';
import { type ChainPoint, isLive, type KnownStage, type LiveStage, type Transaction } from '../contract/transaction.ts';

/** The additional fields of a Confirmed, Finalized or Dropped row, and of a Pending one that is held back. */
interface Mark {
  /** The confirming block, kept here because it outlives the kept blocks (L12). */
  readonly point: ChainPoint | null;
  /** The latest log entry of the hash; `null` while the transaction is live. */
  readonly final: TxState | null;
  /** P20: Pending, but held back until this time; `null` if it is not. */
  readonly notBefore: number | null;
}

/** The record of a hash that is live or in the log. It has few fields, because a pool may have a million rows. */
export interface Row {
  readonly hash: string;
  /** The payload has `bytes` bytes and begins at offset `start` of the slab. */
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
export interface LogRow {
  readonly txState: TxState;
  readonly point: ChainPoint | null;
  /**
   * The row of the hash, which has the payload: reading a page of the log needs no search by hash. `null` if the entry
   * was restored before its row.
   */
  readonly row: Row | null;
}

/** A new row. Copies the payload into `slabs`. */
export function makeRow(
  txState: TxState,
  point: ChainPoint | null,
  { payload, payloadType }: Transaction,
  slabs: PayloadSlabs,
): Row {
  const { hash, seq, stage, tick } = txState;
  slabs.put(payload);
  const { slab, start } = slabs;
  return { hash, slab, start, bytes: payload.length, payloadType, seq, stage, tick, mark: markOf(txState, point) };
}

/** The live record or the latest log entry of the row. */
export function stateOf({ hash, seq, stage, tick, mark }: Row): TxState {
  const known = mark?.final ?? live(hash, seq, stage as LiveStage, tick);
  return mark === null || mark.notBefore === null ? known : { ...known, notBefore: mark.notBefore };
}

/** Writes the next state; payload and seq stay. */
export function rewrite(row: Row, txState: TxState, point: ChainPoint | null): void {
  row.stage = txState.stage;
  row.tick = txState.tick;
  row.mark = markOf(txState, point);
}

/** Writes a new transaction of a known hash: it has its own payload and seq, and the row stays the same object. */
export function renew(
  row: Row,
  txState: TxState,
  point: ChainPoint | null,
  { payload, payloadType }: Transaction,
  slabs: PayloadSlabs,
): void {
  slabs.put(payload);
  row.slab = slabs.slab;
  row.start = slabs.start;
  row.bytes = payload.length;
  row.payloadType = payloadType;
  row.seq = txState.seq;
  rewrite(row, txState, point);
}

/** The row of a Pending transaction that was unknown. */
export function arrivedRow({ hash, payload, payloadType }: Transaction, seq: number, slabs: PayloadSlabs): Row {
  slabs.put(payload);
  const { slab, start } = slabs;
  return { hash, slab, start, bytes: payload.length, payloadType, seq, stage: 'Pending', tick: 0, mark: null };
}

/** The transaction with a copy of its payload. */
export function bodyOf({ hash, slab, start, bytes, payloadType }: Row): Transaction {
  return { hash, payload: Buffer.from(slab.subarray(start, start + bytes)), payloadType };
}

/** P20: true for a Pending row that is held back. No other Pending row has a mark. */
export function isHeld({ stage, mark }: Row): boolean {
  return stage === 'Pending' && mark !== null;
}

/** The confirming block of a Confirmed or Finalized row, else `null`. */
export function pointOf({ mark }: Row): ChainPoint | null {
  return mark?.point ?? null;
}

function markOf(txState: TxState, point: ChainPoint | null): Mark | null {
  const final = isLive(txState.stage) ? null : txState;
  const { notBefore = null } = txState;
  return point === null && final === null && notBefore === null ? null : { point, final, notBefore };
}

/** A slab is freed only when all its payloads have left the pool, so slabs stay small. */
const slabBytes = 32_768;
const largeBytes = slabBytes / 8;

/**
 * Copies payloads into shared buffers. One buffer object per payload would cost more than the copy: to create, to keep
 * and to collect.
 */
export class PayloadSlabs {
  /** The buffer of the last payload. Its offset there is `start`. */
  slab: Buffer = Buffer.alloc(0);
  start = 0;
  #open: Buffer = this.slab;
  #used = 0;

  /** Copies the bytes. `slab` and `start` then tell their position. */
  put(payload: Uint8Array): void {
    const { length } = payload;
    if (length > largeBytes) {
      this.slab = Buffer.allocUnsafeSlow(length);
      this.start = 0;
    } else {
      if (this.#used + length > this.#open.length) {
        this.#open = Buffer.allocUnsafeSlow(slabBytes);
        this.#used = 0;
      }
      this.slab = this.#open;
      this.start = this.#used;
      this.#used += length;
    }
    this.slab.set(payload, this.start);
  }
}
