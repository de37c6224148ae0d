import type { Delivered, Mempool, TransactionEvent, TransactionStatus } from 'mempool-core';
import { busy, type EventHub, type LiveReader, type SentEvent } from 'mempool-server/edge';

/** The stage of one transaction. */
export type StageNews = Pick<TransactionStatus, 'hash' | 'stage'>;

/** The most events of its transactions that wait for one watcher. */
const maxQueued = 2_048;
/** The most hashes in one call of the pool. */
const maxLook = 1_000;

/** The stages of some transactions, for one client. */
interface Watch {
  readonly queue: TransactionEvent[];
  /** True after lost events: the stages must be read again. */
  mustLook: boolean;
  isCut: boolean;
  wake: () => void;
  readonly onCut: () => void;
}

/**
 * Follows the stages of many transactions for many clients. All share one reader of the server's subscription, which passes
 * each event only to the clients that wait for its transaction.
 */
export class StageWatches implements LiveReader {
  readonly #pool: Mempool;
  readonly #hub: EventHub;
  readonly #byHash = new Map<string, Set<Watch>>();
  readonly #all = new Set<Watch>();
  #isJoined = false;

  constructor(pool: Mempool, hub: EventHub) {
    this.#pool = pool;
    this.#hub = hub;
  }

  /**
   * Yields the current stage of each transaction, then each change, until `signal` aborts.
   * @param onCut called if the client is too slow, because a client that reads nothing does not see the error
   * @throws the pool's error; `Problem` 503 if the subscription ends or the client is too slow
   */
  async *watch(hashes: ReadonlySet<string>, signal: AbortSignal, onCut: () => void): AsyncGenerator<StageNews, void> {
    await this.#join();
    const watch: Watch = { queue: [], mustLook: true, isCut: false, wake: () => undefined, onCut };
    this.#add(watch, hashes);
    const wake = (): void => watch.wake();
    signal.addEventListener('abort', wake, { once: true });
    try {
      yield* this.#follow(watch, hashes, signal);
    } finally {
      signal.removeEventListener('abort', wake);
      this.#remove(watch, hashes);
    }
  }

  take({ event }: SentEvent): void {
    if (event.kind === 'lagged') {
      for (const watch of this.#all) {
        watch.queue.length = 0;
        watch.mustLook = true;
        watch.wake();
      }
    } else if (event.kind === 'transaction') this.#tell(event);
  }

  end(): void {
    this.#isJoined = false;
    for (const watch of this.#all) {
      watch.isCut = true;
      watch.wake();
    }
  }

  #tell(event: TransactionEvent & Delivered): void {
    for (const watch of this.#byHash.get(event.hash) ?? []) {
      watch.queue.push(event);
      if (watch.queue.length > maxQueued) {
        watch.isCut = true;
        watch.queue.length = 0;
        watch.onCut();
      }
      watch.wake();
    }
  }

  async #join(): Promise<void> {
    await this.#hub.start();
    if (this.#isJoined) return;
    this.#isJoined = true;
    this.#hub.add(this);
  }

  #add(watch: Watch, hashes: ReadonlySet<string>): void {
    this.#all.add(watch);
    for (const hash of hashes) {
      const watches = this.#byHash.get(hash);
      if (watches === undefined) this.#byHash.set(hash, new Set([watch]));
      else watches.add(watch);
    }
  }

  #remove(watch: Watch, hashes: ReadonlySet<string>): void {
    this.#all.delete(watch);
    for (const hash of hashes) {
      const watches = this.#byHash.get(hash);
      watches?.delete(watch);
      if (watches?.size === 0) this.#byHash.delete(hash);
    }
  }

  async *#follow(watch: Watch, hashes: ReadonlySet<string>, signal: AbortSignal): AsyncGenerator<StageNews, void> {
    const told = new Map<string, TransactionStatus['stage']>();
    let readUpTo = 0;
    while (!signal.aborted) {
      if (watch.isCut) throw busy('The events ended, or the client reads too slowly.');
      const event = watch.queue.shift();
      if (watch.mustLook) {
        watch.mustLook = false;
        const look = await this.#look([...hashes]);
        readUpTo = look.upTo;
        yield* news(told, look.stages);
      } else if (event === undefined) {
        await new Promise<void>((resolve) => {
          watch.wake = resolve;
        });
      } else if (event.eventSeq > readUpTo || event.previous.stage === told.get(event.hash)) {
        // Else the event is older than the stage that was read.
        yield* news(told, [event]);
      }
    }
  }

  async #look(hashes: readonly string[]): Promise<{ readonly stages: readonly StageNews[]; readonly upTo: number }> {
    const stages: StageNews[] = [];
    for (let from = 0; from < hashes.length; from += maxLook)
      stages.push(...(await this.#pool.status(hashes.slice(from, from + maxLook))));
    const { lastEventSeq: upTo } = await this.#pool.usage();
    return { stages, upTo };
  }
}

function* news(told: Map<string, TransactionStatus['stage']>, found: readonly StageNews[]): Generator<StageNews, void> {
  for (const { hash, stage } of found) {
    if (told.get(hash) === stage) continue;
    told.set(hash, stage);
    yield { hash, stage };
  }
}
