import { EventStream } from '../../src/boundary/event-stream.ts';
import { MempoolError } from '../../src/contract/errors.ts';
import type { EventPage, EventSource, MempoolEvent, StoreEvent } from '../../src/contract/events.ts';

/** The numbered events of a store, as little of them as streams need. */
export class EventLog implements EventSource {
  #events: StoreEvent[] = [];
  #last = 0;
  #epoch = 'first';
  #failure: Error | null = null;
  readonly #damaged = new Set<number>();
  readonly listeners = new Set<() => void>();
  reads = 0;

  /** Writes `count` events in one commit. */
  commit(count: number): void {
    for (let i = 0; i < count; i++) {
      this.#last += 1;
      this.#events.push(blockEvent(this.#last));
    }
    this.wake();
  }

  wake(): void {
    for (const listener of this.listeners) listener();
  }

  /** Forgets all but the newest. */
  trim(kept: number): void {
    this.#events = this.#events.slice(this.#events.length - kept);
  }

  /** Begins again, as a store that lost its data does. */
  startOver(): void {
    this.#events = [];
    this.#last = 0;
    this.#epoch = 'second';
    this.wake();
  }

  /** Fails every read until called with `null`. */
  fail(failure: Error | null): void {
    this.#failure = failure;
  }

  /** Makes these events unreadable. */
  damage(...eventSeqs: readonly number[]): void {
    for (const eventSeq of eventSeqs) this.#damaged.add(eventSeq);
  }

  readEvents(after: number, limit: number): EventPage {
    this.reads += 1;
    if (this.#failure !== null) throw this.#failure;
    const oldest = this.#events[0]?.eventSeq ?? this.#last + 1;
    const events = this.#events.filter(({ eventSeq }) => eventSeq > after).slice(0, limit);
    if (events.some(({ eventSeq }) => this.#damaged.has(eventSeq)))
      throw new MempoolError('ERR_MEMPOOL_CORRUPT', 'the stored events are damaged');
    return { events, oldest, last: this.#last, epoch: this.#epoch };
  }

  onEvents(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

function blockEvent(eventSeq: number): StoreEvent {
  const point = { slot: eventSeq, hash: eventSeq.toString(16).padStart(64, '0') };
  return { kind: 'block', eventSeq, at: 1, action: 'applied', point, tick: eventSeq, nodeId: null, term: null };
}

export interface Reader {
  readonly log: EventLog;
  readonly stream: EventStream;
  readonly ended: boolean;
  read(count: number): Promise<(number | string)[]>;
}

interface Opening {
  readonly log?: EventLog;
  /** How many events the log has. */
  readonly committed?: number;
  readonly after?: number;
  readonly signal?: AbortSignal;
}

/** A stream on the log, and its events as numbers; `lagged` ones as text. */
export function open({ log = new EventLog(), committed = 0, after = 0, signal }: Opening = {}): Reader {
  if (committed > 0) log.commit(committed);
  let ended = false;
  const onEnd = (): void => {
    ended = true;
  };
  const stream = new EventStream(log, { after, epoch: log.readEvents(0, 1).epoch, rewinds: 0 }, signal, onEnd);
  const iterator = stream[Symbol.asyncIterator]();
  return {
    log,
    stream,
    get ended() {
      return ended;
    },
    async read(count) {
      const told: (number | string)[] = [];
      while (told.length < count) {
        const { value, done } = await iterator.next();
        told.push(done === true ? 'end' : name(value));
        if (done === true) break;
      }
      return told;
    },
  };
}

function name(event: MempoolEvent): number | string {
  return event.kind === 'lagged' ? `lagged ${event.missed}` : event.eventSeq;
}

export function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}
