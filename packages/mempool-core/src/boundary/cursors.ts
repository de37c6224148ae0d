import { type CursorKind, type Position, readCursor } from '../contract/cursor.ts';
import { invalid, MempoolError } from '../contract/errors.ts';

/** Where a page begins if the caller gives no cursor. */
const beginning: Position = Object.freeze({ number: 0, epoch: null });

/** Returns the position of a cursor, or the beginning if none is given. @throws `ERR_MEMPOOL_INVALID` naming the field */
export function checkCursor(field: string, kind: CursorKind, cursor: string | undefined): Position {
  if (cursor === undefined) return beginning;
  const position = readCursor(kind, cursor);
  if (position === null) throw invalid(field, `a cursor of ${places[kind]}, or 'origin'`);
  return position;
}

/** Checks that a cursor belongs to the pool that was read. @throws `ERR_MEMPOOL_CURSOR` if its epoch is another one */
export function assertSamePool(field: string, { epoch: given }: Position, epoch: string): void {
  if (given === null || given === epoch) return;
  const message = `${field} is a cursor of an earlier pool: the pool was made anew`;
  throw new MempoolError('ERR_MEMPOOL_CURSOR', message, { field });
}

const places: Readonly<Record<CursorKind, string>> = {
  events: 'the events',
  log: 'the terminal log',
  gossip: 'since',
  page: 'a page of transactions',
};
