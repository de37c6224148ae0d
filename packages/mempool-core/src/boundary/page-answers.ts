import { cursorOf, type Position } from '../contract/cursor.ts';
import type { DriverGossipPage, DriverLogPage, DriverPage, DriverUsage } from '../contract/driver-page.ts';
import type { GossipPage } from '../contract/pool-verbs.ts';
import type { LogPage, Usage } from '../contract/store.ts';
import type { TransactionPage } from '../contract/transaction.ts';
import { assertSamePool } from './cursors.ts';

// O7: a driver answers numbers. These functions make cursors of them.

/** Converts a driver's page. @throws `ERR_MEMPOOL_CURSOR` if `from` belongs to another pool */
export function transactionPage({ transactions, next, epoch }: DriverPage, from: Position): TransactionPage {
  assertSamePool('after', from, epoch);
  return { transactions, next: cursorOf('page', next, epoch) };
}

/** Does the same for a page of `since`. @throws `ERR_MEMPOOL_CURSOR` if `from` belongs to another pool */
export function gossipPage({ items, next, epoch }: DriverGossipPage, from: Position): GossipPage {
  assertSamePool('after', from, epoch);
  return { items, next: cursorOf('gossip', next, epoch) };
}

/** Does the same for a page of the log. @throws `ERR_MEMPOOL_CURSOR` if `from` belongs to another pool */
export function logPage({ epoch, cursor, ...page }: DriverLogPage, from: Position): LogPage {
  assertSamePool('cursor', from, epoch);
  return { ...page, cursor: cursorOf('log', cursor, epoch) };
}

export function usageOf({ lastGossipSeq, load, ...usage }: DriverUsage): Usage {
  const { epoch, lastEventSeq, lastLogSeq, lastSeq } = usage;
  const cursors = {
    events: cursorOf('events', lastEventSeq, epoch),
    log: cursorOf('log', lastLogSeq + 1, epoch),
    gossip: cursorOf('gossip', lastGossipSeq ?? lastSeq, epoch),
  };
  return { ...usage, cursors, ...(load && { load }) };
}
