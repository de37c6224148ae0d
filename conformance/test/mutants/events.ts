import type { MempoolEvent, MempoolStore, SubscribeOptions } from 'mempool-core';
import type { EventPage, StepEvent } from 'mempool-core/backend';
import { fifo, numbered, type TransactionStep } from './fifo-operators.ts';
import type { Mutant } from './mutant.ts';
import { numberOf } from './page-operators.ts';
import type { PlantedDriver, WriteVerb } from './planted-driver.ts';
import { stores } from './store-operators.ts';

/** Puts the events of such calls in another order, numbered anew. */
function ordered(
  id: string,
  verbs: readonly WriteVerb[],
  order: (blocks: StepEvent[], others: StepEvent[]) => StepEvent[],
): Mutant {
  return fifo.decided(id, (step, verb) => {
    const { block = [], transaction = [] } = Object.groupBy(step.events, ({ kind }) => kind);
    return verbs.includes(verb) && numbered(step, order(block, transaction));
  });
}

/** An event of a transition told in another way. */
function telling(
  id: string,
  isMeant: (event: TransactionStep) => boolean,
  change: (event: TransactionStep, pool: PlantedDriver) => object | null,
): Mutant {
  return fifo.events(id, (event, _, pool) => (isMeant(event) ? change(event, pool) : false));
}

const between =
  (before: string | null, stage: string | null) =>
  (event: TransactionStep): boolean =>
    (before === null || event.previous.stage === before) && (stage === null || event.stage === stage);

const any = between(null, null);

/** Streams whose events are changed one by one. */
function streams(id: string, change: (event: MempoolEvent) => MempoolEvent[]): Mutant {
  return stores.around(id, {
    subscribe: async ({ store, given }) => changing(await store.subscribe(...given), change),
  });
}

export async function* changing(
  stream: AsyncIterable<MempoolEvent>,
  change: (event: MempoolEvent) => MempoolEvent[],
): AsyncGenerator<MempoolEvent> {
  for await (const event of stream) yield* change(event);
}

/** E1, E2, E5 and E6. */
export const eventMutants: readonly Mutant[] = [
  ordered('received-newest-first', ['receive'], (_, others) => others.reverse()),
  ...(['release', 'confirm', 'rollback'] as const).map((way) =>
    fifo.events(
      `return-by-${way}-told-as-arrival`,
      ({ stage }, verb) => verb === way && stage === 'Pending' && { cause: 'received' },
    ),
  ),
  ...(
    [
      ['marking', 'marked', 'released'],
      ['block', 'seen', 'block'],
      ['ageing', 'block', 'seen'],
      ['drop', 'dropped', 'failed'],
    ] as const
  ).map(([name, due, told]) =>
    telling(
      `${name}-told-as-${told}`,
      ({ cause }) => cause === due,
      () => ({ cause: told }),
    ),
  ),
  streams('stale-told-as-drop', (event) => {
    const isStale = event.kind === 'transaction' && event.reason === 'stale' && event.cause === 'block';
    return [isStale ? { ...event, cause: 'dropped' } : event];
  }),
  telling('own-reason-taken-for-a-word', any, ({ reason }) =>
    typeof reason === 'object' && reason?.app === 'stale' ? { reason: 'stale' } : {},
  ),
  telling('acknowledgement-not-announced', between(null, 'Acknowledged'), () => null),
  fifo.each('told-before-it-is-written', {
    checkStatus: ({ hash, stage }, { notes: { hashes } }) => {
      const isFirst = !hashes.has(hash);
      hashes.add(hash);
      return isFirst && stage !== 'Pending' && { stage: 'Unknown' };
    },
  }),
];

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

type Stream = AsyncIterable<MempoolEvent>;

function streaming(
  id: string,
  subscribe: (store: MempoolStore, options: SubscribeOptions) => Stream | Promise<Stream>,
) {
  return stores.around(id, { subscribe: async ({ store, given: [options = {}] }) => subscribe(store, options) });
}

/** A stream made of the store's, which is subscribed to at once. */
function relaying(id: string, relay: (stream: Stream) => Stream): Mutant {
  return streaming(id, async (store, options) => relay(await store.subscribe(options)));
}

/** Each event told as often as this says. */
function repeating(id: string, times: (event: MempoolEvent) => number): Mutant {
  return relaying(id, (stream) => changing(stream, (event) => Array(times(event)).fill(event)));
}

/** Without a way to end it early. */
function endless(stream: Stream): Stream {
  const iterator = stream[Symbol.asyncIterator]();
  return { [Symbol.asyncIterator]: () => ({ next: () => iterator.next() }) };
}

/** E3 and E4 above the event log. */
export const streamMutants: readonly Mutant[] = [
  streaming('subscribes-when-first-read', async (store, options) =>
    (async function* () {
      yield* await store.subscribe(options);
    })(),
  ),
  streaming('starts-at-the-first-event', (store, options) => store.subscribe({ after: 'origin', ...options })),
  streaming('after-is-ignored', (store, { signal }) => store.subscribe({ signal, after: 'origin' })),
  relaying('lagged-ends-the-stream', async function* (stream) {
    for await (const event of stream) {
      yield event;
      if (event.kind === 'lagged') return;
    }
  }),
  repeating('lagged-left-out', ({ kind }) => (kind === 'lagged' ? 0 : 1)),
  repeating('lagged-told-twice', ({ kind }) => (kind === 'lagged' ? 2 : 1)),
  streaming('loss-of-what-is-ahead-told-as-nothing', async (store, options) => {
    const { lastEventSeq } = await store.usage();
    const isAhead = numberOf('events', options.after) > lastEventSeq;
    return changing(await store.subscribe(options), (event) => [
      event.kind === 'lagged' && isAhead ? { ...event, missed: 0 } : event,
    ]);
  }),
  relaying('break-ends-nothing', endless),
  repeating('waits-for-the-next-event-to-end', () => 1),
  streaming('abort-ends-quietly', async (store, options) => {
    const stream = await store.subscribe(options);
    return (async function* () {
      try {
        yield* stream;
      } catch (error) {
        if (!options.signal?.aborted) throw error;
      }
    })();
  }),
  streaming('abort-after-what-is-there', async (store, { signal, ...options }) => {
    signal?.throwIfAborted();
    return endless(await store.subscribe(options));
  }),
  relaying('close-leaves-readers-waiting', (stream) => {
    const iterator = stream[Symbol.asyncIterator]();
    const never = new Promise<never>(() => undefined);
    const next = () => iterator.next().then((result) => (result.done ? never : result));
    return { [Symbol.asyncIterator]: () => ({ next, return: async () => iterator.return?.() ?? never }) };
  }),
  stores.plant('close-cuts-streams-off', (store) => {
    let closed = false;
    return {
      subscribe: async (options) => {
        const stream = await store.subscribe(options);
        return (async function* () {
          for await (const event of stream) {
            if (closed) return;
            yield event;
          }
        })();
      },
      close: () => {
        closed = true;
        return store.close();
      },
    };
  }),
  stores.plant('one-stream-per-store', (store) => {
    let stream: Promise<Stream> | undefined;
    return {
      subscribe: (options) => {
        stream ??= store.subscribe(options);
        return stream;
      },
    };
  }),
];
