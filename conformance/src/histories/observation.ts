import type { MempoolEvent, StoreEvent, TransactionPage } from 'mempool-core';
import { cursorOf } from 'mempool-core/backend';
import type { TestedPool } from '../case/tested-pool.ts';
import type { Model } from '../model/model.ts';
import { countsOf, placeOf, readable, take, timeless } from '../scenario/pool.ts';

type Reader = Pick<
  TestedPool,
  'status' | 'findInflight' | 'hasPending' | 'peekPending' | 'peekInflight' | 'dumpFinalized' | 'tip' | 'usage'
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
    store.status(hashes),
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

/** Delivered events in the form of the model, with the places of their cursors. */
export function eventsToCompare(events: readonly MempoolEvent[]): object[] {
  return events.map((event) => ({ ...event, cursor: placeOf(event.cursor) }));
}

/** The model's events as a store delivers them. */
export function delivered(events: readonly StoreEvent[]): object[] {
  return events.map((event) => ({ ...event, cursor: `e${event.eventSeq.toString(36)}` }));
}

/** Everything that can be read from a store, and all its events, without times. */
export async function observeWhole(store: TestedPool, hashes: readonly string[]): Promise<Record<string, unknown>> {
  const { lastEventSeq } = await store.usage();
  const events = lastEventSeq === 0 ? [] : await take(await store.subscribe({ after: 'origin' }), lastEventSeq);
  return timeless({ ...(await observe(store, hashes)), events: eventsToCompare(events) });
}

/** The result that `observeWhole` has for a store in the state of the model. */
export async function expectWhole(model: Model, hashes: readonly string[]): Promise<Record<string, unknown>> {
  return timeless({ ...(await observe(model, hashes)), events: delivered(model.eventsAfter(0)) });
}
