import { setTimeout as sleep } from 'node:timers/promises';
import type { LaggedEvent } from 'mempool-core';
import type { Coupling } from './pool-options.ts';
import { digestOf, type Progress, type ProgressMark } from './progress.ts';
import type { Settlement } from './settlement.ts';
import type { Survey } from './survey.ts';

export interface FollowerParts {
  readonly coupling: Coupling;
  readonly settlement: Settlement;
  readonly survey: Survey;
  readonly mark: ProgressMark;
  readonly orphanAfterMs: number;
}

const eventsPerSave = 256;
const retryMs = 200;
/** The longest time of a timer. */
const longestMs = 2 ** 31 - 1;

/**
 * Reads the pool's events from the position in the ledger, and settles each one. Any number of processes may do this at the same time,
 * without a lease. These cases are safe:
 *
 * - A crash before or while an event is settled, or before the position is saved: the event is settled again, which changes nothing that
 *   was done (`Settlement`).
 * - A process that was paused and continues with old events: their rows are later, so nothing changes.
 * - A ledger that goes back: its rows and its position go back together. The position is earlier than this process has seen, so
 *   it reads the events since again.
 * - Lost events, and a pool that goes back or is made again: another generation begins at the end of the log, and the ledger is compared
 *   with the pool's present state. The position has a flag until that is done, so it is repeated after a crash.
 */
export class Follower {
  readonly #parts: FollowerParts;

  constructor(parts: FollowerParts) {
    this.#parts = parts;
  }

  /** Settles events until `signal` aborts; with `untilEnd`, only up to the present end of the log. */
  async run(signal: AbortSignal | undefined, untilEnd: boolean): Promise<void> {
    const { survey, settlement, coupling } = this.#parts;
    while (!signal?.aborted) {
      try {
        const start = await this.#start();
        const orphans = await survey.orphans(start);
        const reached = await this.#follow(start, signal, true);
        if (reached === null) continue;
        for (const each of orphans) await settlement.withdraw(each);
        if (untilEnd) return;
        await this.#follow(reached, signal, false);
      } catch (error) {
        if (signal?.aborted) return;
        if (untilEnd || !isTemporary(error)) throw error;
        coupling.report({ kind: 'retrying', error });
        await sleep(retryMs, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  /** Returns the position to go on from. Completes the comparison that a crash has interrupted. */
  async #start(): Promise<Progress> {
    const { coupling, mark, survey } = this.#parts;
    const progress = await mark.read();
    if (mark.hasFallenBack(progress)) coupling.report({ kind: 'fell-back', store: 'ledger' });
    if (await mark.isOfOther(progress)) {
      if (await mark.renew(progress)) coupling.report({ kind: 'fell-back', store: 'pool' });
      return this.#start();
    }
    if (!progress.isLossy) return progress;
    await survey.compareAll(progress);
    const done = { ...progress, isLossy: false };
    return (await mark.save(done)) ? done : this.#start();
  }

  /** Returns the position at the end that was asked for; `null` if the follower has to start again. */
  async #follow(start: Progress, signal: AbortSignal | undefined, untilEnd: boolean): Promise<Progress | null> {
    const { coupling, settlement, mark, orphanAfterMs } = this.#parts;
    const { lastEventSeq } = await coupling.pool.usage();
    const end = untilEnd ? lastEventSeq : Number.POSITIVE_INFINITY;
    if (start.event === end) return start;
    const recess = new AbortController();
    const timer = setTimeout(() => recess.abort(), untilEnd ? longestMs : orphanAfterMs);
    const ended = signal === undefined ? recess.signal : AbortSignal.any([signal, recess.signal]);
    let progress = start;
    let unsaved = 0;
    try {
      for await (const event of await coupling.pool.subscribe({ after: start.cursor, signal: ended })) {
        if (event.kind === 'lagged') return await this.#lose(progress, event);
        if (event.kind === 'transaction') await settlement.settle(event, start.generation);
        const last = { before: progress.cursor, digest: digestOf(event) };
        progress = { ...start, event: event.eventSeq, cursor: event.cursor, last };
        if (event.eventSeq >= end) break;
        if (++unsaved < eventsPerSave) continue;
        if (!(await mark.save(progress))) return null;
        unsaved = 0;
      }
    } catch (error) {
      if (error !== ended.reason) throw error;
    } finally {
      clearTimeout(timer);
    }
    return (await mark.save(progress)) && progress.event >= end ? progress : null;
  }

  /** Begins the next generation, unless other processes are further than this one was: then nothing is lost. */
  async #lose(progress: Progress, { missed, restarted }: LaggedEvent): Promise<null> {
    const { coupling, mark } = this.#parts;
    if (await mark.renew(progress)) coupling.report({ kind: 'lagged', missed, restarted });
    return null;
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
