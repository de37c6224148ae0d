import type { BlockEvent, StoreEvent, TransactionEvent } from '../contract/events.ts';

/** What follows hash and seq in a transaction's event: the same for most events of a call, so that they share one. */
export type EventTail = Omit<TransactionEvent, 'eventSeq' | 'hash' | 'seq'> | BlockEvent;

/**
 * A stretch of the log, with room for all of it from the start: growing would copy it, and keep room that nobody uses.
 */
interface Chunk {
  readonly hashes: string[];
  readonly seqs: Float64Array;
  /** Places in `tails`. */
  readonly tailOf: Uint16Array;
  /** Each the first time that it follows another. */
  readonly tails: EventTail[];
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

function chunkOf(room: number): Chunk {
  return { hashes: new Array(room), seqs: new Float64Array(room), tailOf: new Uint16Array(room), tails: [] };
}

const noChunk: Chunk = chunkOf(0);

/**
 * The newest events of a pool in memory. A hundred thousand of them are kept, so an event is no object of its own but a place in
 * three arrays, two of them plain numbers; the hash is the string that the pool has anyway.
 */
export class EventSeries {
  readonly #chunks: Chunk[] = [];
  /** Events of the first chunk that are forgotten. */
  #head = 0;
  #length = 0;
  #open: Chunk = noChunk;
  /** Events of the open chunk. */
  #used: number = chunkEvents;
  #newest: EventTail | null = null;
  /** Number of the newest event; 0 before the first. */
  last = 0;

  /** Number of the oldest event kept; `last + 1` when there is none. */
  get oldest(): number {
    return this.last - this.#length + 1;
  }

  push(event: StoreEvent): void {
    if (event.kind === 'block') this.#add('', 0, event);
    else this.#add(event.hash, event.seq, this.#tailOf(event));
  }

  /** The event of a transaction that nobody knew and that became Pending. */
  pushArrival(hash: string, seq: number): void {
    this.pushOf(hash, seq, arrivalTail);
  }

  /** A transaction's event with what follows hash and seq made already. */
  pushOf(hash: string, seq: number, tail: EventTail): void {
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

  /** Copies of the events from a number on, at most `limit`. */
  page(number: number, limit: number): StoreEvent[] {
    const events: StoreEvent[] = [];
    const first = Math.max(number, this.oldest);
    const end = Math.min(this.last + 1, first + limit);
    for (let n = first; n < end; n++) events.push(this.#event(n));
    return events;
  }

  /** Copies of all. */
  *all(): Generator<StoreEvent, undefined> {
    for (let n = this.oldest; n <= this.last; n++) yield this.#event(n);
  }

  #add(hash: string, seq: number, tail: EventTail): void {
    this.last += 1;
    this.#length += 1;
    if (this.#used === chunkEvents) this.#begin();
    const { hashes, seqs, tailOf, tails } = this.#open;
    const at = this.#used++;
    hashes[at] = hash;
    seqs[at] = seq;
    if (tail !== this.#newest) tails.push(tail);
    tailOf[at] = tails.length - 1;
    this.#newest = tail;
  }

  #begin(): void {
    this.#open = chunkOf(chunkEvents);
    this.#chunks.push(this.#open);
    this.#used = 0;
    // It is the first of its chunk.
    this.#newest = null;
  }

  #tailOf(event: TransactionEvent): EventTail {
    if (this.#newest !== null && hasTail(event, this.#newest)) return this.#newest;
    const { eventSeq: _, hash: __, seq: ___, ...tail } = event;
    return tail;
  }

  #event(eventSeq: number): StoreEvent {
    const place = this.#head + eventSeq - this.oldest;
    const { hashes, seqs, tailOf, tails } = this.#chunks[Math.floor(place / chunkEvents)] as Chunk;
    const at = place % chunkEvents;
    const tail = tails[tailOf[at] as number] as EventTail;
    if (tail.kind === 'block') return { ...tail, eventSeq, point: { ...tail.point } };
    return eventOf(eventSeq, hashes[at] as string, seqs[at] as number, tail);
  }
}

/** Named one by one: a spread of the tail costs four times as much. */
function eventOf(eventSeq: number, hash: string, seq: number, tail: Exclude<EventTail, BlockEvent>): TransactionEvent {
  const { stage, previous, confirmations, nonConfirmations, point, reason } = tail;
  return {
    kind: 'transaction',
    eventSeq,
    hash,
    seq,
    stage,
    previous: copyPrevious(previous),
    confirmations,
    nonConfirmations,
    point: point && { slot: point.slot, hash: point.hash },
    reason,
  };
}

function copyPrevious({
  stage,
  confirmations,
  nonConfirmations,
}: TransactionEvent['previous']): TransactionEvent['previous'] {
  return { stage, confirmations, nonConfirmations };
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
