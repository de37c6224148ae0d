import type { MempoolStore, StoreEvent } from 'mempool-core';
import type { Answer } from '../../case/call.ts';
import type { PoolDump } from '../../model/priority/entry.ts';
import type { PriorityModel } from '../../model/priority/model.ts';
import { assertSame } from '../difference.ts';
import type { PriorityCall } from './call.ts';
import { assertInvariants } from './invariants.ts';
import { observePriority } from './observation.ts';

/** How often, in calls, everything is read; the dump and the events are after each. */
const readEvery = 11;

/** Watches a priority pool from its beginning and compares it with the model. */
export class PriorityWatch {
  readonly #store: MempoolStore;
  readonly #hashes: readonly string[];
  readonly #events: AsyncIterator<unknown>;
  #before: PoolDump;
  #seen = 0;
  #calls = 0;

  private constructor(
    store: MempoolStore,
    hashes: readonly string[],
    { before, events }: { readonly before: PoolDump; readonly events: AsyncIterator<unknown> },
  ) {
    this.#store = store;
    this.#hashes = hashes;
    this.#before = before;
    this.#events = events;
  }

  static async start(
    store: MempoolStore,
    hashes: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<PriorityWatch> {
    const stream = await store.subscribe({ signal });
    const before = await store.dump();
    return new PriorityWatch(store, hashes, { before, events: stream[Symbol.asyncIterator]() });
  }

  /** @throws AssertionError */
  async compare(model: PriorityModel, call: PriorityCall, answer: Answer): Promise<void> {
    const reader = model.reader();
    const after = await this.#store.dump();
    assertSame(after, reader.dump(), 'the dump is not the one due');
    const events = await this.#newEvents(model.eventsAfter(this.#seen));
    assertInvariants({ call, answer, before: this.#before, after, events });
    this.#before = after;
    if (this.#calls++ % readEvery !== 0) return;
    const [told, due] = await Promise.all([
      observePriority(this.#store, this.#hashes),
      observePriority(reader, this.#hashes),
    ]);
    assertSame(told, due, 'what can be read is not what is due');
    const readyHashes = after.order.slice(0, after.order.length - after.totals.parked);
    const reaped = (await this.#store.reap({})).map(({ hash }) => hash);
    assertSame(reaped, readyHashes, 'reap is not the beginning of the order');
  }

  async #newEvents(due: readonly StoreEvent[]): Promise<readonly StoreEvent[]> {
    const told: unknown[] = [];
    while (told.length < due.length) told.push((await this.#events.next()).value);
    assertSame(told, due, 'the events are not the ones due');
    this.#seen += due.length;
    return due;
  }
}
