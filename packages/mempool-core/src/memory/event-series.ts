import { sameReason } from '../contract/drop-reason.ts';
import type { ParkedEvent, ReadyEvent, StepEvent, StoreEvent, TransactionEvent } from '../contract/events.ts';

type BlockTail = Extract<StepEvent, { kind: 'block' }>;
type TransactionTail = Omit<TransactionEvent, 'eventSeq' | 'at' | 'hash' | 'seq' | 'receivedAt'>;

type PlaceTail = Pick<ReadyEvent, 'kind'> | Pick<ParkedEvent, 'kind' | 'reason'>;

/**
 * A block event, or an event of a transaction without its numbers and hash. Most events of a call share one such object.
 */
export type EventTail = TransactionTail | BlockTail | PlaceTail;

/**
 * A section of the event log. Its arrays have their full length from the start: growing would copy them and reserve
 * unused memory.
 */
interface Chunk {
  readonly hashes: string[];
  readonly seqs: Float64Array;
  /** For each event, the index of its tail in `tails`. */
  readonly tailOf: Uint16Array;
  /** A tail that equals the tail of the event before is not repeated, if both belong to one time. */
  readonly tails: EventTail[];
  /** For each tail, the time of the call; -1 if it is not known. */
  readonly times: number[];
  /** For each event, when its transaction was received: -1 if that is not known, 0 for the time of the call. */
  readonly received: Float64Array;
}

const readyTail: PlaceTail = { kind: 'ready' };
const parkedTails: Readonly<Record<ParkedEvent['reason'], PlaceTail>> = {
  held: { kind: 'parked', reason: 'held' },
  missing: { kind: 'parked', reason: 'missing' },
  'below-floor': { kind: 'parked', reason: 'below-floor' },
};

const unknownTime = -1;

const chunkEvents = 1_024;

function chunkOf(room: number): Chunk {
  return {
    hashes: new Array(room),
    seqs: new Float64Array(room),
    tailOf: new Uint16Array(room),
    tails: [],
    times: [],
    received: new Float64Array(room),
  };
}

const noChunk: Chunk = chunkOf(0);

/**
 * The newest events of a pool in memory, by default a hundred thousand. To save memory, an event is not an object but an
 * index into arrays. Most of them have plain numbers; one has the hash strings, which the pool keeps anyway.
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
  #newestTime: number = unknownTime;
  /** Number of the newest event; 0 before the first. */
  last = 0;
  /** The latest time of a call; 0 before the first. */
  lastAt = 0;

  /** Number of the oldest event kept; `last + 1` if none is kept. */
  get oldest(): number {
    return this.last - this.#length + 1;
  }

  /** Adds an event. `at` is the time of its call. */
  push(event: StepEvent, at: number): void {
    switch (event.kind) {
      case 'transaction':
        this.pushOf(event.hash, event.seq, this.#tailOf(event), event.receivedAt, at);
        break;
      case 'block':
        this.#add('', 0, event, at);
        break;
      case 'ready':
        this.#add(event.hash, event.seq, readyTail, at);
        break;
      case 'parked':
        this.#add(event.hash, event.seq, parkedTails[event.reason], at);
        break;
    }
  }

  /** Adds an event of a transaction whose tail exists already. */
  pushOf(hash: string, seq: number, tail: EventTail, receivedAt: number | null, at: number): void {
    this.#add(hash, seq, tail, at);
    // A new array has zeros.
    if (receivedAt !== 0) this.#open.received[this.#used - 1] = receivedAt ?? unknownTime;
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

  #add(hash: string, seq: number, tail: EventTail, time: number): void {
    this.last += 1;
    this.#length += 1;
    if (this.#used === chunkEvents) this.#begin();
    const { hashes, seqs, tailOf, tails } = this.#open;
    const place = this.#used++;
    hashes[place] = hash;
    seqs[place] = seq;
    if (tail !== this.#newest || time !== this.#newestTime) this.#addTail(tail, time);
    tailOf[place] = tails.length - 1;
  }

  #addTail(tail: EventTail, time: number): void {
    const { tails, times } = this.#open;
    tails.push(tail);
    times.push(time);
    this.#newest = tail;
    this.#newestTime = time;
    if (time > this.lastAt) this.lastAt = time;
  }

  #begin(): void {
    this.#open = chunkOf(chunkEvents);
    this.#chunks.push(this.#open);
    this.#used = 0;
    // The first event of a chunk always adds its tail.
    this.#newest = null;
  }

  #tailOf(event: Extract<StepEvent, { kind: 'transaction' }>): EventTail {
    if (this.#newest !== null && hasTail(event, this.#newest)) return this.#newest;
    const { eventSeq: _, hash: __, seq: ___, receivedAt: ____, ...tail } = event;
    return tail;
  }

  #event(eventSeq: number): StoreEvent {
    const place = this.#head + eventSeq - this.oldest;
    const { hashes, seqs, tailOf, tails, times, received } = this.#chunks[Math.floor(place / chunkEvents)] as Chunk;
    const index = place % chunkEvents;
    const which = tailOf[index] as number;
    const tail = tails[which] as EventTail;
    const at = times[which] as number;
    if (tail.kind === 'block') return { ...tail, eventSeq, at, point: { ...tail.point } };
    const [hash, seq] = [hashes[index] as string, seqs[index] as number];
    if (tail.kind !== 'transaction') return { ...tail, eventSeq, at, hash, seq };
    const arrived = received[index] as number;
    const receivedAt = arrived === 0 ? at : arrived === unknownTime ? null : arrived;
    return eventOf({ eventSeq, at, hash, seq, receivedAt }, tail);
  }
}

/** Names the fields: a spread of the tail costs four times as much. */
function eventOf(
  { eventSeq, at, hash, seq, receivedAt }: Pick<TransactionEvent, 'eventSeq' | 'at' | 'hash' | 'seq' | 'receivedAt'>,
  { stage, cause, previous, confirmations, nonConfirmations, point, reason, attempts, replacedBy }: TransactionTail,
): TransactionEvent {
  const event: TransactionEvent = {
    kind: 'transaction',
    eventSeq,
    at,
    hash,
    seq,
    stage,
    cause,
    previous: copyPrevious(previous),
    confirmations,
    nonConfirmations,
    point: point && { slot: point.slot, hash: point.hash },
    reason: typeof reason === 'object' ? reason && { ...reason } : reason,
    attempts,
    receivedAt,
  };
  return replacedBy === undefined ? event : { ...event, replacedBy };
}

function copyPrevious({
  stage,
  confirmations,
  nonConfirmations,
}: TransactionEvent['previous']): TransactionEvent['previous'] {
  return { stage, confirmations, nonConfirmations };
}

function hasTail(event: Extract<StepEvent, { kind: 'transaction' }>, tail: EventTail): boolean {
  return (
    tail.kind === 'transaction' &&
    tail.stage === event.stage &&
    tail.cause === event.cause &&
    tail.attempts === event.attempts &&
    tail.replacedBy === event.replacedBy &&
    tail.confirmations === event.confirmations &&
    tail.nonConfirmations === event.nonConfirmations &&
    tail.point === event.point &&
    sameReason(tail.reason, event.reason) &&
    hasPrevious(event.previous, tail.previous)
  );
}

function hasPrevious(a: TransactionEvent['previous'], b: TransactionEvent['previous']): boolean {
  if (a === b) return true;
  return a.stage === b.stage && a.confirmations === b.confirmations && a.nonConfirmations === b.nonConfirmations;
}
