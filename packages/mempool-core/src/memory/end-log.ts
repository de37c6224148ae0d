import type { TxState } from '../contract/lifecycle.ts';
import type { ChainPoint } from '../contract/transaction.ts';
import { noSlot } from './slots.ts';

/** How transactions ended. Those that one call ends alike share one. */
export interface Ending extends Pick<TxState, 'stage' | 'tick' | 'confirmations' | 'nonConfirmations' | 'reason'> {
  /** The confirming block, kept here because it outlives the kept blocks (L12). */
  readonly point: ChainPoint | null;
  /** The time of the call. */
  readonly at: number;
}

/** What a log entry needs of an ended life, once the row of its hash has a later one. */
export type PastLife = Pick<TxState, 'hash' | 'seq' | 'facts'>;

const firstEntries = 1_024;

/** The terminal log: entries that are numbered from 1 without gaps, in a ring. Only the oldest are removed. */
export class EndLog {
  #slots: Int32Array = new Int32Array(firstEntries);
  #endings: (Ending | null)[] = new Array(firstEntries).fill(null);
  /** By the number of the entry. Such a row has a later state, or it is restored later. */
  readonly #past = new Map<number, PastLife>();
  #newest: Ending | null = null;
  #length = 0;
  /** Number of the newest entry; 0 before the first. */
  last = 0;

  get length(): number {
    return this.#length;
  }

  /** Number of the oldest entry kept; `last + 1` if none is kept. */
  get oldest(): number {
    return this.last - this.#length + 1;
  }

  /** Adds the entry of a row that has just ended. Returns its number. */
  push(slot: number, ending: Ending): number {
    if (this.#length === this.#slots.length) this.#grow();
    this.last += 1;
    this.#length += 1;
    const place = this.last & (this.#slots.length - 1);
    this.#slots[place] = slot;
    this.#endings[place] = ending;
    this.#newest = ending;
    return this.last;
  }

  /** Adds the entry of an ended life of a hash whose row has a later state. */
  pushPast(past: PastLife, ending: Ending): void {
    this.#past.set(this.push(noSlot, ending), past);
  }

  /** Keeps what is needed of a life, before the row gets a later state. */
  leave(logSeq: number, past: PastLife): void {
    this.#past.set(logSeq, past);
  }

  /** How it ended: the newest ending if that is the same, else a new one. */
  endingOf(txState: Omit<TxState, 'facts'>, point: ChainPoint | null, at: number): Ending {
    const { stage, tick, confirmations, nonConfirmations, reason } = txState;
    const newest = this.#newest;
    const isSame =
      newest !== null &&
      newest.stage === stage &&
      newest.tick === tick &&
      newest.confirmations === confirmations &&
      newest.nonConfirmations === nonConfirmations &&
      newest.reason === reason &&
      newest.at === at &&
      newest.point?.slot === point?.slot &&
      newest.point?.hash === point?.hash;
    return isSame ? newest : { stage, tick, confirmations, nonConfirmations, reason, point, at };
  }

  /** The slot of the row whose latest entry this is; of another entry it means nothing. */
  slot(logSeq: number): number {
    return this.#slots[logSeq & (this.#slots.length - 1)] as number;
  }

  ending(logSeq: number): Ending {
    return this.#endings[logSeq & (this.#slots.length - 1)] as Ending;
  }

  /** The ended life, if its hash has a later one or the row came after the entry; `null` if the row is in that state. */
  past(logSeq: number): PastLife | null {
    return this.#past.size === 0 ? null : (this.#past.get(logSeq) ?? null);
  }

  /** Removes the oldest entry. Returns the slot of the row that is in its state, or `noSlot`. */
  shift(): number {
    const { oldest } = this;
    const slot = this.#past.size > 0 && this.#past.delete(oldest) ? noSlot : this.slot(oldest);
    this.#endings[oldest & (this.#slots.length - 1)] = null;
    this.#length -= 1;
    return slot;
  }

  #grow(): void {
    const [slots, endings] = [this.#slots, this.#endings];
    const before = slots.length - 1;
    this.#slots = new Int32Array(2 * slots.length);
    this.#endings = new Array(2 * slots.length).fill(null);
    for (let number = this.oldest; number <= this.last; number++) {
      const place = number & (this.#slots.length - 1);
      this.#slots[place] = slots[number & before] as number;
      this.#endings[place] = endings[number & before] as Ending;
    }
  }
}
