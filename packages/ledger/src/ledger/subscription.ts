import { recordDigest, recordOfRaw } from '../codec/record-text.ts';
import { ledgerLimits } from '../contract/limits.ts';
import type { LedgerRecord, RawRecord } from '../contract/record.ts';
import type { LedgerStore, RecordPage } from '../contract/store.ts';

/** Records are missing for this reader, because they were trimmed or the store lost data. The stream continues after `to`. */
export interface Lagged {
  readonly type: 'lagged';
  /**
   * The first record that is missing; `to` is the last. If the store went back to an earlier state, `to` is below `from`: it is the last
   * record that is the same as before, as far as this reader knows. What it has delivered after `to` is void.
   */
  readonly from: number;
  readonly to: number;
}

export type LedgerEvent = LedgerRecord | Lagged;

/** Yields every record after `after`, in order, and waits for more until `signal` aborts. */
export async function* follow(
  store: LedgerStore,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<LedgerEvent, void> {
  const trail = new Trail();
  let seq = after;
  while (!signal.aborted) {
    const page = await store.records(seq, ledgerLimits.maxPage);
    const to = await trail.gapEnd(store, page, seq);
    if (to !== null) {
      yield { type: 'lagged', from: seq + 1, to };
      const isBack = to < seq;
      seq = to;
      if (isBack) continue;
    }
    for (const raw of page.records) {
      if (signal.aborted) return;
      if (raw.seq <= seq) continue;
      yield recordOfRaw(raw);
      seq = raw.seq;
      trail.add(raw);
    }
    // A ledger that is closed no longer answers.
    if (page.records.length === 0 && !signal.aborted) await store.changed(seq, signal);
  }
}

/** The digests of the last records that a reader got. They tell if the store went back and has other records since. */
class Trail {
  readonly #digests = new Map<number, string>();

  add({ seq, digest }: RawRecord): void {
    this.#digests.set(seq, digest);
    this.#digests.delete(seq - ledgerLimits.maxPage);
  }

  /** Returns the number after which to go on, if records are missing between `seq` and the page; else `null`. */
  async gapEnd(store: LedgerStore, page: RecordPage, seq: number): Promise<number | null> {
    const end = await this.#endOf(store, page, seq);
    if (end !== null) this.#digests.clear();
    return end;
  }

  async #endOf(store: LedgerStore, { records, first, head }: RecordPage, seq: number): Promise<number | null> {
    const [next] = records;
    const digest = this.#digests.get(seq);
    const isOther = digest !== undefined && next?.seq === seq + 1 && recordDigest(digest, next) !== next.digest;
    if (head >= seq && !isOther) return first > seq + 1 ? first - 1 : null;
    const same = digest === undefined ? head : await this.#lastSame(store, first);
    // The next record itself is damaged: an audit tells.
    return same === seq ? null : same;
  }

  /** The last record that is still the one that the reader got. */
  async #lastSame(store: LedgerStore, first: number): Promise<number> {
    const [oldest = first] = this.#digests.keys();
    const { records } = await store.records(oldest - 1, ledgerLimits.maxPage);
    const same = records.findLast(({ seq, digest }) => this.#digests.get(seq) === digest);
    return same?.seq ?? first - 1;
  }
}
