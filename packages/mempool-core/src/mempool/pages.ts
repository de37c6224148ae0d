import { checkRead } from '../boundary/arguments.ts';
import { checkCount } from '../boundary/basic-checks.ts';
import { type CallNames, callNames } from '../boundary/option-names.ts';
import type { ReadOptions } from '../contract/call-options.ts';
import { invalid, isMempoolError, type MempoolError } from '../contract/errors.ts';
import type { MempoolStore } from '../contract/store.ts';
import type { LogEntry, StoredTransaction } from '../contract/transaction.ts';

const pageEntries = 250;

/** Options of a walk over all pages. */
export interface WalkOptions extends ReadOptions {
  /**
   * Called with the error of each damaged record. The walk then skips the record (M2). Without it the walk ends with
   * the error, whose `details` hold the position to resume at.
   */
  readonly onCorrupt?: ((error: MempoolError) => void) | undefined;
}

/** Options of `pending` and `inflight`. */
export interface SeqWalkOptions extends WalkOptions {
  /** Start after this seq; default 0. */
  readonly after?: number | undefined;
}

/** Options of `finalized`. */
export interface LogWalkOptions extends WalkOptions {
  /** The first `logSeq` wanted; default 0, the oldest entry kept. */
  readonly cursor?: number | undefined;
}

/** @throws `ERR_MEMPOOL_INVALID` naming the option */
export function checkSeqWalk(options: SeqWalkOptions | undefined): SeqWalkOptions {
  const { after = 0, ...rest } = { ...options, ...checkWalk(options, callNames.walk) };
  return { ...rest, after: checkCount('after', after) };
}

/** @throws `ERR_MEMPOOL_INVALID` naming the option */
export function checkLogWalk(options: LogWalkOptions | undefined): LogWalkOptions {
  const { cursor = 0, ...rest } = { ...options, ...checkWalk(options, callNames.logWalk) };
  return { ...rest, cursor: checkCount('cursor', cursor) };
}

function checkWalk(options: WalkOptions | undefined, names: CallNames): WalkOptions {
  const { signal } = checkRead(options, names);
  const onCorrupt = options?.onCorrupt;
  if (onCorrupt !== undefined && typeof onCorrupt !== 'function') throw invalid('onCorrupt', 'a function');
  return { signal, onCorrupt };
}

type SeqVerb = 'peekPending' | 'peekInflight';

/** All transactions of one list by seq, over all pages (O1). It includes those added after the current position. */
export async function* walkBySeq(
  store: MempoolStore,
  verb: SeqVerb,
  { after = 0, signal, onCorrupt }: SeqWalkOptions,
): AsyncGenerator<StoredTransaction, undefined> {
  for (let position = after; ; ) {
    const page = await orDamage(store[verb]({ after: position, limit: pageEntries, signal }), onCorrupt);
    if (page instanceof Damage) {
      position = page.place('seq');
      continue;
    }
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return undefined;
    position = last.seq;
  }
}

/** The terminal log over all pages, oldest first (O4). Missing numbers were trimmed before the walk reached them. */
export async function* walkLog(
  store: MempoolStore,
  { cursor = 0, signal, onCorrupt }: LogWalkOptions,
): AsyncGenerator<LogEntry, undefined> {
  for (let position = cursor; ; ) {
    const page = await orDamage(store.dumpFinalized({ cursor: position, limit: pageEntries, signal }), onCorrupt);
    if (page instanceof Damage) {
      position = page.place('logSeq') + 1;
      continue;
    }
    yield* page.entries;
    if (!page.hasMore) return undefined;
    position = page.cursor;
  }
}

/** A damaged record at the start of a page, reported to the caller. */
class Damage {
  readonly error: MempoolError;

  constructor(error: MempoolError) {
    this.error = error;
  }

  /** The position of the record. @throws the error, if it has no position */
  place(field: 'seq' | 'logSeq'): number {
    const place = this.error.details[field];
    if (place === undefined) throw this.error;
    return place;
  }
}

async function orDamage<P>(page: Promise<P>, onCorrupt: WalkOptions['onCorrupt']): Promise<P | Damage> {
  try {
    return await page;
  } catch (error) {
    if (onCorrupt === undefined || !isMempoolError(error, 'ERR_MEMPOOL_CORRUPT')) throw error;
    onCorrupt(error);
    return new Damage(error);
  }
}
