import type { BlockEvent, StoreEvent, TransactionEvent } from '../contract/events.ts';

/** A transaction event without its numbers and hash, or a block event. Most events of a call share one such object. */
export type EventTail = Omit<TransactionEvent, 'eventSeq' | 'hash' | 'seq'> | BlockEvent;

/**
 * A section of the event log. Its arrays have their full length from the start: growing would copy them and reserve
 * unused memory.
 */
interface Chunk {
  readonly hashes: string[];
  readonly seqs: Float64Array;
  /** For each event, the index of its tail in `tails`. */
  readonly tailOf: Uint16Array;
  /** A tail that equals the tail of the event before is not repeated. */
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

/** The tail of a Pending or unknown transaction that is Dropped. */
export function droppedTail(stage: 'Pending' | 'Unknown', reason: string): EventTail {
  return { ...arrivalTail, stage: 'Dropped', previous: { stage, confirmations: 0, nonConfirmations: 0 }, reason };
}

const chunkEvents = 1_024;

function chunkOf(room: number): Chunk {
  return { hashes: new Array(room), seqs: new Float64Array(room), tailOf: new Uint16Array(room), tails: [] };
}

const noChunk: Chunk = chunkOf(0);

/**
 * The newest events of a pool in memory. It keeps a hundred thousand of them, so an event is no object but an index
 * into three arrays. Two of them have plain numbers, and the third has the hash strings that the pool has anyway.
 */
export class EventSeries {
  readonly #chunks: Chunk[] = [];
  /** Number of trimmed events in the first chunk. */
  #head = 0;
  #length = 0;
  #open: Chunk = noChunk;
  /** Number of events in the open chunk. */
  #used: number = chunkEvents;
  #newest: EventTail | null = null;
  /** Number of the newest event; 0 before the first. */
  last = 0;

  /** Number of the oldest event kept; `last + 1` if none is kept. */
  get oldest(): number {
    return this.last - this.#length + 1;
  }

  push(event: StoreEvent): void {
    if (event.kind === 'block') this.#add('', 0, event);
    else this.#add(event.hash, event.seq, this.#tailOf(event));
  }

  /** Adds the event of an unknown transaction that became Pending. */
  pushArrival(hash: string, seq: number): void {
    this.pushOf(hash, seq, arrivalTail);
  }

  /** Adds an event of a transaction whose tail exists already. */
  pushOf(hash: string, seq: number, tail: EventTail): void {
    this.#add(hash, seq, tail);
  }

  /** Removes the oldest events beyond `size`. */
  trim(size: number): void {
    const excess = Math.max(0, this.#length - size);
    this.#length -= excess;
    this.#head += excess;
    const whole = Math.floor(this.#head / chunkEvents);
    if (whole === 0) return;
    this.#chunks.splice(0, whole);
    this.#head -= whole * chunkEvents;
  }

  /** Copies of at most `limit` events, from this number on. */
  page(number: number, limit: number): StoreEvent[] {
    const events: StoreEvent[] = [];
    const first = Math.max(number, this.oldest);
    const end = Math.min(this.last + 1, first + limit);
    for (let n = first; n < end; n++) events.push(this.#event(n));
    return events;
  }

  /** Copies of all events. */
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
    // The first event of a chunk always adds its tail.
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

/** Names the fields: a spread of the tail costs four times as much. */
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
