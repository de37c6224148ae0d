import type { ReceiveOutcome, Thresholds, Transaction } from 'mempool-core';
import * as core from 'mempool-core/backend';
import { damaged } from '../file/row.ts';
import type { HashIndex, NewRow } from '../pool/hash-index.ts';
import type { PoolFile } from '../pool/pool-file.ts';
import { PoolView } from '../pool/pool-view.ts';
import { checksumOf } from '../pool/records.ts';
import type { FileStep } from '../pool/step-writer.ts';
import { roomIn } from './tables.ts';

/** The parts that a `receive` needs: where it reads and writes, and the time of the call. */
export interface ReceivingParts {
  readonly file: PoolFile;
  readonly hashes: HashIndex;
  readonly nowMs: number;
}

/**
 * The pool before a `receive`, for its plan. The call's rows in `tx` are already written, with seqs in the given order. Because most
 * hashes are new, one statement looks up a hash and inserts its row.
 */
export class ReceivingView extends PoolView {
  /** Previous states by hash. Created when the first known hash is found: nearly every call has none, and needs no map. */
  #before: Map<string, core.TxState | null> | null = null;
  /** Hashes written so far that had no row before. */
  readonly #newcomers: Buffer[] = [];
  readonly #inclusions: ReadonlyMap<string, number>;
  readonly #thresholds: Thresholds;
  readonly #admitted: readonly Transaction[];
  /** The outcomes of all transactions. `null`: there is room for all, and the pool is not closed. */
  readonly #told: ReceiveOutcome[] | null;
  #seq: number;

  constructor({ file, hashes, nowMs }: ReceivingParts, transactions: readonly Transaction[], thresholds: Thresholds) {
    super(file, hashes);
    const room = roomIn(this.state, nowMs);
    this.#thresholds = thresholds;
    const isEnough = room !== 'closed' && transactions.length <= room;
    const told = isEnough ? null : core.receiveStep(new PoolView(file, hashes), transactions, thresholds, room).outcome;
    this.#told = told;
    this.#admitted = told === null ? transactions : transactions.filter((_, i) => isAdmitted(told[i]));
    this.#seq = this.lastSeq + 1;
    for (let i = 0; i < this.#admitted.length; i++) this.#take(i);
    this.#inclusions = this.inclusions(this.#admitted);
  }

  step(): FileStep<ReceiveOutcome[]> {
    if (this.#areUnknown()) return this.#fifo();
    const step = core.receiveStep(this, this.#admitted, this.#thresholds);
    return this.#told === null ? step : { ...step, outcome: this.#told };
  }

  override txState(hash: string): core.TxState | null {
    return this.#before?.get(hash) ?? null;
  }

  override inclusion(hash: string): number | null {
    return this.#inclusions.get(hash) ?? null;
  }

  /** Whether all hashes are unknown and different, as in nearly every call. */
  #areUnknown(): boolean {
    const count = this.#admitted.length;
    return this.#told === null && this.#newcomers.length === count && this.#inclusions.size === 0;
  }

  /** The result of `receiveStep` for unknown hashes (L1), without an object for each state, change, write and event. */
  #fifo(): FileStep<ReceiveOutcome[]> {
    const first = this.lastSeq + 1;
    const outcome = this.#admitted.map(
      ({ hash }, i) => ({ kind: 'received', hash, seq: first + i, stage: 'Pending' }) as const,
    );
    return { outcome, writes: [], events: [], chain: null, operation: null, at: null, newcomers: this.#newcomers };
  }

  #take(i: number): void {
    const { hash, payload, payloadType } = this.#admitted[i] as Transaction;
    if (this.#before?.has(hash)) return;
    const bytes = core.hashToBytes(hash);
    const row = { seq: this.#seq, hash: bytes, type: payloadType, checksum: checksumOf(bytes, payload), payload };
    if (this.hashes.insert(row)) {
      this.#before?.set(hash, null);
      this.#newcomers.push(bytes);
      this.#seq += 1;
      return;
    }
    this.#before ??= new Map(this.#admitted.slice(0, i).map((newcomer) => [newcomer.hash, null]));
    if (!this.#before.has(hash)) this.#before.set(hash, this.#renew(row, hash));
  }

  /** L2: the transaction starts again. Its history stays, and shows the new payload. */
  #renew(row: NewRow, hash: string): core.TxState {
    const before = this.#known(hash);
    if (core.nextStage(before.stage, 'receive') === null) return before;
    this.hashes.remove(before.seq, row.hash);
    this.file.run('repointLog', row.seq, before.seq);
    this.hashes.insert(row);
    this.#seq += 1;
    return before;
  }

  #known(hash: string): core.TxState {
    const txState = super.txState(hash);
    if (txState === null) throw damaged('index of hashes');
    return txState;
  }
}

function isAdmitted(outcome: ReceiveOutcome | undefined): boolean {
  return outcome?.kind !== 'full' && outcome?.kind !== 'closed';
}
