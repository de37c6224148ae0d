import { setImmediate } from 'node:timers/promises';
import type { BlockEvent, Mempool, PlaceEvent, Transaction, TransactionEvent, TransactionPage } from 'mempool-core';
import { EventFeed } from '../http/event-feed.ts';
import type { EventHub } from '../http/event-hub.ts';
import { busy } from '../http/problem.ts';
import type { SharedParts } from '../http/shared-parts.ts';
import { SeqOrder } from './seq-order.ts';

/** Nobody has asked for so long: the list is given up, and made again at the next request. */
const idleMs = 300_000;
/** A page has payloads too, which may be large. */
const pageSize = 200;
const maxAttempts = 3;
/** So many payloads are in memory at once to learn their sizes. */
const payloadSlice = 50;

/**
 * The transactions that wait for a block (Pending, Propagated, Acknowledged), by arrival, for protocols with numbered
 * pages. The store can only read pages in sequence. So the first request reads the pool once, and from then on the list
 * follows the events. It has hashes and sizes but no payloads, and uses about 200 bytes for each transaction.
 */
export class WaitingList {
  static readonly #lists = new WeakMap<EventHub, WaitingList>();
  readonly #parts: Pick<SharedParts, 'pool' | 'hub'>;
  #following: Promise<Following> | null = null;
  #weighing: Promise<void> | null = null;
  #idle: NodeJS.Timeout | null = null;

  private constructor(parts: Pick<SharedParts, 'pool' | 'hub'>) {
    this.#parts = parts;
  }

  /** Returns the list of a server. All its edges share one. */
  static of(parts: Pick<SharedParts, 'pool' | 'hub'>): WaitingList {
    const known = WaitingList.#lists.get(parts.hub);
    if (known !== undefined) return known;
    const list = new WaitingList(parts);
    WaitingList.#lists.set(parts.hub, list);
    return list;
  }

  /**
   * Returns the list, which includes all commits of the store before the call.
   * @throws the pool's error; `Problem` 503 if the server stops or the events come too fast
   */
  async current(): Promise<SeqOrder> {
    this.#rest();
    // Events may be lost, or come faster than the list takes them: then it is read anew.
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const order = await this.#caughtUp();
      if (order !== null) return order;
    }
    throw busy('The list of waiting transactions is read anew.');
  }

  /** Does the same as `current`, with all sizes. It reads the payloads of those that arrived since. @throws the errors of `current` */
  async weighed(): Promise<SeqOrder> {
    const order = await this.current();
    // A call that shares the work of an earlier one may have newcomers left.
    for (let attempt = 0; attempt < maxAttempts && !order.isWeighed; attempt++) {
      this.#weighing ??= this.#weigh(order).finally(() => {
        this.#weighing = null;
      });
      await this.#weighing;
    }
    return order;
  }

  async #weigh(order: SeqOrder): Promise<void> {
    const hashes = order.unweighed();
    for (let i = 0; i < hashes.length; i += payloadSlice) {
      const part = hashes.slice(i, i + payloadSlice);
      const found = await this.#parts.pool.payloads(part);
      // One that has left the pool meanwhile leaves the list with its event.
      for (const [k, hash] of part.entries()) order.weigh(hash, sizeOf(found[k]));
      await setImmediate();
    }
  }

  async #caughtUp(): Promise<SeqOrder | null> {
    this.#following ??= this.#begin();
    const begun = this.#following;
    const following = await begun;
    const { lastEventSeq } = await this.#parts.pool.usage();
    if (await following.reach(lastEventSeq)) return following.order;
    if (this.#following === begun) this.#following = null;
    return null;
  }

  #begin(): Promise<Following> {
    const { pool, hub } = this.#parts;
    const following = Following.start(pool, (signal) => EventFeed.open(hub, signal));
    const forget = (): void => {
      if (this.#following === following) this.#following = null;
    };
    following.then(({ ended }) => ended.then(forget), forget);
    return following;
  }

  #rest(): void {
    this.#idle ??= setTimeout(() => {
      this.#idle = null;
      this.#following?.then((following) => following.stop()).catch(() => undefined);
      this.#following = null;
    }, idleMs).unref();
    this.#idle.refresh();
  }
}

