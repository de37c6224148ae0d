import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Logger, Mempool, MempoolEvent, Usage } from 'mempool-core';
import { checkNames, invalid } from 'mempool-core/backend';
import { type BlockChange, type BlocksQuery, BlockTimeline } from './block-timeline.ts';
import { isOfPool, Keeper, type RecordPool } from './keeper.ts';
import { type Stats, type StatsQuery, statsOf } from './stats.ts';
import type { StoredTotals } from './stored-totals.ts';
import { type Summary, summaryOf } from './summary.ts';
import type { Gap, Tally } from './tally.ts';
import { Timeline, type TimelinePage, type TimelineQuery } from './timeline.ts';

/** The numbers of a monitor. No method waits for the store. */
export interface MonitorView {
  /** The position after the last event counted. */
  readonly cursor: string;
  summary(): Summary;
  /** Returns the columns of a chart. @throws `ERR_MEMPOOL_INVALID` naming the field */
  stats(query: StatsQuery): Stats;
  /** Returns a page of the last transitions. @throws `ERR_MEMPOOL_INVALID` naming the field */
  timeline(query?: TimelineQuery): TimelinePage;
  /** Returns the last blocks applied and undone, at most 200, newest first. @throws `ERR_MEMPOOL_INVALID` naming the field */
  blocks(query?: BlocksQuery): readonly BlockChange[];
  gaps(): readonly Gap[];
  /** Returns the totals of the last saved state. A killed monitor continues from that state, so the totals never decrease. */
  stored(): StoredTotals;
  /** Calls the listener after events were counted, once per batch of events. Returns a function that removes the listener. */
  onChange(listener: () => void): () => void;
}

/** The methods of a pool that a monitor needs. */
export type MonitoredPool = RecordPool & Pick<Mempool, 'subscribe' | 'usage'>;

export interface MonitorOptions {
  /** Milliseconds between two saves of a changed state, 10–60,000; default 1,000. */
  readonly saveEveryMs?: number | undefined;
  /** The prefix of the names of its records; default `monitor/`. Monitors with the same prefix share one state. */
  readonly prefix?: string | undefined;
  /** The pool's clock, for rates and charts; default this machine's. */
  readonly now?: (() => number) | undefined;
  /** Receives one entry when saving or reading begins to fail, and one when it works again. */
  readonly log?: Logger | undefined;
}

type ResolvedOptions = { readonly [K in keyof MonitorOptions]-?: NonNullable<MonitorOptions[K]> };

const optionNames: ReadonlySet<string> = new Set(['saveEveryMs', 'prefix', 'now', 'log']);
/** After so many events other work gets its turn. */
const sliceLength = 500;
const retryMs = 1_000;
const maxPrefixLength = 100;

/**
 * Counts the events of a pool, and stores the counts in the pool's records. After a kill, a monitor continues from the stored
 * counts, and counts nothing twice. Any number of monitors may run on one pool, and they have the same numbers.
 *
 * @example await using monitor = await Monitor.start(pool);
 */
