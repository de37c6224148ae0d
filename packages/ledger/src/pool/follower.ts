import { setTimeout as sleep } from 'node:timers/promises';
import type { LaggedEvent, MempoolEvent } from 'mempool-core';
import { type CursorRecord, firstEra, type Progress } from './cursor-record.ts';
import type { Orphans } from './orphans.ts';
import type { Coupling } from './pool-options.ts';
import type { Settlement } from './settlement.ts';

export interface FollowerParts {
  readonly coupling: Coupling;
  readonly settlement: Settlement;
  readonly orphans: Orphans;
  readonly record: CursorRecord;
  readonly orphanAfterMs: number;
}

const eventsPerSave = 256;
const retryMs = 200;
/** The longest time of a timer. */
const longestMs = 2 ** 31 - 1;

/**
 * Reads the pool's events from the cursor in the pool's record, and settles each one. Any number of processes may do this at
 * the same time, without a lease. These cases are safe:
 *
 * - A crash before or while an event is settled, or before the cursor is saved: the cursor is still before the event, so the event is
 *   settled again. Steps that were done are not done twice (`Settlement`).
 * - A process that was paused and continues with old events: each is settled already, so nothing changes. The cursor never goes back,
 *   because it is saved only if it is later.
 * - An event of a receipt that arrives before the reservation was answered to the submitter: the follower reads the ledger. It finds the
 *   reservation, because that was made before the pool received the transaction.
 * - Lost events: the next era begins at the end of the log, and all reservations are compared with the pool's present state. The record
 *   has a flag until that is done, so it is repeated after a crash.
 */
export class Follower {
  readonly #parts: FollowerParts;

  constructor(parts: FollowerParts) {
    this.#parts = parts;
  }

  /** Settles events until `signal` aborts; with `untilEnd`, only up to the present end of the log. */
  async run(signal: AbortSignal | undefined, untilEnd: boolean): Promise<void> {
    while (!signal?.aborted) {
      try {
        if (!(await this.#follow(await this.#start(), signal, true))) continue;
        await this.#parts.orphans.voidOld();
        if (untilEnd) return;
        await this.#follow(await this.#start(), signal, false);
      } catch (error) {
        if (signal?.aborted) return;
        if (untilEnd || !isTemporary(error)) throw error;
        this.#parts.coupling.report({ kind: 'retrying', error });
        await sleep(retryMs, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  /** Where to go on. Makes good what a crash in the middle of a loss has left. */
  async #start(): Promise<Progress> {
    const { coupling, record, orphans } = this.#parts;
    const progress = await record.read();
    if (progress === null) {
      const { epoch } = await coupling.pool.usage();
      await record.begin({ era: firstEra(epoch), event: 0, cursor: 'origin', isLossy: false }, null);
      return this.#start();
    }
    if (!progress.isLossy) return progress;
    await orphans.compareAll(progress);
    const done = { ...progress, isLossy: false };
    await record.save(done);
    return done;
  }

  /** Returns true at the end that was asked for, false if it has to start anew. */
  async #follow(start: Progress, signal: AbortSignal | undefined, untilEnd: boolean): Promise<boolean> {
    const { coupling, settlement, record, orphanAfterMs } = this.#parts;
    const { lastEventSeq } = await coupling.pool.usage();
    const end = untilEnd ? lastEventSeq : Number.POSITIVE_INFINITY;
    if (start.event === end) return true;
    const recess = new AbortController();
    const timer = setTimeout(() => recess.abort(), untilEnd ? longestMs : orphanAfterMs);
    const ended = signal === undefined ? recess.signal : AbortSignal.any([signal, recess.signal]);
    const log = new PacedLog(await coupling.pool.subscribe({ after: start.cursor, signal: ended }));
    let progress = start;
    let unsaved = 0;
    try {
      for (let event = await log.next(); event !== null; event = await log.next()) {
        if (event.kind === 'lagged') return await this.#lose(start, progress, event);
        const position = { era: start.era, event: event.eventSeq, cursor: event.cursor };
        if (event.kind === 'transaction') await settlement.settle(event, position);
        progress = { ...position, isLossy: false };
        unsaved++;
        if (event.eventSeq >= end) break;
        if (unsaved >= eventsPerSave || (await log.isIdle())) {
          await record.save(progress);
          unsaved = 0;
        }
      }
    } catch (error) {
      if (error !== ended.reason) throw error;
    } finally {
      clearTimeout(timer);
      await log.end();
      if (unsaved > 0) await record.save(progress);
    }
    return untilEnd && progress.event >= end;
  }

  /** Begins the next era, unless other processes are further than this one was: then nothing is lost. */
  async #lose(start: Progress, progress: Progress, { missed, restarted }: LaggedEvent): Promise<false> {
    const { coupling, record } = this.#parts;
    const kept = await record.read();
    if (kept !== null && (kept.era !== start.era || kept.event > progress.event)) return false;
    coupling.report({ kind: 'lagged', missed, restarted });
    const { epoch, lastEventSeq, cursors } = await coupling.pool.usage();
    const era = `${epoch}/${crypto.randomUUID()}`;
    await record.begin({ era, event: lastEventSeq, cursor: cursors.events, isLossy: true }, kept);
    return false;
  }
}

/** Events with the question whether the next one is there already. */
class PacedLog {
  readonly #events: AsyncIterator<MempoolEvent>;
  #next: Promise<IteratorResult<MempoolEvent>> | null = null;

  constructor(events: AsyncIterable<MempoolEvent>) {
    this.#events = events[Symbol.asyncIterator]();
  }

  async next(): Promise<MempoolEvent | null> {
    const { done, value } = await this.#ask();
    this.#next = null;
    return done ? null : value;
  }

  async isIdle(): Promise<boolean> {
    const there = this.#ask().then(
      () => false,
      () => false,
    );
    return Promise.race([there, new Promise<boolean>((resolve) => void setImmediate(() => resolve(true)))]);
  }

  async end(): Promise<void> {
    this.#next?.catch(() => undefined);
    await this.#events.return?.();
  }

  #ask(): Promise<IteratorResult<MempoolEvent>> {
    this.#next ??= this.#events.next();
    return this.#next;
  }
}

const temporary: ReadonlySet<unknown> = new Set(
  ['UNAVAILABLE', 'OUTCOME_UNKNOWN', 'STORE_FULL', 'BUSY', 'READ_ONLY'].flatMap((code) => [
    `ERR_MEMPOOL_${code}`,
    `ERR_LEDGER_${code}`,
  ]),
);

function isTemporary(error: unknown): boolean {
  return error instanceof Error && 'code' in error && temporary.has(error.code);
}
