import type { MempoolEvent } from 'mempool-core';
import type { BlockChange, Transition } from 'mempool-server';
import { EventStream } from '../wire/event-stream.ts';
import { ReadError, readJson } from '../wire/read.ts';
import { type ConnectionChange, connectionAfter } from './connection.ts';
import { type ChartRange, type DashboardState, emptyState } from './dashboard-state.ts';
import { feedOf, feedWith, type Holder, paused, resumed } from './feed.ts';
import { Inspector } from './inspector.ts';
import { LedgerReader } from './ledger-reader.ts';
import {
  readBlocks,
  readElection,
  readEpochs,
  readFacts,
  readNext,
  readNumbers,
  readReadiness,
  readStats,
} from './reads.ts';
import { type Pace, Rereader } from './rereader.ts';
import { Store } from './store.ts';
import { StreamCheck } from './stream-check.ts';

const second = 1_000;
const lively: Pace = { atMostEveryMs: second, atLeastEveryMs: 5 * second };
const brisk: Pace = { atMostEveryMs: second, atLeastEveryMs: 2 * second };
const steady: Pace = { atMostEveryMs: 3 * second, atLeastEveryMs: 10 * second };
const calm: Pace = { atMostEveryMs: 5 * second, atLeastEveryMs: 5 * second };
const slow: Pace = { atMostEveryMs: 10 * second, atLeastEveryMs: 30 * second };

/** The feed is drawn so often at most: faster than anybody reads, and cheap for any number of events. */
const feedEveryMs = 250;

