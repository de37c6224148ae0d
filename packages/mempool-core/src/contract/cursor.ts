/** The kinds of sequence that a cursor can be a position in (O7). */
export type CursorKind = 'events' | 'log' | 'gossip' | 'page';

const letters: Readonly<Record<CursorKind, string>> = { events: 'e', log: 'l', gossip: 'g', page: 's' };

/** A cursor after the checks. */
export interface Position {
  readonly number: number;
  /** The epoch of the pool that the number belongs to; `null` for `origin`, which is valid in every pool. */
  readonly epoch: string | null;
}

const originPosition: Position = Object.freeze({ number: 0, epoch: null });
const form = /^([a-z])(0|[1-9a-z][0-9a-z]{0,10})\.([\x21-\x7e]{1,128})$/;

/** Returns the cursor of a number: a letter for its kind, the number in base 36, a dot and the pool's epoch. */
export function cursorOf(kind: CursorKind, number: number, epoch: string): string {
  return `${letters[kind]}${number.toString(36)}.${epoch}`;
}

/** Returns the position that a cursor names, or `null` if the text is not a cursor of this kind. */
export function readCursor(kind: CursorKind, cursor: string): Position | null {
  if (cursor === 'origin') return originPosition;
  const [, letter, digits = '', epoch = ''] = (typeof cursor === 'string' ? form.exec(cursor) : null) ?? [];
  const number = Number.parseInt(digits, 36);
  return letter === letters[kind] && Number.isSafeInteger(number) ? { number, epoch } : null;
}
