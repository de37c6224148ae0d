import type { EpochRecord } from 'mempool-sequencer';
import type { Registry } from 'prom-client';
import { defineGauge, type Metric } from './metric.ts';

type Opened = Pick<EpochRecord, 'openedAt' | 'closesAt'>;

/** Where the epochs are read from, such as an `EpochBoard`. */
export interface EpochSource {
  /** Newest first. */
  rows(): readonly Opened[];
}

const gauges: readonly Metric<Opened>[] = [
  {
    name: 'mempool_epoch_release_late_seconds',
    help: 'How long after the end of its window the release of the newest epoch was read. 0: it was read in time.',
    read: ({ openedAt, closesAt }) => Math.max(0, openedAt - closesAt) / 1_000,
  },
];

/** Shows the newest epoch. The metrics are left out if there is none. */
export function defineEpochMetrics(registry: Registry, epochs: EpochSource): void {
  for (const metric of gauges) defineGauge(registry, metric, () => epochs.rows()[0] ?? null);
}
