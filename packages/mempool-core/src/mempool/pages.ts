import { checkRead } from '../boundary/arguments.ts';
import { checkCount } from '../boundary/basic-checks.ts';
import { type CallNames, callNames } from '../boundary/option-names.ts';
import type { ReadOptions } from '../contract/call-options.ts';
import { invalid, isMempoolError, type MempoolError } from '../contract/errors.ts';
import type { MempoolStore } from '../contract/store.ts';
import type { LogEntry, StoredTransaction } from '../contract/transaction.ts';

const pageEntries = 250;

export interface WalkOptions extends ReadOptions {
  /**
   * Hears of each damaged record, which is then stepped over (M2). Without it the walk ends with the error, whose
   * `details` say where to go on.
   */
  readonly onCorrupt?: ((error: MempoolError) => void) | undefined;
}

export interface SeqWalkOptions extends WalkOptions {
  /** Start behind this seq; default 0. */
  readonly after?: number | undefined;
}

export interface LogWalkOptions extends WalkOptions {
  /** First `logSeq` wanted; default 0, the oldest there is. */
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

/** Everything in one of the two lists by seq, over all pages (O1). What is added behind the walk is walked too. */
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

/** The terminal log over all pages, oldest first (O4). Numbers left out were trimmed before the walk came to them. */
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

/** A damaged record at the beginning of a page, of which the caller was told. */
class Damage {
  readonly error: MempoolError;

  constructor(error: MempoolError) {
    this.error = error;
  }

  /** @throws the error, where it does not say how to step over the record */
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
