/** What the pool's event stream tells from its first event on, across all runs: the same picture that the pool itself gives. */
import type { KnownStage, Mempool, MempoolEvent, TransactionEvent } from 'mempool-core';

export class StageWatch {
  /** How many transactions are in each stage now. */
  readonly stages: Record<KnownStage, number> = {
    Pending: 0,
    Propagated: 0,
    Acknowledged: 0,
    Confirmed: 0,
    Finalized: 0,
    Dropped: 0,
  };
  /** Transactions that an undone block returned to Pending at least once. */
  readonly rolledBack = new Set<string>();
  readonly #store: Mempool;
  readonly #onEvent: (event: TransactionEvent) => void;
  #position = 0;
  #reading: Promise<void> = Promise.resolve();
  #onProgress: () => void = () => {};

  private constructor(store: Mempool, onEvent: (event: TransactionEvent) => void) {
    this.#store = store;
    this.#onEvent = onEvent;
  }

  /** Ends when the store is closed. */
  static async open(store: Mempool, onEvent: (event: TransactionEvent) => void): Promise<StageWatch> {
    const watch = new StageWatch(store, onEvent);
    const events = await store.subscribe({ after: 'origin' });
    watch.#reading = watch.#read(events);
    // Looked at in `caughtUp`; until then a failure of the stream is not unhandled.
    watch.#reading.catch(() => {});
    return watch;
  }

  /** Resolves when every event that the pool has now was read. */
  async caughtUp(): Promise<void> {
    const { lastEventSeq } = await this.#store.usage();
    const arrived = new Promise<void>((resolve) => {
      this.#onProgress = () => {
        if (this.#position >= lastEventSeq) resolve();
      };
      this.#onProgress();
    });
    await Promise.race([arrived, this.#reading]);
  }

  async #read(events: AsyncIterable<MempoolEvent>): Promise<void> {
    for await (const event of events) {
      this.#take(event);
      this.#onProgress();
    }
  }

  #take(event: MempoolEvent): void {
    if (event.kind === 'lagged') return;
    this.#position = event.eventSeq;
    if (event.kind !== 'transaction') return;
    const { hash, stage, previous, cause } = event;
    if (previous.stage !== 'Unknown') this.stages[previous.stage] -= 1;
    this.stages[stage] += 1;
    if (stage === 'Pending' && cause !== 'received') this.rolledBack.add(hash);
    this.#onEvent(event);
  }
}
