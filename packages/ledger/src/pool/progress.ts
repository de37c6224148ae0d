import { createHash } from 'node:crypto';
import type { MempoolEvent } from 'mempool-core';
import { isAtLeast, type Marks, type Position } from './marks.ts';
import type { CoupledPool } from './pool-options.ts';

/** The position of the followers of a pool, stored in the ledger next to the money. All events up to it are settled. */
export interface Progress extends Position {
  /** Identifies the pool. */
  readonly epoch: string;
  /** The pool's cursor after the event. */
  readonly cursor: string;
  /** The pool's cursor before the event, and a digest of the event: they show whether the pool still has this event. `null` if not known. */
  readonly last: { readonly before: string; readonly digest: string } | null;
  /** True if events before `event` were lost, and the ledger has not been compared with the pool yet. */
  readonly isLossy: boolean;
}

/** Reads and writes the position. It never goes back, even if many processes save it. */
export class ProgressMark {
  readonly #pool: CoupledPool;
  readonly #marks: Marks;
  /** The latest position that is known to have been stored. */
  #seen: Position = { generation: 0, event: 0 };

  constructor(pool: CoupledPool, marks: Marks) {
    this.#pool = pool;
    this.#marks = marks;
  }

  async read(): Promise<Progress> {
    const { text, kept } = await this.#marks.position<Progress>();
    if (kept !== null) return kept;
    const { epoch } = await this.#pool.usage();
    const first = { generation: 1, event: 0, epoch, cursor: 'origin', last: null, isLossy: false };
    await this.#marks.putPosition(text, first);
    return this.read();
  }

  /** True once after the ledger went back to an earlier state, while this process ran. */
  hasFallenBack(stored: Position): boolean {
    const isBack = !isAtLeast(stored, this.#seen);
    this.#seen = stored;
    return isBack;
  }

  /** Saves later progress. Returns false if the reader has to start again, because the generation is over or the ledger fell back. */
  async save(progress: Progress): Promise<boolean> {
    for (;;) {
      const { text, kept } = await this.#marks.position<Progress>();
      if (kept === null || kept.generation !== progress.generation || !isAtLeast(kept, this.#seen)) return false;
      const isSaved = kept.event >= progress.event && kept.isLossy === progress.isLossy;
      if (isSaved || (await this.#marks.putPosition(text, progress))) {
        this.#seen = isSaved ? kept : progress;
        return true;
      }
    }
  }

  /** Begins another generation at the end of the pool's log, unless another process has done so or is further than `from`. */
  async renew(from: Position): Promise<boolean> {
    const { text, kept } = await this.#marks.position<Progress>();
    if (kept === null || kept.generation !== from.generation || kept.event > from.event) return false;
    const { epoch, lastEventSeq, cursors } = await this.#pool.usage();
    const end = { epoch, event: lastEventSeq, cursor: cursors.events, last: null, isLossy: true };
    return this.#marks.putPosition(text, { ...end, generation: kept.generation + 1 });
  }

  /** True if the pool is not the one of this position, or went back to a state before it. */
  async isOfOther({ epoch, event, last }: Progress): Promise<boolean> {
    const usage = await this.#pool.usage();
    if (usage.epoch !== epoch || usage.lastEventSeq < event) return true;
    if (last === null) return false;
    for await (const found of await this.#pool.subscribe({ after: last.before })) {
      // An event that the log no longer has tells nothing.
      return found.kind !== 'lagged' && digestOf(found) !== last.digest;
    }
    return false;
  }
}

/** Returns a digest of an event, which another event with the same number does not have. */
export function digestOf(event: Exclude<MempoolEvent, { readonly kind: 'lagged' }>): string {
  const { eventSeq, kind, at } = event;
  const about = kind === 'block' ? [event.action, event.point.hash] : [event.hash];
  const text = [eventSeq, kind, at, ...about, kind === 'transaction' ? event.stage : ''].join(' ');
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
