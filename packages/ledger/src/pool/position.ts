import type { Metadata, Transfer } from '../contract/transfer.ts';

/**
 * A place in a pool's event log. An era is the time in which its events have numbers that can be compared: a pool made anew
 * begins another one, and so does a loss of events.
 */
export interface Position {
  readonly era: string;
  readonly event: number;
}

/** A position that a reader can go on from. */
export interface Place extends Position {
  /** The pool's cursor after the event. */
  readonly cursor: string;
}

/** Whether `a` is at `b` or later. What belongs to another era counts as earlier. */
export function isAtLeast(a: Position, b: Position): boolean {
  return a.era === b.era && a.event >= b.event;
}

/** Who made a reservation: a submission, or the follower for an event that found none open. */
type Maker = 'submission' | 'event';

/** What a reservation says about its transaction. */
export interface ReservationNote extends Place {
  readonly pool: string;
  readonly hash: string;
  /** The pool's log up to `event` says nothing about the life that the reservation is for. */
  readonly event: number;
  /** Of that event; for what the follower has made, of the event that it was made for, which is the next one. */
  readonly cursor: string;
  readonly by: Maker;
  /** Who has to pay; not the source of what the debt wallet carries. */
  readonly payer: string;
}

const prefix = 'pool.';

export function noteMetadata(note: ReservationNote): Metadata {
  const texts = Object.entries(note).map(([key, value]) => [prefix + key, String(value)] as const);
  return Object.fromEntries(texts);
}

/** The note of a reservation; `null` if it has none. */
export function noteOf({ metadata }: Transfer): ReservationNote | null {
  const read = (key: keyof ReservationNote) => metadata[prefix + key];
  const [pool, hash, era, event, cursor] = [read('pool'), read('hash'), read('era'), read('event'), read('cursor')];
  const [by, payer] = [read('by'), read('payer')];
  if (pool === undefined || hash === undefined || era === undefined || event === undefined) return null;
  if (cursor === undefined || payer === undefined || (by !== 'submission' && by !== 'event')) return null;
  return { pool, hash, era, event: Number(event), cursor, by, payer };
}

/** Marks a post or a void with the event that it was made for. */
export function positionMetadata({ era, event }: Position): Metadata {
  return { [`${prefix}era`]: era, [`${prefix}event`]: String(event) };
}

/** The event that a post or a void was made for; `null` if somebody else made it. */
export function positionOf(transfer: Transfer | null): Position | null {
  const era = transfer?.metadata[`${prefix}era`];
  const event = transfer?.metadata[`${prefix}event`];
  return era === undefined || event === undefined ? null : { era, event: Number(event) };
}
