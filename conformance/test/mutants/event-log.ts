import type { EventPage } from 'mempool-core';
import { answered, type Mutant, opened } from './mutant.ts';
import type { PlantedDriver } from './planted-driver.ts';

type ReadEvents = (after: number, limit: number) => EventPage;

function readingEvents(
  id: string,
  alter: (read: ReadEvents, after: number, limit: number, pool: PlantedDriver) => EventPage,
): Mutant {
  return answered(id, (pool) => ({
    readEvents: (after, limit) => alter((...range) => pool.readEvents(...range), after, limit, pool),
  }));
}

/** E3 and E4 below core's streams. */
export const eventLogMutants: readonly Mutant[] = [
  readingEvents('resumes-with-a-duplicate', (read, after, limit) => read(Math.max(0, after - 1), limit)),
  readingEvents('resumes-with-a-gap', (read, after, limit) => {
    const page = read(after, limit);
    return after > 0 && page.events.length > 1 ? { ...page, events: page.events.slice(1) } : page;
  }),
  readingEvents('resumes-at-a-call', (read, after, limit) =>
    after % 100 === 0 ? read(after, limit) : read(after - (after % 100), limit),
  ),
  readingEvents('a-thousand-events-only', (read, after, limit) => {
    const page = read(after, limit);
    const { last } = page;
    return {
      ...page,
      events: page.events.filter(({ eventSeq }) => eventSeq <= 1_000 || eventSeq % 7 > 0 || eventSeq === last),
    };
  }),
  answered('wakes-nobody', () => ({ onEvents: () => () => undefined })),
  answered('wakes-the-first-reader-only', (pool) => {
    let readers = 0;
    return { onEvents: (listener) => (readers++ === 0 ? pool.onEvents(listener) : () => undefined) };
  }),
  answered('one-end-stops-all', (pool) => {
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
  opened('keeps-ten-events', (options) => ({ ...options, maxEvents: 10 })),
  opened('keeps-half-the-events', ({ maxEvents = 100_000, ...options }) => ({
    ...options,
    maxEvents: Math.ceil(maxEvents / 2),
  })),
  readingEvents('trimmed-silently', (read, after, limit) => {
    const page = read(after, limit);
    return { ...page, oldest: Math.min(page.oldest, after + 1) };
  }),
  readingEvents('one-missed-too-few', (read, after, limit) => {
    const page = read(after, limit);
    return page.oldest > after + 1 ? { ...page, oldest: page.oldest - 1 } : page;
  }),
  readingEvents('beyond-the-end-waits', (read, after, limit) => {
    const page = read(after, limit);
    return after < 2 ** 40 && after > page.last ? { ...page, oldest: 1, last: after } : page;
  }),
  readingEvents('trimmed-ends-the-stream', (read, after, limit) => {
    const page = read(after, limit);
    if (page.oldest > after + 1 && after < page.last) throw new Error('trimmed');
    return page;
  }),
];
