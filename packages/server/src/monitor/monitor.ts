import { setTimeout } from 'node:timers/promises';
import { isMempoolError, type Logger, type Mempool, type MempoolEvent, type Usage } from 'mempool-core';
import { checkNames, cursorOf, invalid, readCursor } from 'mempool-core/backend';
import { type Fold, fold, freshFold, setCounts } from './fold.ts';
import { type BlockChange, RecentEvents, type Transition } from './recent-events.ts';
import { decodeFold, encodeFold } from './record.ts';
import { type Stats, type StatsRange, statsOf } from './stats.ts';
import { type Summary, summaryOf } from './summary.ts';

/** The methods of a pool that a monitor needs. */
export type MonitoredPool = Pick<Mempool, 'subscribe' | 'usage' | 'getRecord' | 'putRecord'>;

export interface MonitorOptions {
  /** Milliseconds between two saves of changed numbers, 10–3,600,000; default 60,000. */
  readonly saveEveryMs?: number | undefined;
  /** The pool's clock, for rates and charts; default this machine's. */
  readonly now?: (() => number) | undefined;
  /** Receives one entry when saving or reading begins to fail, and one when it works again. */
  readonly log?: Logger | undefined;
}

type ResolvedOptions = { readonly [K in keyof MonitorOptions]-?: NonNullable<MonitorOptions[K]> };

const optionNames: ReadonlySet<string> = new Set(['saveEveryMs', 'now', 'log']);
const recordName = 'monitor';
/** A start reads so many events again, to show the last ones. */
const reread = 2_000;
const retryMs = 1_000;

/**
 * Counts the events of a pool in memory, and stores the counts once a minute in a record of the pool. A start continues from
 * there, so a kill loses nothing that the pool still has. Any number of monitors may run on one pool, and they have the same
 * numbers.
 *
 * @example await using monitor = await Monitor.start(pool);
 */
