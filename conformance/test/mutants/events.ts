import type { MempoolEvent, SubscribeOptions } from 'mempool-core';
import type { TestedPool } from '../../src/case/tested-pool.ts';
import { fifo, type TransactionStep } from './fifo-operators.ts';
import type { Mutant } from './mutant.ts';
import type { PlantedDriver } from './planted-driver.ts';
import { stores } from './store-operators.ts';

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
  streams('stale-told-as-drop', (event) => {
    const isStale = event.kind === 'transaction' && event.reason === 'stale' && event.cause === 'block';
    return [isStale ? { ...event, cause: 'dropped' } : event];
  }),
  telling('own-reason-taken-for-a-word', any, ({ reason }) =>
    typeof reason === 'object' && reason?.app === 'stale' ? { reason: 'stale' } : {},
  ),
  telling('acknowledgement-not-announced', between(null, 'Acknowledged'), () => null),
];

/** E3 and E4 below core's streams. */
export const eventLogMutants: readonly Mutant[] = [
  fifo.around('wakes-nobody', { onEvents: () => () => undefined }),
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
];

type Stream = AsyncIterable<MempoolEvent>;

function streaming(id: string, subscribe: (store: TestedPool, options: SubscribeOptions) => Stream | Promise<Stream>) {
  return stores.around(id, { subscribe: async ({ store, given: [options = {}] }) => subscribe(store, options) });
}

/** A stream made of the store's, which is subscribed to at once. */
function relaying(id: string, relay: (stream: Stream) => Stream): Mutant {
  return streaming(id, async (store, options) => relay(await store.subscribe(options)));
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
  streaming('after-is-ignored', (store, { signal }) => store.subscribe({ signal, after: 'origin' })),
  relaying('lagged-ends-the-stream', async function* (stream) {
    for await (const event of stream) {
      yield event;
      if (event.kind === 'lagged') return;
    }
  }),
  streaming('abort-after-what-is-there', async (store, { signal, ...options }) => {
    signal?.throwIfAborted();
    return endless(await store.subscribe(options));
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
