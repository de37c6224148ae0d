import { EventStream } from '../../src/boundary/event-stream.ts';
import type { MempoolEvent } from '../../src/contract/events.ts';
import type { EventLog } from './event-log.ts';

export interface Reader {
  readonly stream: EventStream;
  readonly ended: boolean;
  read(count: number): Promise<(number | string)[]>;
}

/** A stream on the log, and its events as numbers; `lagged` ones as text. */
export function open(log: EventLog, after = 0, signal?: AbortSignal): Reader {
  let ended = false;
  const onEnd = (): void => {
    ended = true;
  };
  const stream = new EventStream(log, { after, epoch: log.readEvents(0, 1).epoch }, signal, onEnd);
  const iterator = stream[Symbol.asyncIterator]();
  return {
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
