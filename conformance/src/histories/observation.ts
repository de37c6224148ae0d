import type { MempoolEvent, MempoolStore, StoreEvent, TransactionPage } from 'mempool-core';
import { cursorOf } from 'mempool-core/backend';
import type { Model } from '../model/model.ts';
import { countsOf, placeOf, readable, take, timeless } from '../scenario/pool.ts';
import { assertSame } from './difference.ts';

type Reader = Pick<
  MempoolStore,
  'checkStatus' | 'findInflight' | 'hasPending' | 'peekPending' | 'peekInflight' | 'dumpFinalized' | 'tip' | 'usage'
>;

/** The same verbs, answering at once or later. */
type AnyReader = {
  [V in keyof Reader]: (...args: Parameters<Reader[V]>) => ReturnType<Reader[V]> | Awaited<ReturnType<Reader[V]>>;
};

export type EventReader = AsyncIterator<MempoolEvent, undefined>;

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
    pending: readablePage(pending),
    inflight: readablePage(inflight),
    tip: { ...tip, epoch: '' },
    usage,
    oldestInflight: (await store.usage()).oldestInflight,
    ends: await ends(store),
    log: await logPages(store),
  };
}

/** The ends of events and log. That of the gossip is another in a priority pool. */
async function ends(store: AnyReader): Promise<string[]> {
  const { events, log } = (await store.usage()).cursors;
  return [placeOf(events), placeOf(log)];
}

/** The log from its start, from its first number, and in pages. */
async function logPages(store: AnyReader): Promise<unknown[]> {
  const first = cursorOf('log', 1, (await store.tip()).epoch);
  const pages = [await store.dumpFinalized({ cursor: first, limit: 1 }), await store.dumpFinalized({ limit: 2 })];
  for (let last = pages.at(-1); last?.hasMore; last = pages.at(-1))
    pages.push(await store.dumpFinalized({ cursor: last.cursor, limit: 2 }));
  return pages.map((page) => ({ ...page, cursor: placeOf(page.cursor), entries: page.entries.map(readable) }));
}

function readablePage({ transactions, next }: TransactionPage): object {
  return { transactions: transactions.map(readable), next: placeOf(next) };
}

/** The next `count` events. */
export async function nextEvents(events: EventReader, count: number): Promise<MempoolEvent[]> {
  const told: MempoolEvent[] = [];
  while (told.length < count) {
    const { value } = await events.next();
    if (value === undefined) break;
    told.push(value);
  }
  return told;
}

/** Delivered events in the form of the model, with the places of their cursors. */
export function eventsToCompare(events: readonly MempoolEvent[]): object[] {
  return events.map((event) => ({ ...event, cursor: placeOf(event.cursor) }));
}

/** The model's events as a store delivers them. */
export function delivered(events: readonly StoreEvent[]): object[] {
  return events.map((event) => ({ ...event, cursor: `e${event.eventSeq.toString(36)}` }));
}

/** Everything that can be read from a store, and all its events, without times. */
export async function observeWhole(store: MempoolStore, hashes: readonly string[]): Promise<Record<string, unknown>> {
  const { lastEventSeq } = await store.usage();
  const events = lastEventSeq === 0 ? [] : await take(await store.subscribe({ after: 'origin' }), lastEventSeq);
  return timeless({ ...(await observe(store, hashes)), events: eventsToCompare(events) });
}

/** The result that `observeWhole` has for a store in the state of the model. */
export async function expectWhole(model: Model, hashes: readonly string[]): Promise<Record<string, unknown>> {
  return timeless({ ...(await observe(model, hashes)), events: delivered(model.eventsAfter(0)) });
}

/** Reads a new store's events from the first on, and compares the store with the model. */
export class Observer {
  readonly #store: MempoolStore;
  readonly #hashes: readonly string[];
  readonly #events: EventReader;
  #seen = 0;

  private constructor(store: MempoolStore, hashes: readonly string[], events: EventReader) {
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
    const told = await nextEvents(this.#events, due.length);
    assertSame(eventsToCompare(told), delivered(due), 'the events are not the ones due');
    this.#seen += due.length;
  }
}
