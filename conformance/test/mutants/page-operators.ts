import { type CursorKind, type DriverPage, readCursor } from 'mempool-core/backend';

/** A page with its transactions in another order. */
export function sorted(page: DriverPage, by: (one: DriverPage['transactions'][number]) => number): DriverPage {
  return { ...page, transactions: page.transactions.toSorted((a, b) => by(a) - by(b)) };
}

/** The number in a cursor; 0 if none is given. */
export function numberOf(kind: CursorKind, cursor: string | undefined): number {
  return cursor === undefined ? 0 : (readCursor(kind, cursor)?.number ?? 0);
}
