import type { EventPage } from 'mempool-core/backend';
import { fifo } from './fifo.ts';
import type { Mutant } from './mutant.ts';
import { stores } from './stores.ts';

function pages(id: string, change: (page: EventPage, after: number) => object | false): Mutant {
  return fifo.told(id, { readEvents: (page, { given: [after] }) => change(page, after) });
}

/** Reads events after another one. */
function asked(id: string, change: (after: number) => number): Mutant {
  return fifo.given(id, { readEvents: (after) => change(after) });
}

/** E3 and E4 below core's streams. */
export const eventLogMutants: readonly Mutant[] = [
  asked('resumes-with-a-duplicate', (after) => Math.max(0, after - 1)),
  pages('resumes-with-a-gap', ({ events }, after) => after > 0 && events.length > 1 && { events: events.slice(1) }),
  asked('resumes-at-a-call', (after) => after - (after % 100)),
  pages('a-thousand-events-only', ({ events, last }) => ({
    events: events.filter(({ eventSeq }) => eventSeq <= 1_000 || eventSeq % 7 > 0 || eventSeq === last),
  })),
  fifo.around('wakes-nobody', { onEvents: () => () => undefined }),
  fifo.around('wakes-the-first-reader-only', {
    onEvents: ({ pool, given: [listener], notes }) => {
      notes.count += 1;
      return notes.count === 1 ? pool.onEvents(listener) : () => undefined;
    },
  }),
  fifo.plant('one-end-stops-all', (_, { pool }) => {
    const stops: (() => void)[] = [];
    return {
      onEvents: (listener) => {
        stops.push(pool.onEvents(listener));
        return () => {
          for (const stop of stops.splice(0)) stop();
        };
      },
    };
  }),
  stores.opened('keeps-ten-events', (options) => ({ ...options, maxEvents: 10 })),
  stores.opened('keeps-half-the-events', ({ maxEvents = 100_000, ...options }) => ({
    ...options,
    maxEvents: Math.ceil(maxEvents / 2),
  })),
  pages('trimmed-silently', ({ oldest }, after) => ({ oldest: Math.min(oldest, after + 1) })),
  pages('one-missed-too-few', ({ oldest }, after) => oldest > after + 1 && { oldest: oldest - 1 }),
  pages('beyond-the-end-waits', ({ last }, after) => after < 2 ** 40 && after > last && { oldest: 1, last: after }),
  pages('trimmed-ends-the-stream', ({ oldest, last }, after) => {
    if (oldest > after + 1 && after < last) throw new Error('trimmed');
    return false;
  }),
];