export class Monitor implements AsyncDisposable {
  readonly #pool: MonitoredPool;
  readonly #options: ResolvedOptions;
  readonly #recent: RecentEvents = new RecentEvents();
  readonly #listeners = new Set<(event: MempoolEvent) => void>();
  readonly #closing = new AbortController();
  readonly #failing = new Set<string>();
  #fold: Fold = freshFold('origin');
  /** The number of the last event read. It is lower than `Fold.seq` while the last events are read again. */
  #read = 0;
  /** The number of the last event when the record was read. Listeners may have received the events until then. */
  #loadedSeq = 0;
  /** The pool's counts, until the fold is at their event. */
  #counts: Usage | null = null;
  #running: Promise<void> = Promise.resolve();
  #saving: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  private constructor(pool: MonitoredPool, options: ResolvedOptions) {
    this.#pool = pool;
    this.#options = options;
  }

  /**
   * Starts a monitor. It resolves when all events until then are counted. Close it before the pool.
   *
   * @throws `ERR_MEMPOOL_INVALID` naming the option; `ERR_MEMPOOL_UNSUPPORTED` if the backend has no records; the store's
   * errors
   */
  static async start(pool: MonitoredPool, options: MonitorOptions = {}): Promise<Monitor> {
    const monitor = new Monitor(pool, checkedOptions(options));
    const caughtUp = Promise.withResolvers<void>();
    monitor.#running = monitor.#run(caughtUp);
    await caughtUp.promise.catch((error: unknown) => {
      monitor.#closing.abort();
      throw error;
    });
    monitor.#timer = setInterval(() => void monitor.#save(), monitor.#options.saveEveryMs).unref();
    return monitor;
  }

  /** Saves once more and ends. It never rejects; if the last save fails, it is logged. A second call does nothing more. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#closing.abort();
    await this.#running;
    await this.#save();
    this.#listeners.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  summary(): Summary {
    return summaryOf(this.#fold, this.#now());
  }

  /** Returns the steps of a chart. @throws `ERR_MEMPOOL_INVALID` naming `range` */
  stats(range: StatsRange): Stats {
    return statsOf(this.#fold, range, this.#now());
  }

  /** Returns the last transitions, at most 1,000, newest first. */
  transitions(limit?: number): readonly Transition[] {
    return this.#recent.transitions(limit);
  }

  /** Returns the last blocks applied and undone, at most 200, newest first. */
  blocks(limit?: number): readonly BlockChange[] {
    return this.#recent.blocks(limit);
  }

  /** Calls the listener with each event from now on. It must not throw. Returns a function that removes the listener. */
  onEvent(listener: (event: MempoolEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The pool's clock may be ahead of this machine's. */
  #now(): number {
    return Math.max(this.#options.now(), this.#fold.at ?? 0);
  }

  /** Takes the stored numbers if they are of this pool, and else begins with its first event. */
  async #load(): Promise<void> {
    const { stored, version } = await this.#record();
    if (stored === null && version !== 0)
      this.#options.log('error', 'the monitor begins again: its record is damaged', { record: recordName });
    const usage = await this.#pool.usage();
    const fits = stored !== null && isOfPool(stored, usage);
    this.#fold = fits ? stored : freshFold(cursorOf('events', 0, usage.epoch));
    this.#read = Math.max(0, this.#fold.seq - reread);
    this.#loadedSeq = usage.lastEventSeq;
    this.#counts = null;
    this.#recent.clear();
  }

  /** Returns the record. The numbers are `null` if there is none or it is damaged, the version 0 if there is none. */
  async #record(): Promise<{ readonly stored: Fold | null; readonly version: number | undefined }> {
    try {
      const record = await this.#pool.getRecord(recordName);
      return { stored: record === null ? null : decodeFold(record.value), version: record?.version ?? 0 };
    } catch (error) {
      if (isMempoolError(error, 'ERR_MEMPOOL_CORRUPT')) return { stored: null, version: undefined };
      throw error;
    }
  }

  /** Follows the events until `close`. It reads the record again if the store went back or the pool was made again. */
  async #run({ resolve, reject }: PromiseWithResolvers<void>): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted)
      try {
        await this.#load();
        await this.#follow(resolve);
      } catch (error) {
        if (signal.aborted) break;
        this.#report('read events', error);
        reject(error);
        await setTimeout(retryMs, undefined, { signal }).catch(() => undefined);
      }
  }

  /** Counts events, and returns if the store went back or the pool was made again. */
  async #follow(caughtUp: () => void): Promise<void> {
    const { signal } = this.#closing;
    const epoch = readCursor('events', this.#fold.cursor)?.epoch ?? '';
    const stream = await this.#pool.subscribe({ after: cursorOf('events', this.#read, epoch), signal });
    await this.#settle(caughtUp);
    for await (const event of stream) {
      // A loss ends after the event read last, unless the store went back.
      if (event.kind === 'lagged' && (event.restarted || numberOf(event.cursor) <= this.#read)) return;
      this.#take(event);
      await this.#settle(caughtUp);
      this.#report('read events');
    }
  }

  #take(event: MempoolEvent): void {
    this.#read = numberOf(event.cursor);
    this.#recent.add(event);
    if (this.#read <= this.#fold.seq) return;
    fold(this.#fold, event);
    if (this.#read > this.#loadedSeq) for (const listener of this.#listeners) listener(event);
  }

  async #settle(caughtUp: () => void): Promise<void> {
    if (this.#fold.needsCounts) await this.#settleCounts();
    if (this.#read >= this.#loadedSeq && !this.#fold.needsCounts) caughtUp();
  }

  /** Sets the pool's counts when the fold comes to their event: the pool is ahead of the events read. */
  async #settleCounts(): Promise<void> {
    this.#counts ??= await this.#pool.usage({ signal: this.#closing.signal });
    if (this.#fold.seq < this.#counts.lastEventSeq) return;
    if (this.#fold.seq === this.#counts.lastEventSeq) setCounts(this.#fold, this.#counts);
    this.#counts = null;
  }

  /** Saves run one after the other. */
  #save(): Promise<void> {
    this.#saving = this.#saving
      .then(() => this.#put())
      .then(
        () => this.#report('save'),
        (error: unknown) => this.#report('save', error),
      );
    return this.#saving;
  }

  /** Stores the numbers, unless later ones are stored. A store that went back does not get numbers of events that it lost. */
  async #put(): Promise<void> {
    const { stored, version } = await this.#record();
    const usage = await this.#pool.usage();
    const storedSeq = stored !== null && isOfPool(stored, usage) ? stored.seq : 0;
    if (!isOfPool(this.#fold, usage) || storedSeq >= this.#fold.seq) return;
    const { kind } = await this.#pool.putRecord(recordName, encodeFold(this.#fold), { version });
    if (kind === 'full') throw new Error('the records of the pool are full');
  }

  /** Logs the first failure, and the first success after it. */
  #report(verb: string, error: unknown = null): void {
    if (error === null && this.#failing.delete(verb)) this.#options.log('info', `the monitor can ${verb} again`);
    if (error === null || this.#failing.has(verb)) return;
    this.#failing.add(verb);
    this.#options.log('warn', `the monitor cannot ${verb}`, { error });
  }
}

/** True if the numbers are of events of this pool. */
function isOfPool({ cursor, seq }: Fold, { epoch, lastEventSeq }: Usage): boolean {
  return readCursor('events', cursor)?.epoch === epoch && seq <= lastEventSeq;
}

function numberOf(cursor: string): number {
  return readCursor('events', cursor)?.number ?? 0;
}

function checkedOptions(options: MonitorOptions): ResolvedOptions {
  const { saveEveryMs = 60_000, now = Date.now, log = () => undefined } = checkNames('options', options, optionNames);
  if (!Number.isInteger(saveEveryMs) || saveEveryMs < 10 || saveEveryMs > 3_600_000)
    throw invalid('saveEveryMs', 'a whole number from 10 to 3600000');
  return { saveEveryMs, now, log };
}