function sizeOf(found: Transaction | null | undefined): number {
  return found?.payload.length ?? 0;
}

type Page = (after: string) => Promise<TransactionPage>;

/**
 * The pages of what is Pending. No event tells that a transaction is parked, or is ready now. So the parked ones are read
 * before and after the ready ones: one that moves in between, either way, is found.
 */
function pendingPages(pool: Mempool): Page[] {
  const ready: Page = (after) => pool.peekPending({ after, limit: pageSize });
  if (pool.ordering === 'fifo') return [ready];
  const parked: Page = (after) => pool.peekParked({ after, limit: pageSize });
  return [parked, ready, parked];
}

type OpenFeed = (signal: AbortSignal) => Promise<EventFeed>;

/** One list, for as long as its events come without a gap. */
class Following {
  readonly order = new SeqOrder();
  /** Resolves when the list is no longer updated. */
  readonly ended: Promise<void>;
  readonly #leaving = new AbortController();
  /** The hashes that events have told of while the pages are read: their state is newer than that of a page. */
  #told: Set<string> | null = new Set();
  /** What the pages say is at least as new as this event. */
  readonly #from: number;
  #reached: number;
  #isEnded = false;
  #waiters: (() => void)[] = [];

  private constructor(feed: EventFeed, leaving: AbortController, reached: number) {
    this.#leaving = leaving;
    this.#from = reached;
    this.#reached = reached;
    this.ended = this.#follow(feed).finally(() => {
      this.#isEnded = true;
      this.#wake();
    });
  }

  static async start(pool: Mempool, open: OpenFeed): Promise<Following> {
    const leaving = new AbortController();
    const feed = await open(leaving.signal);
    try {
      // Whatever is committed after this is an event of the feed, which may begin with older ones.
      const { lastEventSeq } = await pool.usage();
      const following = new Following(feed, leaving, lastEventSeq);
      for (const page of pendingPages(pool)) await following.#read(page);
      await following.#read((after) => pool.peekInflight({ after, limit: pageSize }));
      following.#told = null;
      return following;
    } catch (error) {
      leaving.abort();
      throw error;
    }
  }

  /** Returns true when the list includes the event of this number, or false if it never will. */
  async reach(eventSeq: number): Promise<boolean> {
    while (this.#reached < eventSeq && !this.#isEnded)
      await new Promise<void>((resolve) => {
        this.#waiters.push(resolve);
      });
    return !this.#isEnded;
  }

  stop(): void {
    this.#leaving.abort();
  }

  async #read(page: Page): Promise<void> {
    for (let after = 'origin'; !this.#isEnded; ) {
      const { transactions, next } = await page(after);
      if (transactions.length === 0) return;
      for (const { hash, seq, stage, payload } of transactions)
        if (stage !== 'Confirmed' && this.#told?.has(hash) !== true)
          this.order.put({ hash, seq, bytes: payload.length });
      after = next;
      await setImmediate();
    }
  }

  async #follow(feed: EventFeed): Promise<void> {
    try {
      for await (const event of feed) {
        if (event.kind === 'lagged') return;
        this.#apply(event);
      }
    } catch {
      // The list was too slow for the events, or the store failed. The next request begins anew.
    } finally {
      this.#leaving.abort();
    }
  }

  #apply(event: TransactionEvent | BlockEvent | PlaceEvent): void {
    if (event.eventSeq <= this.#from) return;
    if (event.kind === 'transaction') {
      const { hash, seq, stage } = event;
      this.#told?.add(hash);
      if (stage === 'Pending' || stage === 'Propagated' || stage === 'Acknowledged') this.order.put({ hash, seq });
      else this.order.remove(hash);
    }
    this.#reached = event.eventSeq;
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiters.splice(0)) resolve();
  }
}
