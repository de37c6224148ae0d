import type { Floor, Mempool, Tip, TransactionPage, Usage } from 'mempool-core';
import type { Election } from 'mempool-election';
import type { Registry } from 'prom-client';
import type { MonitorView } from '../monitor/monitor.ts';
import type { StoredTotals } from '../monitor/stored-totals.ts';
import { defineCounter, defineGauge, type Metric } from './metric.ts';
import { StoredHistogram } from './stored-histogram.ts';

/** The objects that the metrics read. */
export interface MetricsSource {
  readonly pool: Mempool;
  readonly monitor: MonitorView;
  /** The election; with `null`, `mempool_is_leader` and `mempool_election_term` are left out. */
  readonly election: Election | null;
}

/** The values read from the pool for one answer. */
interface Probe {
  readonly usage: Usage;
  readonly tip: Tip;
  readonly oldest: TransactionPage;
}

const counters: readonly Metric<StoredTotals>[] = [
  {
    name: 'mempool_blocks_total',
    help: 'Blocks applied and undone.',
    labelNames: ['action'],
    read: ({ blocks }) => Object.entries(blocks).map(([action, count]) => [{ action }, count]),
  },
  {
    name: 'mempool_transitions_total',
    help: 'Transitions of transactions from one stage to another.',
    labelNames: ['from', 'to'],
    read: ({ transitions }) => transitions.map(({ from, to, count }) => [{ from, to }, count]),
  },
  {
    name: 'mempool_dropped_total',
    help: 'Transactions dropped. Reasons of the application count as other.',
    labelNames: ['reason'],
    read: ({ dropped }) => Object.entries(dropped).map(([reason, count]) => [{ reason }, count]),
  },
  {
    name: 'mempool_events_lagged_total',
    help: 'How often the monitor lost events: its totals lack them.',
    read: ({ lagged }) => lagged,
  },
];

const liveStages = ['Pending', 'Propagated', 'Acknowledged', 'Confirmed'] as const;

const storedGauges: readonly Metric<StoredTotals>[] = [
  {
    name: 'mempool_transactions',
    help: 'Live transactions by stage.',
    labelNames: ['stage'],
    read: ({ stages }) => liveStages.map((stage) => [{ stage }, stages[stage]]),
  },
];

const probedGauges: readonly Metric<Probe>[] = [
  {
    name: 'mempool_bytes',
    help: 'Bytes of transactions in the pool. Priority pools only.',
    read: ({ usage }) => usage.load?.bytes ?? null,
  },
  {
    name: 'mempool_oldest_pending_timestamp_seconds',
    help: 'When the Pending transaction that arrived first was received.',
    read: ({ oldest }) => secondsOf(oldest.transactions[0]?.receivedAt ?? null),
  },
  {
    name: 'mempool_floor_priority',
    help: 'The lowest priority that is admitted; -Inf: any, +Inf: none. Priority pools only.',
    read: ({ usage }) => (usage.load === undefined ? null : priorityOf(usage.load.floor)),
  },
  {
    name: 'mempool_tip_slot',
    help: 'The slot of the last block applied.',
    read: ({ tip }) => tip.point?.slot ?? null,
  },
];

const probeTimeoutMs = 2_000;

/**
 * The metrics of the pool. Counters show the last saved state of the monitor, so they do not decrease when a server is
 * killed, which would look like a reset. Each server of a pool shows the same values, so use their maximum, not their sum.
 */
export class PoolMetrics {
  #source: MetricsSource | null = null;
  /** `null` before the first one and after one that failed. */
  #probe: Probe | null = null;
  #probing: Promise<void> | null = null;

  constructor(registry: Registry) {
    const stored = (): StoredTotals | null => this.#source?.monitor.stored() ?? null;
    for (const metric of counters) defineCounter(registry, metric, stored);
    for (const metric of storedGauges) defineGauge(registry, metric, stored);
    for (const metric of probedGauges) defineGauge(registry, metric, () => this.#probe);
    const up: Metric<this> = {
      name: 'mempool_store_up',
      help: 'Whether the store of the pool answers.',
      read: () => (this.#probe === null ? 0 : 1),
    };
    defineGauge(registry, up, () => (this.#source === null ? null : this));
    new StoredHistogram({
      name: 'mempool_time_to_finality_seconds',
      help: 'Time from being received to Finalized.',
      registry,
      read: () => stored()?.finality ?? null,
    });
  }

  attach(source: MetricsSource): void {
    this.#source = source;
  }

  /** Reads the pool again. Concurrent calls share one read. It never rejects. */
  probe(): Promise<void> {
    this.#probing ??= this.#read().finally(() => {
      this.#probing = null;
    });
    return this.#probing;
  }

  async #read(): Promise<void> {
    if (this.#source === null) return;
    const { pool } = this.#source;
    const signal = AbortSignal.timeout(probeTimeoutMs);
    try {
      const oldest = pool.peekPending({ limit: 1, signal });
      const [usage, tip] = await Promise.all([pool.usage({ signal }), pool.tip({ signal }), oldest]);
      this.#probe = { usage, tip, oldest: await oldest };
    } catch {
      this.#probe = null;
    }
  }
}

function secondsOf(ms: number | null): number | null {
  return ms === null ? null : ms / 1_000;
}

function priorityOf(floor: Floor): number {
  switch (floor.kind) {
    case 'open':
      return Number.NEGATIVE_INFINITY;
    case 'at-least':
      return Number(floor.priority);
    case 'closed':
      return Number.POSITIVE_INFINITY;
  }
}
