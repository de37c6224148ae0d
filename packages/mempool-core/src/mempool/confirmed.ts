import { checkRead } from '../boundary/arguments.ts';
import { maxCallTransactions } from '../boundary/basic-checks.ts';
import { callNames } from '../boundary/option-names.ts';
import type { ReadOptions } from '../contract/call-options.ts';
import { readCursor } from '../contract/cursor.ts';
import { isMempoolError, MempoolError } from '../contract/errors.ts';
import type { EventPage, StoreEvent, TransactionEvent } from '../contract/events.ts';
import { type ChainPoint, isLive } from '../contract/transaction.ts';
import type { PoolCalls } from './pool-calls.ts';
import type { PoolReads } from './pool-reads.ts';

const pageEntries = 1_000;
/** More points than a pool keeps. */
const allPoints = 2 ** 31 - 1;
const maxReadings = 10;

/** A transaction that a block of the chain carries, without its payload. */
export interface ConfirmedTransaction {
  readonly hash: string;
  readonly seq: number;
  readonly stage: 'Confirmed' | 'Finalized';
  /** The confirming block. */
  readonly point: ChainPoint;
}

/** The transactions that are confirmed or final at one commit of the pool (O9). */
export interface ConfirmedNow {
  /** In the order of their blocks; within a block by seq. */
  readonly transactions: readonly ConfirmedTransaction[];
  /** False if Finalized transactions may be missing, because the log was trimmed or an entry is damaged. */
  readonly complete: boolean;
  /** The position after the last event before that commit. `subscribe` resumes there. */
  readonly cursor: string;
}

/** Reads the transactions that are confirmed or final now. @throws `ERR_MEMPOOL_BUSY` if the events are trimmed faster than it can read */
export async function readConfirmed(
  calls: PoolCalls,
  reads: PoolReads,
  options: ReadOptions | undefined,
): Promise<ConfirmedNow> {
  const { signal } = checkRead(options, callNames.read);
  for (let i = 0; i < maxReadings; i++) {
    const found = await new Reading(calls, reads, signal).run();
    if (found !== null) return found;
  }
  throw new MempoolError('ERR_MEMPOOL_BUSY', 'the pool trims its events faster than they can be read');
}

/**
 * One reading of a pool that changes meanwhile. It reads the pages, then the events since before the first page, up to one
 * commit. A transaction without such an event had one state all the time; the last event of another one is its state.
 */
class Reading {
  readonly #calls: PoolCalls;
  readonly #reads: PoolReads;
  readonly #signal: AbortSignal | undefined;
  readonly #found = new Map<string, ConfirmedTransaction>();
  /** The kept blocks, by tick. Slots do not order them: two blocks may share one. */
  readonly #blocks = new Map<number, ChainPoint>();

  constructor(calls: PoolCalls, reads: PoolReads, signal: AbortSignal | undefined) {
    this.#calls = calls;
    this.#reads = reads;
    this.#signal = signal;
  }

  /** Returns `null` if events were lost meanwhile, or the pool was created again: then read again. */
  async run(): Promise<ConfirmedNow | null> {
    try {
      const begin = await this.#events(Number.MAX_SAFE_INTEGER);
      const hasWholeLog = await this.#readLog();
      await this.#readInflight();
      await this.#readBlocks();
      const { lastEventSeq, confirmed, cursors } = await this.#reads.usage({ signal: this.#signal });
      if (!(await this.#replay(begin, lastEventSeq))) return null;
      const transactions = this.#ordered();
      const isWhole = transactions.filter(({ stage }) => stage === 'Confirmed').length === confirmed;
      return { transactions, complete: hasWholeLog && isWhole, cursor: cursors.events };
    } catch (error) {
      if (isMempoolError(error, 'ERR_MEMPOOL_CURSOR')) return null;
      throw error;
    }
  }

  #events(after: number): Promise<EventPage> {
    return this.#calls.read({ signal: this.#signal }, callNames.read, () =>
      this.#calls.driver.readEvents(after, pageEntries),
    );
  }

