import type { Metadata, Transfer } from '../contract/transfer.ts';

/**
 * A position in a pool's event log. Event numbers can be compared only within one era. A pool that is made anew, and a loss of
 * events, begin another era.
 */
export interface Position {
  readonly era: string;
  readonly event: number;
}

/** A position from which a reader can continue. */
export interface Place extends Position {
  /** The pool's cursor after the event. */
  readonly cursor: string;
}

/** True if `a` is at `b` or later. A position in another era counts as earlier. */
export function isAtLeast(a: Position, b: Position): boolean {
  return a.era === b.era && a.event >= b.event;
}

/** Who made a reservation: a submission, or the follower for an event that found none open. */
type Maker = 'submission' | 'event';

/** The metadata of a reservation about its transaction. */
export interface ReservationNote extends Place {
  readonly pool: string;
  readonly hash: string;
  /** The number of an event before the life of the transaction that the reservation is for. */
  readonly event: number;
  /** The cursor of that event. If the follower made the reservation, it is the cursor of the next event, which it was made for. */
  readonly cursor: string;
  readonly by: Maker;
  /** The wallet that has to pay. It differs from the source if the debt wallet pays instead. */
  readonly payer: string;
}

const prefix = 'pool.';

export function noteMetadata(note: ReservationNote): Metadata {
  const texts = Object.entries(note).map(([key, value]) => [prefix + key, String(value)] as const);
  return Object.fromEntries(texts);
}

/** Returns the note of a reservation; `null` if it has none. */
export function noteOf({ metadata }: Transfer): ReservationNote | null {
  const read = (key: keyof ReservationNote) => metadata[prefix + key];
  const [pool, hash, era, event, cursor] = [read('pool'), read('hash'), read('era'), read('event'), read('cursor')];
  const [by, payer] = [read('by'), read('payer')];
  if (pool === undefined || hash === undefined || era === undefined || event === undefined) return null;
  if (cursor === undefined || payer === undefined || (by !== 'submission' && by !== 'event')) return null;
  return { pool, hash, era, event: Number(event), cursor, by, payer };
}

/** Returns the metadata that names the event that a post or a void was made for. */
export function positionMetadata({ era, event }: Position): Metadata {
  return { [`${prefix}era`]: era, [`${prefix}event`]: String(event) };
}

/** Returns the event that a post or a void was made for; `null` if the coupling did not make it. */
export function positionOf(transfer: Transfer | null): Position | null {
  const era = transfer?.metadata[`${prefix}era`];
  const event = transfer?.metadata[`${prefix}event`];
  return era === undefined || event === undefined ? null : { era, event: Number(event) };
}