/** Reads the API and follows the events; the page shows its store. */
export class Dashboard {
  readonly store: Store<DashboardState>;
  readonly ledger: LedgerReader;
  readonly #stream: EventStream;
  readonly #check: StreamCheck = new StreamCheck();
  readonly #inspector: Inspector;
  readonly #stats: Rereader;
  readonly #blocks: Rereader;
  readonly #next: Rereader;
  readonly #money: Rereader;
  readonly #epochs: Rereader;
  /** Read again when anything changes in the pool. */
  readonly #moving: readonly Rereader[];
  readonly #reads: readonly Rereader[];
  /** Begins the feed, and the events after it. */
  readonly #beginning: Rereader;
  #hasBegun = false;
  #arrived: MempoolEvent[] = [];
  #feedTimer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    this.store = new Store(emptyState, nextPicture);
    const state = (): DashboardState => this.store.state;
    this.#stats = this.#rereader(slow, () => readStats(state));
    this.#blocks = this.#rereader(lively, readBlocks);
    this.#next = this.#rereader(steady, () => readNext(state()));
    this.#moving = [this.#rereader(lively, () => this.#readNumbers()), this.#next, this.#stats];
    this.#beginning = this.#rereader(calm, () => this.#begin());
    this.ledger = new LedgerReader((ledger) => this.store.set({ ledger }));
    this.#money = this.#rereader(calm, () => this.#readLedger());
    this.#epochs = this.#rereader(brisk, () => readEpochs(state));
    const watching = [this.#rereader(calm, readElection), this.#rereader(calm, readReadiness)];
    const others = [...watching, this.#money, this.#epochs];
    this.#reads = [this.#rereader(slow, () => this.#readFacts()), ...this.#moving, this.#blocks, ...others];
    this.#inspector = new Inspector((inspected) => this.store.set({ inspected }));
    this.#stream = new EventStream({
      opened: () => this.#opened(),
      lost: () => this.#connection({ kind: 'lost', at: Date.now() }),
      skipped: () => this.#beginAnew(),
      event: (event) => this.#take(event),
    });
  }

  start(): void {
    for (const read of this.#reads) read.start();
    if (this.#hasBegun) this.#stream.resume();
    else this.#beginning.start();
  }

  /** Nobody looks: the server is left alone until `start`. */
  stop(): void {
    for (const read of [...this.#reads, this.#beginning]) read.stop();
    this.#stream.stop();
    this.ledger.stop();
    this.#connection({ kind: 'paused', at: Date.now() });
  }

  show(range: ChartRange): void {
    this.store.set({ range });
    this.#stats.now();
  }

  pauseFeed(by: Holder): void {
    this.store.set({ feed: paused(this.store.state.feed, by) });
  }

  resumeFeed(by: Holder): void {
    this.store.set({ feed: resumed(this.store.state.feed, by) });
  }

  inspect(hash: string | null): void {
    if (hash === null) this.#inspector.close();
    else this.#inspector.open(hash);
  }

  /** `read` returns `null` if it asked nothing. That tells nothing about the connection. */
  #rereader(pace: Pace, read: () => Promise<Partial<DashboardState> | null>): Rereader {
    return new Rereader(async () => {
      try {
        const change = await read();
        if (change === null) return;
        this.store.set(change);
        this.#connection({ kind: 'answered', at: Date.now() });
      } catch (error) {
        this.#failed(error);
      }
    }, pace);
  }

  async #readNumbers(): Promise<Partial<DashboardState>> {
    const numbers = await readNumbers();
    const { summary } = numbers;
    if (summary && this.#check.isDead(summary.cursor, performance.now()) && this.#hasBegun) {
      this.#connection({ kind: 'lost', at: Date.now() });
      this.#stream.stop();
      this.#stream.resume();
    }
    return numbers;
  }

  /** What is next depends on the kind of pool. */
  async #readFacts(): Promise<Partial<DashboardState>> {
    const facts = await readFacts();
    if (this.store.state.pool === null)
      setTimeout(() => {
        this.#next.now();
        this.#money.now();
        this.#epochs.now();
      });
    return facts;
  }

  async #readLedger(): Promise<Partial<DashboardState> | null> {
    if ((this.store.state.pool?.ledger ?? null) === null) return null;
    await this.ledger.read();
    return {};
  }

  /** The last events, and from the newest of them on those that come. */
  async #begin(): Promise<Partial<DashboardState>> {
    const [{ items }, blocks] = await Promise.all([
      readJson<{ items: Transition[] }>('api/v1/timeline?limit=500'),
      readJson<{ items: BlockChange[] }>('api/v1/timeline/blocks?limit=100'),
    ]);
    const newest = [items[0], blocks.items[0]].sort((a, b) => (b?.eventSeq ?? 0) - (a?.eventSeq ?? 0))[0];
    this.#beginning.stop();
    this.#hasBegun = true;
    if (newest !== undefined) this.#check.brought(newest.cursor);
    this.#stream.start(newest?.cursor ?? null);
    return { feed: feedOf(this.store.state.feed, items, blocks.items), blocks: blocks.items };
  }

  #beginAnew(): void {
    this.#hasBegun = false;
    this.#beginning.start();
  }

  #opened(): void {
    this.#connection({ kind: 'opened', at: Date.now() });
    for (const read of this.#reads) read.changed();
  }

  #take(event: MempoolEvent): void {
    this.#check.brought(event.cursor);
    for (const read of this.#moving) read.changed();
    if (event.kind === 'block' || event.kind === 'lagged') this.#blocks.changed();
    this.#inspector.take(event);
    this.#arrived.push(event);
    this.#feedTimer ??= setTimeout(() => this.#feed(), feedEveryMs);
  }

  #feed(): void {
    this.#feedTimer = undefined;
    this.store.set({ feed: feedWith(this.store.state.feed, this.#arrived) });
    this.#arrived = [];
  }

  #failed(error: unknown): void {
    if (error instanceof ReadError && error.status === 401) location.assign('login');
    const detail = error instanceof Error ? error.message : String(error);
    this.#connection({ kind: 'failed', at: Date.now(), detail });
  }

  #connection(change: ConnectionChange): void {
    this.store.set({ connection: connectionAfter(this.store.state.connection, change) });
  }
}

const hiddenMs = 250;

function nextPicture(flush: () => void): void {
  if (document.hidden) setTimeout(flush, hiddenMs);
  else requestAnimationFrame(flush);
}
