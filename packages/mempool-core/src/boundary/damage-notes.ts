import { type Awaitable, after } from '../contract/call-options.ts';
import type { Damage } from '../contract/damage.ts';
import type { StoreDriver } from '../contract/driver.ts';
import type { Logger } from '../contract/options.ts';
import { isLive } from '../contract/transaction.ts';
import { maxCallTransactions } from './basic-checks.ts';

/** So many reports are remembered, so that each damaged record is reported once. */
const mostReported = 10_000;
const noContext = { operationId: undefined, signal: undefined };

/**
 * The damage that the reads of one store have met (M2). Reads only report it. A damaged transaction is dropped where that loses no money:
 * as soon as it is Pending.
 */
export class DamageNotes {
  readonly #log: Logger;
  readonly #reported = new Set<string>();
  /** The seqs of damaged transactions by hash: those that may be Pending, and those that were in flight when they were last looked at. */
  readonly #found = new Map<string, number>();
  readonly #inflight = new Map<string, number>();
  #dropping: Promise<void> | null = null;
  #reports = 0;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Takes a report of the driver. */
  readonly report = ({ hash, seq, logSeq }: Damage): void => {
    this.#reports += 1;
    const name = logSeq === undefined ? `${hash}/${seq}` : `log/${logSeq}`;
    if (this.#reported.has(name) || this.#found.size + this.#inflight.size >= maxCallTransactions) return;
    if (this.#reported.size >= mostReported) this.#reported.clear();
    this.#reported.add(name);
    if (logSeq !== undefined) {
      this.#log('warn', `the log entry ${logSeq} is damaged`, { hash, logSeq });
      return;
    }
    this.#log('warn', `the transaction ${hash === '' ? 'of an unknown hash' : hash} (seq ${seq}) is damaged`, {
      hash,
      seq,
    });
    if (hash !== '') this.#found.set(hash, seq);
  };

  /** True for a damaged transaction that was not dropped yet. */
  has(hash: string): boolean {
    return this.#found.has(hash) || this.#inflight.has(hash);
  }

  /** Reads the page from a position on; the next one, if that is empty because all in its range is damaged. */
  past<P extends { readonly next: number }>(
    read: (from: number) => Awaitable<P>,
    from: number,
    isEmpty: (page: P) => boolean,
  ): Awaitable<P> {
    const reports = this.#reports;
    return after(read(from), (page) => {
      const isDamaged = isEmpty(page) && page.next > from && this.#reports > reports;
      return isDamaged ? this.past(read, page.next, isEmpty) : page;
    });
  }

  /** Before a write: drops what was found and is Pending. Returns `null` if nothing was found. It never rejects. */
  drop(driver: StoreDriver): Promise<void> | null {
    if (this.#found.size === 0) return null;
    this.#dropping ??= this.#drop(driver).finally(() => (this.#dropping = null));
    return this.#dropping;
  }

  /**
   * After a write that may have returned transactions to Pending: drops the damaged ones among them. Returns `null` if no damaged one was
   * in flight. It never rejects.
   */
  dropReturned(driver: StoreDriver): Promise<void> | null {
    return this.#inflight.size === 0 ? null : this.#dropReturned(driver);
  }

  async #dropReturned(driver: StoreDriver): Promise<void> {
    try {
      const statuses = await driver.checkStatus([...this.#inflight.keys()], noContext);
      for (const { hash, stage } of statuses) {
        const seq = this.#inflight.get(hash);
        if (stage === 'Pending' && seq !== undefined) this.#found.set(hash, seq);
        if (stage === 'Pending' || stage === 'Unknown' || !isLive(stage)) this.#inflight.delete(hash);
      }
      await this.drop(driver);
    } catch {
      // They stay noted, and the next such call looks again.
    }
  }

  async #drop(driver: StoreDriver): Promise<void> {
    const found = [...this.#found];
    const hashes = found.map(([hash]) => hash);
    try {
      const context = { ...noContext, pendingSeqs: found.map(([, seq]) => seq) };
      const dropped = new Set(await driver.drop(hashes, 'damaged', context));
      for (const [hash, seq] of found) {
        this.#found.delete(hash);
        if (!dropped.has(hash)) this.#inflight.set(hash, seq);
      }
    } catch {
      // They stay noted for the next write.
    }
  }
}
