import type { Ledger } from 'mempool-ledger';
import { Counter, type Registry } from 'prom-client';
import { defineGauge, type Metric } from './metric.ts';

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

/** The metrics of a ledger. They are left out if there is none. */
export class LedgerMetrics {
  readonly #registry: Registry;
  #calls: Counter<'kind' | 'outcome'> | null = null;
  #swept: Counter<'action'> | null = null;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** Shows the metrics of this ledger from now on. */
  attach(ledger: Ledger): void {
    const registers = [this.#registry];
    this.#calls = new Counter({
      name: 'mempool_ledger_calls_total',
      help: 'Calls of the ledger over HTTP by their kind and outcome.',
      labelNames: ['kind', 'outcome'],
      registers,
    });
    this.#swept = new Counter({
      name: 'mempool_ledger_swept_total',
      help: 'Reservations that this server expired, and records that it trimmed.',
      labelNames: ['action'],
      registers,
    });
    const head = (): Promise<Head> =>
      ledger
        .head()
        .then((seq) => ({ seq }))
        .catch(() => ({ seq: null }));
    for (const metric of gauges) defineGauge(this.#registry, metric, head);
  }

  call(kind: string, outcome: string): void {
    this.#calls?.inc({ kind, outcome });
  }

  swept(action: 'expired' | 'trimmed', count: number): void {
    this.#swept?.inc({ action }, count);
  }
}
