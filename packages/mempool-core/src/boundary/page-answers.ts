import { cursorOf, type Position } from '../contract/cursor.ts';
import type { DriverGossipPage, DriverLogPage, DriverPage, DriverUsage } from '../contract/driver-page.ts';
import type { Logger } from '../contract/options.ts';
import type { GossipPage } from '../contract/pool-verbs.ts';
import type { LogPage, Usage } from '../contract/store.ts';
import type { TransactionPage } from '../contract/transaction.ts';
import { assertSamePool } from './cursors.ts';

// O7: a driver answers numbers. These functions make cursors of them, and report damaged records to the log (M2).

interface Damaged {
  readonly hash?: string | null;
  readonly seq?: number;
  readonly logSeq?: number;
}

/** Converts a driver's page and logs its damaged records. @throws `ERR_MEMPOOL_CURSOR` if `from` belongs to another pool */
export function transactionPage(page: DriverPage, from: Position, log: Logger): TransactionPage {
  const { transactions, damaged, next, epoch } = page;
  assertSamePool('after', from, epoch);
  reportDamage(damaged, log);
  return { transactions, damaged, next: cursorOf('page', next, epoch) };
}

/** Does the same for a page of `since`. @throws `ERR_MEMPOOL_CURSOR` if `from` belongs to another pool */
export function gossipPage(page: DriverGossipPage, from: Position, log: Logger): GossipPage {
  const { items, damaged, next, epoch } = page;
  assertSamePool('after', from, epoch);
  reportDamage(damaged, log);
  return { items, damaged, next: cursorOf('gossip', next, epoch) };
}

/** Does the same for a page of the log. @throws `ERR_MEMPOOL_CURSOR` if `from` belongs to another pool */
export function logPage({ epoch, cursor, ...page }: DriverLogPage, from: Position, log: Logger): LogPage {
  assertSamePool('cursor', from, epoch);
  reportDamage(page.damaged, log);
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

function reportDamage(damaged: readonly Damaged[], log: Logger): void {
  for (const { hash, seq, logSeq } of damaged) {
    if (logSeq !== undefined) log('warn', `the log entry ${logSeq} is damaged`, { logSeq });
    else log('warn', `the record of ${hash ?? 'an unknown hash'} (seq ${seq}) is damaged`, { hash, seq });
  }
}
