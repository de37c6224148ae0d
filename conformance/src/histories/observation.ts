import type { MempoolStore } from 'mempool-core';
import type { Model } from '../model/model.ts';
import { countsOf, readable, take } from '../scenario/pool.ts';
import { assertSame } from './difference.ts';

type Reader = Pick<
  MempoolStore,
  'checkStatus' | 'findInflight' | 'hasPending' | 'peekPending' | 'peekInflight' | 'dumpFinalized' | 'tip' | 'usage'
>;

/** The same verbs, answering at once or later. */
type AnyReader = {
  [V in keyof Reader]: (...args: Parameters<Reader[V]>) => ReturnType<Reader[V]> | Awaited<ReturnType<Reader[V]>>;
};

/** More than the blocks and log entries that a history keeps. */
const all = 1_000;

/** Everything that can be read from a store, as values that can be compared. */
export async function observe(store: AnyReader, hashes: readonly string[]): Promise<Record<string, unknown>> {
  const [statuses, found, hasPending, pending, inflight, tip, usage] = await Promise.all([
    store.checkStatus(hashes),
    store.findInflight(hashes),
    store.hasPending(),
    store.peekPending({ limit: all }),
    store.peekInflight({ limit: all }),
    store.tip({ points: all }),
    countsOf(store),
  ]);
  return {
    statuses,
    found: found.map((record) => record && readable(record)),
    hasPending,
    pending: pending.map(readable),
    inflight: inflight.map(readable),
    tip,
    usage,
    log: await logPages(store),
  };
}

/** The log from its start, from its first number, and in pages. */
async function logPages(store: AnyReader): Promise<unknown[]> {
  const pages = [await store.dumpFinalized({ cursor: 1, limit: 1 }), await store.dumpFinalized({ limit: 2 })];
  for (let last = pages.at(-1); last?.hasMore; last = pages.at(-1))
    pages.push(await store.dumpFinalized({ cursor: last.cursor, limit: 2 }));
  return pages.map((page) => ({ ...page, entries: page.entries.map(readable) }));
}

/** Everything that can be read from a store, and all its events. */
export async function observeWhole(store: MempoolStore, hashes: readonly string[]): Promise<Record<string, unknown>> {
  const { lastEventSeq } = await store.usage();
  const events = lastEventSeq === 0 ? [] : await take(await store.subscribe({ after: 0 }), lastEventSeq);
  return { ...(await observe(store, hashes)), events };
}

/** The result that `observeWhole` has for a store in the state of the model. */
export async function expectWhole(model: Model, hashes: readonly string[]): Promise<Record<string, unknown>> {
  return { ...(await observe(model, hashes)), events: model.eventsAfter(0) };
}

/** Reads a new store's events from the first on, and compares the store with the model. */
export class Observer {
  readonly #store: MempoolStore;
  readonly #hashes: readonly string[];
  readonly #events: AsyncIterator<unknown>;
  #seen = 0;

  private constructor(store: MempoolStore, hashes: readonly string[], events: AsyncIterator<unknown>) {
    this.#store = store;
    this.#hashes = hashes;
    this.#events = events;
  }

  static async start(
    store: MempoolStore,
    hashes: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<Observer> {
    const stream = await store.subscribe({ signal });
    return new Observer(store, hashes, stream[Symbol.asyncIterator]());
  }

  /** @throws AssertionError */
  async compare(model: Model): Promise<void> {
    const answers = await Promise.all([observe(this.#store, this.#hashes), observe(model, this.#hashes)]);
    assertSame(...answers, 'what can be read is not what is due');
    const due = model.eventsAfter(this.#seen);
    const told: unknown[] = [];
    while (told.length < due.length) told.push((await this.#events.next()).value);
    assertSame(told, due, 'the events are not the ones due');
    this.#seen += due.length;
  }
}
