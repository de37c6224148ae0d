import { live, type TxState } from '../contract/lifecycle.ts';
import { type ChainPoint, isLive, type KnownStage, type LiveStage, type Transaction } from '../contract/transaction.ts';

/** What only a row has that a block has touched. */
interface Mark {
  /** Its own, since it outlives the kept blocks (L12). */
  readonly point: ChainPoint | null;
  /** Its latest log entry; `null` while live. */
  readonly final: TxState | null;
}

/**
 * What memory keeps of a hash that is live or in the log: as few fields as there can be, since there are a million of
 * them.
 */
export interface Row {
  readonly hash: string;
  /** The payload: `bytes` of the slab, from `start` on. */
  slab: Buffer;
  start: number;
  bytes: number;
  payloadType: number;
  seq: number;
  stage: KnownStage;
  tick: number;
  mark: Mark | null;
}

/** What a ledger keeps of an entry of the log. */
export interface LogRow {
  readonly txState: TxState;
  readonly point: ChainPoint | null;
  /**
   * Of its hash, with the payload: a page of the log is read without a look by hash. `null` where it was restored
   * before its row.
   */
  readonly row: Row | null;
}

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

export function stateOf({ hash, seq, stage, tick, mark }: Row): TxState {
  return mark?.final ?? live(hash, seq, stage as LiveStage, tick);
}

export function rewrite(row: Row, txState: TxState, point: ChainPoint | null): void {
  row.stage = txState.stage;
  row.tick = txState.tick;
  row.mark = markOf(txState, point);
}

/** The next life of its hash, with a payload and a seq of its own. */
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

/** The row of a Pending transaction that nobody knew. */
export function arrivedRow({ hash, payload, payloadType }: Transaction, seq: number, slabs: PayloadSlabs): Row {
  slabs.put(payload);
  const { slab, start } = slabs;
  return { hash, slab, start, bytes: payload.length, payloadType, seq, stage: 'Pending', tick: 0, mark: null };
}

/** With a copy of the payload. */
export function bodyOf({ hash, slab, start, bytes, payloadType }: Row): Transaction {
  return { hash, payload: Buffer.from(slab.subarray(start, start + bytes)), payloadType };
}

/** The confirming block of a Confirmed or Finalized row. */
export function pointOf({ mark }: Row): ChainPoint | null {
  return mark?.point ?? null;
}

function markOf(txState: TxState, point: ChainPoint | null): Mark | null {
  const final = isLive(txState.stage) ? null : txState;
  return point === null && final === null ? null : { point, final };
}

/** A payload that leaves, leaves its bytes behind until the slab's others have left: that must stay little. */
const slabBytes = 32_768;
const largeBytes = slabBytes / 8;

/**
 * Copies of payloads, many to a buffer: a buffer object for each would cost more than the copying, to make, to keep and to
 * collect.
 */
export class PayloadSlabs {
  /** Where the last payload went. */
  slab: Buffer = Buffer.alloc(0);
  start = 0;
  #open: Buffer = this.slab;
  #used = 0;

  /** Copies the bytes; `slab` and `start` say where they are. */
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
