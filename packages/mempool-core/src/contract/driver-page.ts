import type { GossipPage } from './pool-verbs.ts';
import type { LogPage, Usage } from './store.ts';
import type { TransactionPage } from './transaction.ts';

/** A page as a driver answers it: with plain numbers, of which core makes cursors (O7). */
type Numbered<Page, Place extends keyof Page> = Omit<Page, Place> &
  Readonly<Record<Place, number>> & {
    /** Identifies the pool that was read. It is made with the pool and stored with it. */
    readonly epoch: string;
  };

/** A page by `seq`. `next`: the seq of the last record on the page, damaged ones too; of an empty page what was asked. */
export type DriverPage = Numbered<TransactionPage, 'next'>;
/** A page of the terminal log. `cursor`: the number of the entry after the page. */
export type DriverLogPage = Numbered<LogPage, 'cursor'>;
/** A page of `since`. `next`: the last number that the page passed. */
export type DriverGossipPage = Numbered<GossipPage, 'next'>;

/** How much a pool holds, without cursors. */
export interface DriverUsage extends Omit<Usage, 'cursors'> {
  /** The newest gossip number of a priority pool. In a fifo pool it is `lastSeq`. */
  readonly lastGossipSeq?: number;
}
