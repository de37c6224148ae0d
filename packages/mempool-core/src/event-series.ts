import type { BlockEvent, StoreEvent, TransactionEvent } from './events.ts';

/** What follows hash and seq in a transaction's event: the same for most events of a call, so that they share one. */
type Tail = Omit<TransactionEvent, 'eventSeq' | 'hash' | 'seq'> | BlockEvent;

const slack = 1_024;

/**
 * The newest events of a pool in memory. A hundred thousand of them are kept, so an event is no object of its own but a place in
 * three arrays; the hash is the string that the pool has anyway.
 */
export class EventSeries {
  #hashes: string[] = [];
  #seqs: number[] = [];
  #tails: Tail[] = [];
  #head = 0;
  /** Number of the newest event; 0 before the first. */
  last = 0;

  /** Number of the oldest event kept; `last + 1` when there is none. */
  get oldest(): number {
    return this.last - this.#length + 1;
  }

  get #length(): number {
    return this.#tails.length - this.#head;
  }

  push(event: StoreEvent): void {
    this.last += 1;
    if (event.kind === 'block') this.#add('', 0, event);
    else this.#add(event.hash, event.seq, this.#tailOf(event));
  }

  /** Forgets the oldest beyond `size`. Their room is freed now and then, so that each costs little. */
  trim(size: number): void {
    this.#head += Math.max(0, this.#length - size);
    if (this.#head <= slack + this.#length) return;
    this.#hashes = this.#hashes.slice(this.#head);
    this.#seqs = this.#seqs.slice(this.#head);
    this.#tails = this.#tails.slice(this.#head);
    this.#head = 0;
  }

  /** Copies of the events from a number on. */
  *from(number: number): Generator<StoreEvent, undefined> {
    for (let n = Math.max(number, this.oldest); n <= this.last; n++) yield this.#event(n);
  }

  #add(hash: string, seq: number, tail: Tail): void {
    this.#hashes.push(hash);
    this.#seqs.push(seq);
    this.#tails.push(tail);
  }

  #tailOf(event: TransactionEvent): Tail {
    const newest = this.#tails.at(-1);
    if (newest !== undefined && hasTail(event, newest)) return newest;
    const { eventSeq: _, hash: __, seq: ___, ...tail } = event;
    return tail;
  }

  #event(eventSeq: number): StoreEvent {
    const at = this.#tails.length - 1 - (this.last - eventSeq);
    const tail = this.#tails[at] as Tail;
    if (tail.kind === 'block') return { ...tail, point: { ...tail.point } };
    const { previous, point } = tail;
    const hash = this.#hashes[at] as string;
    const seq = this.#seqs[at] as number;
    return { ...tail, eventSeq, hash, seq, previous: { ...previous }, point: point && { ...point } };
  }
}

function hasTail(event: TransactionEvent, tail: Tail): boolean {
  return (
    tail.kind === 'transaction' &&
    tail.stage === event.stage &&
    tail.confirmations === event.confirmations &&
    tail.nonConfirmations === event.nonConfirmations &&
    tail.point === event.point &&
    tail.reason === event.reason &&
    hasPrevious(event.previous, tail.previous)
  );
}

function hasPrevious(a: TransactionEvent['previous'], b: TransactionEvent['previous']): boolean {
  if (a === b) return true;
  return a.stage === b.stage && a.confirmations === b.confirmations && a.nonConfirmations === b.nonConfirmations;
}