export class Monitor implements MonitorView, AsyncDisposable {
  readonly #pool: MonitoredPool;
  readonly #options: ResolvedOptions;
  readonly #keeper: Keeper;
  readonly #timeline: Timeline = new Timeline();
  readonly #blocks: BlockTimeline = new BlockTimeline();
  readonly #listeners = new Set<() => void>();
  readonly #closing = new AbortController();
  /** Ends when the events are read again from another place. */
  #session = new AbortController();
  /** What is told until the tally, after a conflict, is as far again. */
  #shown: Tally | null = null;
  #mustLoad = false;
  /** What `start` waits for. */
  #goal: (PromiseWithResolvers<void> & { readonly usage: Usage }) | null = null;
  #isNotifying = false;
  /** What failed last time: the log is told once. */
  readonly #failing = new Set<string>();
  #running: Promise<void> = Promise.resolve();
  #saving: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  private constructor(pool: MonitoredPool, options: ResolvedOptions) {
    this.#pool = pool;
    this.#options = options;
    this.#keeper = new Keeper({ records: pool, prefix: options.prefix, log: options.log });
  }

  /**
   * Starts a monitor. It loads the state, and resolves when all events until then are counted. Close it before the pool.
   *
   * @throws `ERR_MEMPOOL_INVALID` naming the option; `ERR_MEMPOOL_UNSUPPORTED` if the backend has no records;
   * `ERR_MEMPOOL_INCOMPATIBLE` if another version of this package wrote the state; the store's errors
   */
  static async start(pool: MonitoredPool, options: MonitorOptions = {}): Promise<Monitor> {
    const monitor = new Monitor(pool, checkedOptions(options));
    await monitor.#keeper.load();
    await monitor.#tidy();
    const usage = await pool.usage();
    await monitor.#refillTimeline(usage);
    await monitor.#begin(usage);
    return monitor;
  }

  /** Saves once more and ends. It never rejects; if the last save fails, it is logged. A second call does nothing more. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#closing.abort();
    this.#session.abort();
    await this.#running;
    await this.#saving;
    await this.#save();
    this.#listeners.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  get cursor(): string {
    return this.#tally.cursor;
  }

  summary(): Summary {
    return summaryOf(this.#tally, this.#keeper.stored.at, this.#now());
  }

  stats(query: StatsQuery): Stats {
    return statsOf(this.#tally, query, this.#now());
  }

  timeline(query?: TimelineQuery): TimelinePage {
    return this.#timeline.page(query);
  }

  blocks(query?: BlocksQuery): readonly BlockChange[] {
    return this.#blocks.last(query);
  }

  gaps(): readonly Gap[] {
    return this.#tally.gaps.map((gap) => ({ ...gap }));
  }

  stored(): StoredTotals {
    return this.#keeper.stored;
  }

  onChange(listener: () => void): () => void {
    const own = (): void => listener();
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  get #tally(): Tally {
    return this.#shown ?? this.#keeper.tally;
  }

  /** The pool's clock may be ahead of this machine's. */
  #now(): number {
    return Math.max(this.#options.now(), this.#tally.at ?? 0);
  }

  async #tidy(): Promise<void> {
    try {
      await this.#keeper.tidy();
    } catch (error) {
      this.#options.log('warn', 'the monitor could not delete records that are too old', { error });
    }
  }

  async #begin(usage: Usage): Promise<void> {
    const goal = { ...Promise.withResolvers<void>(), usage };
    this.#goal = goal;
    this.#running = this.#run();
    try {
      await goal.promise;
      this.#goal = null;
      this.#saveLater();
    } catch (error) {
      this.#closing.abort();
      throw error;
    }
  }

  /** Follows the events until `close`. */
  async #run(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      const session = new AbortController();
      this.#session = session;
      try {
        await this.#follow(session.signal);
      } catch (error) {
        if (session.signal.aborted) continue;
        this.#tellFailure('read events', error);
        this.#goal?.reject(error);
        await setTimeout(retryMs, undefined, { signal: this.#closing.signal }).catch(() => undefined);
      }
    }
  }

  /** Counts events until the signal aborts. */
  async #follow(signal: AbortSignal): Promise<void> {
    if (this.#mustLoad) await this.#load();
    const stream = await this.#pool.subscribe({ after: this.#keeper.tally.cursor, signal });
    await this.#askCounts(signal);
    this.#looked();
    let taken = 0;
    for await (const event of stream) {
      if (signal.aborted) return;
      await this.#take(event, signal);
      this.#tellSuccess('read events');
      taken += 1;
      if (taken % sliceLength === 0) await setImmediate();
    }
  }

  async #take(event: MempoolEvent, signal: AbortSignal): Promise<void> {
    const taken = this.#keeper.take(event);
    if (taken === 'rewound') return this.#loadNext(null);
    if (taken === 'restarted') this.#clearTimelines();
    if (event.kind === 'lagged') this.#shown = null;
    this.#addToTimelines(event);
    if (this.#keeper.wantsCounts) await this.#askCounts(signal);
    this.#looked();
    if (this.#goal !== null && this.#keeper.tally.seq >= this.#goal.usage.lastEventSeq) this.#goal.resolve();
    this.#notify();
  }

  /** The tally is as far as the stream. */
  #looked(): void {
    const { tally } = this.#keeper;
    if (this.#shown !== null && tally.seq >= this.#shown.seq) this.#shown = null;
    if (this.#goal !== null && this.#keeper.isAt(this.#goal.usage)) this.#goal.resolve();
  }

  async #askCounts(signal: AbortSignal): Promise<void> {
    if (!this.#keeper.wantsCounts) return;
    const usage = await this.#pool.usage({ signal });
    if (!signal.aborted) this.#keeper.offerCounts(usage);
  }

  /**
   * The state in the records counts from now on: the events are read again from there. `shown` is told until the new tally
   * is as far.
   */
  #loadNext(shown: Tally | null): void {
    this.#shown = shown;
    this.#mustLoad = true;
    this.#session.abort();
  }

  async #load(): Promise<void> {
    await this.#saving;
    await this.#keeper.load();
    // The pool may have been made anew: then the tally never comes to where the one of before was.
    const isOfBefore = this.#shown !== null && !isOfPool(this.#shown, (await this.#pool.usage()).epoch);
    this.#mustLoad = false;
    if (!isOfBefore) return;
    this.#shown = null;
    this.#clearTimelines();
  }

  /** Without the log's end a reader of the timeline would see nothing after a start. */
  async #refillTimeline({ lastEventSeq }: Usage): Promise<void> {
    const { trail, cursor, seq } = this.#keeper.tally;
    const [after] = trail;
    if (after === cursor || lastEventSeq < seq) return;
    for await (const event of await this.#pool.subscribe({ after })) {
      if (event.kind === 'lagged' || event.eventSeq > seq) return;
      this.#addToTimelines(event);
      if (event.eventSeq === seq) return;
    }
  }

  #addToTimelines(event: MempoolEvent): void {
    this.#timeline.add(event);
    this.#blocks.add(event);
  }

  #clearTimelines(): void {
    this.#timeline.clear();
    this.#blocks.clear();
  }

  #saveLater(): void {
    if (this.#closing.signal.aborted) return;
    const save = (): void => {
      this.#saving = this.#save();
      void this.#saving.then(() => this.#saveLater());
    };
    this.#timer = globalThis.setTimeout(save, this.#options.saveEveryMs).unref();
  }

  async #save(): Promise<void> {
    if (this.#mustLoad) return;
    try {
      const outcome = await this.#keeper.save();
      if (outcome === 'conflict') this.#loadNext(this.#tally);
      if (outcome === 'full') this.#tellFailure('save: the records of the pool are full');
      else this.#tellSuccess('save');
    } catch (error) {
      this.#tellFailure('save', error);
    }
  }

  #notify(): void {
    if (this.#isNotifying || this.#listeners.size === 0) return;
    this.#isNotifying = true;
    globalThis.setImmediate(() => {
      this.#isNotifying = false;
      for (const listener of this.#listeners) this.#call(listener);
    });
  }

  #call(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      this.#options.log('warn', 'a listener of the monitor failed', { error });
    }
  }

  #tellFailure(what: string, error?: unknown): void {
    const [verb = what] = what.split(':');
    if (this.#failing.has(verb)) return;
    this.#failing.add(verb);
    this.#options.log('warn', `the monitor cannot ${what}`, error === undefined ? {} : { error });
  }

  #tellSuccess(verb: string): void {
    if (this.#failing.delete(verb)) this.#options.log('info', `the monitor can ${verb} again`);
  }
}

function checkedOptions(options: MonitorOptions): ResolvedOptions {
  const {
    saveEveryMs = 1_000,
    prefix = 'monitor/',
    now = Date.now,
    log = () => undefined,
  } = checkNames('options', options, optionNames);
  if (!Number.isInteger(saveEveryMs) || saveEveryMs < 10 || saveEveryMs > 60_000)
    throw invalid('saveEveryMs', 'a whole number from 10 to 60000');
  if (typeof prefix !== 'string' || prefix.length > maxPrefixLength || !prefix.isWellFormed())
    throw invalid('prefix', `a well-formed text of at most ${maxPrefixLength} characters`);
  return { saveEveryMs, prefix, now, log };
}
