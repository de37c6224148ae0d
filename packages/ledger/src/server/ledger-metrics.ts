import type { Count, ExtensionMetrics, Metric } from 'mempool-server/extension';
import type { Ledger } from '../index.ts';

interface Head {
  /** The number of the newest record; `null`: the store cannot be reached. */
  readonly seq: number | null;
}

const gauges: readonly Metric<Head>[] = [
  {
    name: 'mempool_ledger_store_up',
    help: 'Whether the store of the ledger can be reached.',
    read: ({ seq }) => (seq === null ? 0 : 1),
  },
  {
    name: 'mempool_ledger_last_record',
    help: 'The number of the newest record of the ledger.',
    read: ({ seq }) => seq,
  },
];

/** Shows the metrics of a ledger. Returns the counter of its calls over HTTP. */
export function defineLedgerMetrics(metrics: ExtensionMetrics, ledger: Ledger): Count {
  metrics.gauges(gauges, () =>
    ledger.head().then(
      (seq) => ({ seq }),
      () => ({ seq: null }),
    ),
  );
  return metrics.counter({
    name: 'mempool_ledger_calls_total',
    help: 'Calls of the ledger over HTTP by their kind and outcome.',
    labelNames: ['kind', 'outcome'],
  });
}

/** Defines the counter of reservations that this server expired and of records that it trimmed. */
export function sweptCounter(metrics: ExtensionMetrics): Count {
  return metrics.counter({
    name: 'mempool_ledger_swept_total',
    help: 'Reservations that this server expired, and records that it trimmed.',
    labelNames: ['action'],
  });
}
