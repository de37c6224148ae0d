import type { EpochGap } from 'mempool-sequencer';
import type { EpochWorker, ShownEpoch } from 'mempool-sequencer/server';
import type { BlockChange, Stats, Summary } from 'mempool-server';
import type {
  Candidate,
  LeaderFacts,
  NodeFacts,
  PendingItem,
  PoolFacts,
  WireLimits,
  WireSummary,
  WireUsage,
} from '../wire/answers.ts';
import { ReadError, readJson } from '../wire/read.ts';
import type { DashboardState } from './dashboard-state.ts';
import { aheadAfter, shownEpochs, shownGaps } from './epochs.ts';
import { projectedBlocks, sizeOfBlock } from './projection.ts';

/** The fields that a read sets. */
type Change = Partial<DashboardState>;

interface List<T> {
  readonly items: readonly T[];
}

/** The numbers that move with every event. */
export async function readNumbers(): Promise<Change> {
  const [summary, usage, pending] = await Promise.all([
    readJson<Summary>('api/v1/summary').catch(withoutMonitor),
    readJson<WireUsage>('api/v1/usage'),
    readJson<List<PendingItem>>('api/v1/transactions?stage=pending&limit=1'),
  ]);
  return { summary, usage, oldest: pending.items[0] ?? null };
}

/** @throws `ReadError` */
function withoutMonitor(error: unknown): never {
  if (!(error instanceof ReadError) || error.status !== 404) throw error;
  throw new ReadError('this server runs without a monitor, and so without numbers', error.status);
}

/** What hardly ever changes. */
export async function readFacts(): Promise<Change> {
  const [pool, limits] = await Promise.all([readJson<PoolFacts>('api/v1/pool'), readJson<WireLimits>('api/v1/limits')]);
  return { pool, limits };
}

export async function readReadiness(): Promise<Change> {
  try {
    await readJson('readyz');
    return { notReady: null };
  } catch (error) {
    if (error instanceof ReadError && error.status === 503) return { notReady: error.message };
    throw error;
  }
}

/** How many of a queue are shown. */
const queueLength = 150;

/** The next transactions: by priority the best, by arrival the oldest. `null` if nothing was asked. */
export async function readNext({ pool, blocks }: DashboardState): Promise<Change | null> {
  if (pool === null) return null;
  if (pool.ordering === 'fifo') {
    const { items } = await readJson<List<PendingItem>>(`api/v1/transactions?stage=pending&limit=${queueLength}`);
    return { queue: items };
  }
  const wanted = projectedBlocks * sizeOfBlock(blocks ?? []);
  const { items } = await readJson<List<Candidate>>(`api/v1/reap?maxTxs=${wanted}`);
  return { best: items };
}

export async function readBlocks(): Promise<Change> {
  const { items } = await readJson<List<BlockChange>>('api/v1/timeline/blocks?limit=100');
  return { blocks: items };
}

export async function readElection(): Promise<Change> {
  const [leader, nodes] = await Promise.all([
    readJson<LeaderFacts>('api/v1/leader'),
    readJson<List<NodeFacts>>('api/v1/nodes'),
  ]);
  return { leader, nodes: nodes.items };
}

/** An answer for a range that is no longer wanted is not shown. */
export async function readStats(state: () => DashboardState): Promise<Change> {
  const { range } = state();
  const stats = await readJson<Stats>(`api/v1/stats?range=${range}`);
  return state().range === range ? { stats } : {};
}

/** The epochs, where the server watches some; else `null`: nothing was asked. */
export async function readEpochs(state: () => DashboardState): Promise<Change | null> {
  if (state().pool?.epochs !== true) return null;
  const [summary, gaps, workers, recent] = await Promise.all([
    readJson<WireSummary>('api/v1/epochs/dashboard/summary'),
    readJson<List<EpochGap>>(`api/v1/epochs/gaps?limit=${shownGaps}`),
    readJson<List<EpochWorker>>('api/v1/epochs/workers'),
    readJson<List<ShownEpoch>>(`api/v1/epochs/timeline?limit=${shownEpochs}`),
  ]);
  const aheadMs = aheadAfter(state().epochs.aheadMs, summary.generatedAt, Date.now());
  return { epochs: { summary, gaps: gaps.items, workers: workers.items, recent: recent.items, aheadMs } };
}
