import type { BlockEvent, StoreEvent, TransactionEvent } from './events.ts';

/** What follows hash and seq in a transaction's event: the same for most events of a call, so that they share one. */
export type EventTail = Omit<TransactionEvent, 'eventSeq' | 'hash' | 'seq'> | BlockEvent;

/** A stretch of the log. Full ones are cut to size: growing arrays keep room that a pool of a million would pay for. */
interface Chunk {
  hashes: string[];
  seqs: number[];
  tails: EventTail[];
}

const arrivalTail: Exclude<EventTail, BlockEvent> = {
  kind: 'transaction',
  stage: 'Pending',
  previous: { stage: 'Unknown', confirmations: 0, nonConfirmations: 0 },
  confirmations: 0,
  nonConfirmations: 0,
  point: null,
  reason: null,
};

/** Of one that waited, or that nobody knew, and that was Dropped. */
export function droppedTail(stage: 'Pending' | 'Unknown', reason: string): EventTail {
  return { ...arrivalTail, stage: 'Dropped', previous: { stage, confirmations: 0, nonConfirmations: 0 }, reason };
}

const chunkEvents = 1_024;

/**
 * The newest events of a pool in memory. A hundred thousand of them are kept, so an event is no object of its own but a place in
 * three arrays; the hash is the string that the pool has anyway.
 */
export class EventSeries {
  #chunks: Chunk[] = [];
  /** Events of the first chunk that are forgotten. */
  #head = 0;
  #length = 0;
  #newest: EventTail | null = null;
  /** Number of the newest event; 0 before the first. */
  last = 0;

  /** Number of the oldest event kept; `last + 1` when there is none. */
  get oldest(): number {
    return this.last - this.#length + 1;
  }

  push(event: StoreEvent): void {
    this.last += 1;
    this.#length += 1;
    if (event.kind === 'block') this.#add('', 0, event);
    else this.#add(event.hash, event.seq, this.#tailOf(event));
  }

  /** The event of a transaction that nobody knew and that became Pending. */
  pushArrival(hash: string, seq: number): void {
    this.pushOf(hash, seq, arrivalTail);
  }

  /** A transaction's event with what follows hash and seq made already. */
  pushOf(hash: string, seq: number, tail: EventTail): void {
    this.last += 1;
    this.#length += 1;
    this.#add(hash, seq, tail);
  }

  /** Forgets the oldest beyond `size`. */
  trim(size: number): void {
    const excess = Math.max(0, this.#length - size);
    this.#length -= excess;
    this.#head += excess;
    const whole = Math.floor(this.#head / chunkEvents);
    if (whole === 0) return;
    this.#chunks.splice(0, whole);
    this.#head -= whole * chunkEvents;
  }

  /** Copies of the events from a number on. */
  *from(number: number): Generator<StoreEvent, undefined> {
    for (let n = Math.max(number, this.oldest); n <= this.last; n++) yield this.#event(n);
  }

  #add(hash: string, seq: number, tail: EventTail): void {
    const { hashes, seqs, tails } = this.#openChunk();
    hashes.push(hash);
    seqs.push(seq);
    tails.push(tail);
    this.#newest = tail;
  }

  #openChunk(): Chunk {
    const chunk = this.#chunks.at(-1);
    if (chunk !== undefined && chunk.tails.length < chunkEvents) return chunk;
    if (chunk !== undefined) {
      chunk.hashes = chunk.hashes.slice();
      chunk.seqs = chunk.seqs.slice();
      chunk.tails = chunk.tails.slice();
    }
    const next: Chunk = { hashes: [], seqs: [], tails: [] };
    this.#chunks.push(next);
    return next;
  }

  #tailOf(event: TransactionEvent): EventTail {
    if (this.#newest !== null && hasTail(event, this.#newest)) return this.#newest;
    const { eventSeq: _, hash: __, seq: ___, ...tail } = event;
    return tail;
  }

  #event(eventSeq: number): StoreEvent {
    const place = this.#head + eventSeq - this.oldest;
    const { hashes, seqs, tails } = this.#chunks[Math.floor(place / chunkEvents)] as Chunk;
    const at = place % chunkEvents;
    const tail = tails[at] as EventTail;
    if (tail.kind === 'block') return { ...tail, point: { ...tail.point } };
    const { previous, point } = tail;
    const hash = hashes[at] as string;
    const seq = seqs[at] as number;
    return { ...tail, eventSeq, hash, seq, previous: { ...previous }, point: point && { ...point } };
  }
}

function hasTail(event: TransactionEvent, tail: EventTail): boolean {
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
