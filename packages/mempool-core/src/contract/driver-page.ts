import type { GossipPage } from './pool-verbs.ts';
import type { LogPage, Usage } from './store.ts';
import type { TransactionPage } from './transaction.ts';

/** A page as a driver returns it: positions are plain numbers, which core turns into cursors (O7). */
type Numbered<Page, Place extends keyof Page> = Omit<Page, Place> &
  Readonly<Record<Place, number>> & {
    /** Identifies the pool that was read. It is made with the pool and stored with it. */
    readonly epoch: string;
  };

/** A page by `seq`. `next` is the seq of the last record that it read, damaged or not; if there was none, the `after` of the query. */
export type DriverPage = Numbered<TransactionPage, 'next'>;
/** A page of the terminal log. `cursor` is the number of the entry after the page. */
export type DriverLogPage = Numbered<LogPage, 'cursor'>;
/** A page of `since`. `next` is the last gossip number that the page covers, returned or left out. */
export type DriverGossipPage = Numbered<GossipPage, 'next'>;

/** How much a pool holds, without cursors. */
export interface DriverUsage extends Omit<Usage, 'cursors'> {
  /** The newest gossip number of a priority pool. Absent in a fifo pool, where `lastSeq` takes its place. */
  readonly lastGossipSeq?: number;
}
