import { maxCallTransactions } from '../boundary/basic-checks.ts';
import { endable } from '../boundary/unless-aborted.ts';
import type { ReadOptions } from '../contract/call-options.ts';
import { sameReason } from '../contract/drop-reason.ts';
import type { TransactionEvent } from '../contract/events.ts';
import type { Stage, TransactionStatus } from '../contract/transaction.ts';
import type { PoolReads } from './pool-reads.ts';
import { eventStatus } from './waiters.ts';

/**
 * A stream of the status changes of some hashes. It begins with the current status of each. After lost events it reads the
 * statuses again and delivers those that changed. So the last status delivered for a hash is always the newest.
 */
export class Watch implements AsyncIterable<TransactionStatus> {
  readonly #reads: PoolReads;
  readonly #hashes: ReadonlySet<string>;
  readonly #signal: AbortSignal | undefined;

  constructor(reads: PoolReads, hashes: readonly string[], { signal }: ReadOptions) {
    this.#reads = reads;
    this.#hashes = new Set(hashes);
    this.#signal = signal;
  }

  /** Returns an iterator. Ending it ends the subscription at once, even while `next` waits. */
  [Symbol.asyncIterator](): AsyncIterator<TransactionStatus, undefined> {
    return endable((signal) => this.#changes(signal), this.#signal);
  }

  async *#changes(signal: AbortSignal): AsyncGenerator<TransactionStatus, undefined> {
    const events = await this.#reads.subscribe({ signal });
    const told = new Map<string, TransactionStatus>();
    let overlap = await this.#look(signal);
    yield* tell(told, overlap.statuses);
    for await (const event of events) {
      if (event.kind === 'lagged') {
        overlap = await this.#look(signal);
        yield* tell(told, overlap.statuses);
      } else if (event.kind === 'transaction' && this.#hashes.has(event.hash) && isNews(event, overlap, told))
        yield* tell(told, [eventStatus(event)]);
    }
    return undefined;
  }

  async #look(signal: AbortSignal): Promise<Look> {
    const hashes = [...this.#hashes];
    const statuses: TransactionStatus[] = [];
    for (let i = 0; i < hashes.length; i += maxCallTransactions)
      statuses.push(...(await this.#reads.status(hashes.slice(i, i + maxCallTransactions), { signal })));
    const { lastEventSeq: to } = await this.#reads.usage({ signal });
    return { statuses, to };
  }
}

/** Statuses, and the number `to` of the last event written when they had been read. */
interface Look {
  readonly statuses: readonly TransactionStatus[];
  readonly to: number;
}

/**
 * True if an event adds to the statuses read. An event up to number `to` may be older than the status read. Such an
 * event counts only if it starts at the stage delivered last. So the delivered stages form a path to the current stage.
 */
function isNews(event: TransactionEvent, { to }: Look, told: ReadonlyMap<string, TransactionStatus>): boolean {
  return event.eventSeq > to || isNext(event.previous.stage, told.get(event.hash)?.stage);
}

/** True if this stage before an event may be the one that was delivered last. What has ended is Unknown after it left the log. */
function isNext(before: Stage, last: TransactionStatus['stage'] | undefined): boolean {
  return before === last || (before === 'Unknown' && (last === 'Dropped' || last === 'Finalized'));
}

function* tell(
  told: Map<string, TransactionStatus>,
  statuses: readonly TransactionStatus[],
): Generator<TransactionStatus, undefined> {
  for (const status of statuses) {
    const before = told.get(status.hash);
    told.set(status.hash, status);
    if (before === undefined || differ(before, status)) yield status;
  }
  return undefined;
}

/** A new depth alone is no change (E1). */
function differ(a: TransactionStatus, b: TransactionStatus): boolean {
  return a.stage !== b.stage || !sameReason(a.reason, b.reason) || a.confirmedAt?.hash !== b.confirmedAt?.hash;
}
