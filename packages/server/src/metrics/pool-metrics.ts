import type { Floor, Mempool, Tip, TransactionPage, Usage } from 'mempool-core';
import type { Election } from 'mempool-election';
import type { Registry } from 'prom-client';
import type { Monitor } from '../monitor/monitor.ts';
import { EventMetrics } from './event-metrics.ts';
import { defineGauge, type Metric } from './metric.ts';

/** The objects that the metrics read. */
export interface MetricsSource {
  readonly pool: Mempool;
  readonly monitor: Monitor;
  /** The election; with `null`, `mempool_is_leader` and `mempool_election_term` are left out. */
  readonly election: Election | null;
}

/** The values read from the pool for one answer. */
interface Probe {
  readonly usage: Usage;
  readonly tip: Tip;
  readonly oldest: TransactionPage;
}

const gauges: readonly Metric<Probe>[] = [
  {
    name: 'mempool_transactions',
    help: 'Live transactions by stage.',
    labelNames: ['stage'],
    read: ({ usage }) => [
      [{ stage: 'Pending' }, usage.pending],
      [{ stage: 'Propagated' }, usage.propagated],
      [{ stage: 'Acknowledged' }, usage.acknowledged],
      [{ stage: 'Confirmed' }, usage.confirmed],
    ],
  },
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
 * The metrics of the pool. Counters count the events since the start of the process. Each server of a pool reads the same
 * events, so use the maximum of the servers' values, not their sum.
 */
export class PoolMetrics {
  readonly #events: EventMetrics;
  #source: MetricsSource | null = null;
  #stopCounting: () => void = () => undefined;
  /** `null` before the first one and after one that failed. */
  #probe: Probe | null = null;
  #probing: Promise<void> | null = null;

  constructor(registry: Registry) {
    this.#events = new EventMetrics(registry);
    for (const metric of gauges) defineGauge(registry, metric, () => this.#probe);
    const since: Metric<Monitor> = {
      name: 'mempool_statistics_since_timestamp_seconds',
      help: 'The time from which the statistics of the pool count; 0: from its first event.',
      read: (monitor) => secondsOf(monitor.summary().since ?? 0),
    };
    defineGauge(registry, since, () => this.#source?.monitor ?? null);
    const up: Metric<this> = {
      name: 'mempool_store_up',
      help: 'Whether the store of the pool answers.',
      read: () => (this.#probe === null ? 0 : 1),
    };
    defineGauge(registry, up, () => (this.#source === null ? null : this));
  }

  attach(source: MetricsSource): void {
    this.#source = source;
    this.#stopCounting();
    this.#stopCounting = source.monitor.onEvent((event) => this.#events.count(event));
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
