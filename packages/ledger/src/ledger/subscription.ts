import { recordOfRaw } from '../codec/record-text.ts';
import { ledgerLimits } from '../contract/limits.ts';
import type { LedgerRecord } from '../contract/record.ts';
import type { LedgerStore } from '../contract/store.ts';

/** Records are missing for this reader, because they were trimmed or the store lost data. The stream continues after `to`. */
export interface Lagged {
  readonly type: 'lagged';
  /** The first record that is missing; `to` is the last. If the store went back to an earlier state, `to` is below `from`. */
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
  let seq = after;
  while (!signal.aborted) {
    const { records, first, head } = await store.records(seq, ledgerLimits.maxPage);
    if (head < seq) {
      yield { type: 'lagged', from: seq + 1, to: head };
      seq = head;
    } else if (first > seq + 1) {
      yield { type: 'lagged', from: seq + 1, to: first - 1 };
      seq = first - 1;
    }
    for (const raw of records) {
      if (signal.aborted) return;
      if (raw.seq <= seq) continue;
      yield recordOfRaw(raw);
      seq = raw.seq;
    }
    if (records.length === 0) await store.changed(seq, signal);
  }
}
