import { ledgerLimits } from '../contract/limits.ts';
import type { SeriesEnd } from '../ledger/verbs.ts';
import type { CursorRecord } from './cursor-record.ts';
import { isAtLeast, type Place } from './position.ts';
import type { Reservations } from './reservations.ts';

/** How far the clocks of the pool and of the ledger may be apart, in milliseconds. */
const clockSkewMs = 60_000;

/**
 * Tells which events may be settled although the ledger shows nothing of it, because its records were trimmed. A process that stood still
 * for longer than the ledger's retention brings such events.
 */
export class LateEvents {
  readonly #reservations: Reservations;
  readonly #record: CursorRecord;

  constructor(reservations: Reservations, record: CursorRecord) {
    this.#reservations = reservations;
    this.#record = record;
  }

  /**
   * `open`: the ledger tells whether the event is settled. `settled`: it is. `unknown`: nobody can tell. The end of the series must have
   * been read before: whoever settles the event after that is noticed by the number of the next reservation.
   *
   * @param at when the event was made, by the pool's clock; `null` if that is not known
   */
  async stateOf(
    hash: string,
    end: SeriesEnd,
    at: number | null,
    position: Place,
  ): Promise<'open' | 'settled' | 'unknown'> {
    if (await this.#reservations.isWhole(hash, end)) return 'open';
    if (at !== null && at > (await this.#trimmedUntil()) + clockSkewMs) return 'open';
    const followed = await this.#record.read();
    const isPassed = followed !== null && (followed.era !== position.era || isAtLeast(followed, position));
    return isPassed ? 'settled' : 'unknown';
  }

  /** No trimmed record is later than this, in milliseconds since 1970: nor than the oldest that was kept, nor than `trimBefore`. */
  async #trimmedUntil(): Promise<number> {
    const oldest = await this.#reservations.oldestRecordAt();
    return Math.min(oldest ?? Number.POSITIVE_INFINITY, Date.now() - ledgerLimits.maxClockAheadMs);
  }
}
