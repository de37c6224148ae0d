import type { MempoolEvent, MempoolStore, SubscribeOptions } from 'mempool-core';
import type { Mutant } from './mutant.ts';
import { stores } from './stores.ts';

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
  return relaying(id, async function* (stream) {
    for await (const event of stream) for (let left = times(event); left > 0; left--) yield event;
  });
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
  streaming('starts-at-the-first-event', (store, options) => store.subscribe({ after: 0, ...options })),
  streaming('after-is-ignored', (store, { signal, after = 0 }) =>
    store.subscribe({ signal, after: Math.min(after, 0) }),
  ),
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
    const stream = await store.subscribe(options);
    if ((options.after ?? 0) <= lastEventSeq) return stream;
    return (async function* () {
      for await (const event of stream) yield event.kind === 'lagged' ? { ...event, missed: 0 } : event;
    })();
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
