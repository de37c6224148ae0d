import { checkRead } from '../boundary/arguments.ts';
import { checkCursor } from '../boundary/cursors.ts';
import { callNames } from '../boundary/option-names.ts';
import type { ReadOptions } from '../contract/call-options.ts';
import { cursorOf, readCursor } from '../contract/cursor.ts';
import type { LogEntry, StoredTransaction } from '../contract/transaction.ts';
import type { PoolReads } from './pool-reads.ts';

const pageEntries = 250;

/** The field that each transaction and each entry of a walk has in addition to its content. */
export interface Walked {
  /** The cursor from which another walk resumes after this one (O7). */
  readonly cursor: string;
}

/** Options of `pending` and `inflight`. */
export interface SeqWalkOptions extends ReadOptions {
  /** The cursor to start at: `cursor` of an earlier walk, or `next` of a page. Default `origin`, the beginning. */
  readonly after?: string | undefined;
}

/** Options of `finalized`. */
export interface LogWalkOptions extends ReadOptions {
  /** The cursor to start at: `cursor` of an earlier walk or page. Default `origin`, the oldest entry kept. */
  readonly cursor?: string | undefined;
}

/** Returns the checked options. @throws `ERR_MEMPOOL_INVALID` naming the option */
export function checkSeqWalk(options: SeqWalkOptions | undefined): SeqWalkOptions {
  const checked = { ...options, ...checkRead(options, callNames.walk) };
  checkCursor('after', 'page', checked.after);
  return checked;
}

/** Returns the checked options. @throws `ERR_MEMPOOL_INVALID` naming the option */
export function checkLogWalk(options: LogWalkOptions | undefined): LogWalkOptions {
  const checked = { ...options, ...checkRead(options, callNames.logWalk) };
  checkCursor('cursor', 'log', checked.cursor);
  return checked;
}

type SeqVerb = 'peekPending' | 'peekInflight';

/** Iterates over a list of transactions by seq, page by page (O1), including those added after the current position. */
export async function* walkBySeq(
  reads: PoolReads,
  verb: SeqVerb,
  { after: start, signal }: SeqWalkOptions,
): AsyncGenerator<StoredTransaction & Walked, undefined> {
  for (let after = start; ; ) {
    const { transactions, next } = await reads[verb]({ after, limit: pageEntries, signal });
    const epoch = readCursor('page', next)?.epoch ?? '';
    for (const each of transactions) yield { ...each, cursor: cursorOf('page', each.seq, epoch) };
    if (transactions.length === 0) return undefined;
    after = next;
  }
}

/** Iterates over the terminal log page by page, oldest first (O4). Missing numbers were trimmed before the walk reached them. */
export async function* walkLog(
  reads: PoolReads,
  { cursor: start, signal }: LogWalkOptions,
): AsyncGenerator<LogEntry & Walked, undefined> {
  for (let cursor = start; ; ) {
    const page = await reads.dumpFinalized({ cursor, limit: pageEntries, signal });
    const epoch = readCursor('log', page.cursor)?.epoch ?? '';
    for (const entry of page.entries) yield { ...entry, cursor: cursorOf('log', entry.logSeq + 1, epoch) };
    if (!page.hasMore) return undefined;
    cursor = page.cursor;
  }
}

/** If the arguments are bad, the walk rejects at its first step, as a call would. */
export function begun<T>(walk: () => AsyncIterable<T>): AsyncIterable<T> {
  try {
    return walk();
  } catch (error) {
    return { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }) };
  }
}