  /** Takes the latest entry of each hash that is not live. Returns true if it read every entry since the first. */
  async #readLog(): Promise<boolean> {
    let expected = 1;
    let isWhole = true;
    for (let cursor: string | undefined; ; ) {
      const page = await this.#reads.dumpFinalized({ cursor, limit: pageEntries, signal: this.#signal });
      for (const { hash, seq, stage, point, logSeq } of page.entries) {
        isWhole &&= logSeq === expected;
        expected = logSeq + 1;
        this.#put({ hash, seq, stage, point });
      }
      isWhole &&= readCursor('log', page.cursor)?.number === expected;
      expected = readCursor('log', page.cursor)?.number ?? expected;
      if (!page.hasMore) break;
      cursor = page.cursor;
    }
    await this.#removeLive([...this.#found.keys()]);
    return isWhole;
  }

  /** An entry of the log stays as history if its transaction comes back (O4). */
  async #removeLive(hashes: readonly string[]): Promise<void> {
    for (let from = 0; from < hashes.length; from += maxCallTransactions) {
      const some = hashes.slice(from, from + maxCallTransactions);
      for (const { hash, stage } of await this.#reads.status(some, { signal: this.#signal }))
        if (stage !== 'Unknown' && isLive(stage)) this.#found.delete(hash);
    }
  }

  async #readInflight(): Promise<void> {
    for (let after: string | undefined; ; ) {
      const page = await this.#reads.peekInflight({ after, limit: pageEntries, signal: this.#signal });
      if (page.transactions.length === 0) return;
      for (const { hash, seq, stage, confirmedAt } of page.transactions)
        if (stage === 'Confirmed') this.#put({ hash, seq, stage, point: confirmedAt });
      after = page.next;
    }
  }

  async #readBlocks(): Promise<void> {
    const { tick, points } = await this.#reads.tip({ points: allPoints, signal: this.#signal });
    for (const [i, point] of points.entries()) this.#blocks.set(tick - i, point);
  }

  /** Applies the events up to this one. Returns false if the store does not have them all. */
  async #replay(begin: EventPage, until: number): Promise<boolean> {
    let at = begin.last;
    do {
      const page = await this.#events(at);
      if (page.epoch !== begin.epoch || page.rewinds !== begin.rewinds) return false;
      const events = page.events.filter(({ eventSeq }) => eventSeq <= until);
      if (at !== until && events[0]?.eventSeq !== at + 1) return false;
      for (const event of events) this.#apply(event);
      at = events.at(-1)?.eventSeq ?? at;
    } while (at < until);
    return true;
  }

  #apply(event: StoreEvent): void {
    if (event.kind === 'transaction') this.#put(event);
    else if (event.kind !== 'block') return;
    else if (event.action === 'applied') this.#blocks.set(event.tick, event.point);
    else this.#blocks.delete(event.tick);
  }

  #put({ hash, seq, stage, point }: Place): void {
    if (point !== null && (stage === 'Confirmed' || stage === 'Finalized'))
      this.#found.set(hash, { hash, seq, stage, point });
    else this.#found.delete(hash);
  }

  /** Blocks that are no longer kept come first, by slot. */
  #ordered(): ConfirmedTransaction[] {
    const ticks = new Map([...this.#blocks].map(([tick, point]) => [nameOf(point), tick]));
    const tickOf = ({ point }: ConfirmedTransaction): number => ticks.get(nameOf(point)) ?? 0;
    return [...this.#found.values()].sort(
      (a, b) => tickOf(a) - tickOf(b) || a.point.slot - b.point.slot || a.seq - b.seq,
    );
  }
}

/** The fields of an event, an entry or a transaction that say where it is. */
type Place = Pick<TransactionEvent, 'hash' | 'seq' | 'stage' | 'point'>;

function nameOf({ slot, hash }: ChainPoint): string {
  return `${slot}/${hash}`;
}
