import type { MempoolEvent, MempoolStore, SubscribeOptions } from 'mempool-core';
import { handed, type Mutant } from './mutant.ts';

type Subscribe = (
  store: MempoolStore,
  options: SubscribeOptions,
) => AsyncIterable<MempoolEvent> | Promise<AsyncIterable<MempoolEvent>>;

function streaming(id: string, subscribe: Subscribe): Mutant {
  return handed(id, (store) => ({ subscribe: async (options = {}) => subscribe(store, options) }));
}

/** A stream made of the store's, which is subscribed to at once. */
function relaying(id: string, relay: (stream: AsyncIterable<MempoolEvent>) => AsyncIterable<MempoolEvent>): Mutant {
  return streaming(id, async (store, options) => relay(await store.subscribe(options)));
}

/** Without a way to end it early. */
function endless(iterator: AsyncIterator<MempoolEvent>): AsyncIterable<MempoolEvent> {
  return { [Symbol.asyncIterator]: () => ({ next: () => iterator.next() }) };
}

/** E3 and E4 above the event log. */
export const streamMutants: readonly Mutant[] = [
  streaming('subscribes-when-first-read', async (store, options) => ({
    async *[Symbol.asyncIterator]() {
      yield* await store.subscribe(options);
    },
  })),
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
  relaying('lagged-left-out', async function* (stream) {
    for await (const event of stream) if (event.kind !== 'lagged') yield event;
  }),
  relaying('lagged-told-twice', async function* (stream) {
    for await (const event of stream) {
      yield event;
      if (event.kind === 'lagged') yield event;
    }
  }),
  streaming('loss-of-what-is-ahead-told-as-nothing', async (store, options) => {
    const { lastEventSeq } = await store.usage();
    const stream = await store.subscribe(options);
    if ((options.after ?? 0) <= lastEventSeq) return stream;
    return (async function* () {
      for await (const event of stream) yield event.kind === 'lagged' ? { ...event, missed: 0 } : event;
    })();
  }),
  relaying('break-ends-nothing', (stream) => endless(stream[Symbol.asyncIterator]())),
  relaying('waits-for-the-next-event-to-end', async function* (stream) {
    for await (const event of stream) yield event;
  }),
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
    return endless((await store.subscribe(options))[Symbol.asyncIterator]());
  }),
  relaying('close-leaves-readers-waiting', (stream) => {
    const iterator = stream[Symbol.asyncIterator]();
    const never = new Promise<never>(() => undefined);
    const next = () => iterator.next().then((result) => (result.done ? never : result));
    return { [Symbol.asyncIterator]: () => ({ next, return: async () => iterator.return?.() ?? never }) };
  }),
  handed('close-cuts-streams-off', (store) => {
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
  handed('one-stream-per-store', (store) => {
    let stream: Promise<AsyncIterable<MempoolEvent>> | undefined;
    return {
      subscribe: (options) => {
        stream ??= store.subscribe(options);
        return stream;
      },
    };
  }),
];
