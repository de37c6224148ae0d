import { maxCallTransactions } from '../boundary/arguments.ts';
import { endable } from '../boundary/unless-aborted.ts';
import type { ReadOptions } from '../contract/call-options.ts';
import type { TransactionEvent } from '../contract/events.ts';
import type { MempoolStore } from '../contract/store.ts';
import type { TransactionStatus } from '../contract/transaction.ts';
import { eventStatus } from './waiters.ts';

/**
 * Status changes of some hashes, beginning with the present status of each. Where events were lost it looks again and tells
 * what is different, so the last status told of a hash is always the newest.
 */
export class Watch implements AsyncIterable<TransactionStatus> {
  readonly #store: MempoolStore;
  readonly #hashes: ReadonlySet<string>;
  readonly #signal: AbortSignal | undefined;

  constructor(store: MempoolStore, hashes: readonly string[], { signal }: ReadOptions) {
    this.#store = store;
    this.#hashes = new Set(hashes);
    this.#signal = signal;
  }

  /** Ending it ends its subscription at once, also while it waits. */
  [Symbol.asyncIterator](): AsyncIterator<TransactionStatus, undefined> {
    return endable((signal) => this.#changes(signal), this.#signal);
  }

  async *#changes(signal: AbortSignal): AsyncGenerator<TransactionStatus, undefined> {
    const events = await this.#store.subscribe({ signal });
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
      statuses.push(...(await this.#store.checkStatus(hashes.slice(i, i + maxCallTransactions), { signal })));
    const { lastEventSeq: to } = await this.#store.usage({ signal });
    return { statuses, to };
  }
}

/** Statuses, and an event number that they are not newer than. */
interface Look {
  readonly statuses: readonly TransactionStatus[];
  readonly to: number;
}

/**
 * Whether an event tells more than the look did. One from before the look's end may be older than the status read: it counts
 * where it begins at the stage told last, so what is told is a way through the stages that ends at the present one.
 */
function isNews(event: TransactionEvent, { to }: Look, told: ReadonlyMap<string, TransactionStatus>): boolean {
  return event.eventSeq > to || event.previous.stage === told.get(event.hash)?.stage;
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

/** Depth alone is no change (E1). */
function differ(a: TransactionStatus, b: TransactionStatus): boolean {
  return a.stage !== b.stage || a.reason !== b.reason || a.confirmedAt?.hash !== b.confirmedAt?.hash;
}
