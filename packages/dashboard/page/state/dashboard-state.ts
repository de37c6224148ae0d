import type { BlockChange, Stats, Summary } from 'mempool-server';
import type {
  Candidate,
  LeaderFacts,
  NodeFacts,
  PendingItem,
  PoolFacts,
  WireLimits,
  WireUsage,
} from '../wire/answers.ts';
import { type Connection, unconnected } from './connection.ts';
import { type EpochsView, noEpochs } from './epochs.ts';
import { emptyFeed, type Feed } from './feed.ts';
import type { Inspected } from './inspector.ts';
import { type LedgerView, noLedger } from './ledger.ts';

/** The ranges of the charts. */
export const chartRanges = ['2h', '24h', '7d'] as const;
export type ChartRange = (typeof chartRanges)[number];

/** An answer of the API that is not there yet is `null`. */
export interface DashboardState {
  readonly connection: Connection;
  /** The server's reason for not being ready; `null`: it is ready. */
  readonly notReady: string | null;
  readonly pool: PoolFacts | null;
  readonly summary: Summary | null;
  readonly usage: WireUsage | null;
  readonly limits: WireLimits | null;
  /** `null`: nothing is Pending. */
  readonly oldest: PendingItem | null;
  /** The best of a priority pool, in its order. */
  readonly best: readonly Candidate[] | null;
  /** The oldest of a fifo pool. */
  readonly queue: readonly PendingItem[] | null;
  /** Newest first. */
  readonly blocks: readonly BlockChange[] | null;
  readonly leader: LeaderFacts | null;
  readonly nodes: readonly NodeFacts[];
  readonly range: ChartRange;
  readonly stats: Stats | null;
  readonly feed: Feed;
  readonly ledger: LedgerView;
  readonly epochs: EpochsView;
  /** The transaction in the drawer; `null`: it is closed. */
  readonly inspected: Inspected | null;
}

export const emptyState: DashboardState = {
  connection: unconnected,
  notReady: null,
  pool: null,
  summary: null,
  usage: null,
  limits: null,
  oldest: null,
  best: null,
  queue: null,
  blocks: null,
  leader: null,
  nodes: [],
  range: '2h',
  stats: null,
  feed: emptyFeed,
  ledger: noLedger,
  epochs: noEpochs,
  inspected: null,
};
