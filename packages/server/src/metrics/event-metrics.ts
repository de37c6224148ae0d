import { type MempoolEvent, poolReasons, type TransactionEvent } from 'mempool-core';
import { Counter, Histogram, type Registry } from 'prom-client';
import { finalityBoundsMs } from '../monitor/histogram.ts';

/** Counts the events of the pool from the start of the process. */
export class EventMetrics {
  readonly #blocks: Counter<'action'>;
  readonly #transitions: Counter<'from' | 'to'>;
  readonly #dropped: Counter<'reason'>;
  readonly #finality: Histogram;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#blocks = new Counter({
      name: 'mempool_blocks_total',
      help: 'Blocks applied and undone.',
      labelNames: ['action'],
      registers,
    });
    this.#transitions = new Counter({
      name: 'mempool_transitions_total',
      help: 'Transitions of transactions from one stage to another.',
      labelNames: ['from', 'to'],
      registers,
    });
    this.#dropped = new Counter({
      name: 'mempool_dropped_total',
      help: 'Transactions dropped. Reasons of the application count as other.',
      labelNames: ['reason'],
      registers,
    });
    this.#finality = new Histogram({
      name: 'mempool_time_to_finality_seconds',
      help: 'Time from being received to Finalized.',
      buckets: finalityBoundsMs.map((ms) => ms / 1_000),
      registers,
    });
    // Prometheus sees an increase only from a value that it has seen before.
    for (const action of ['applied', 'undone']) this.#blocks.inc({ action }, 0);
    for (const from of ['Unknown', 'Dropped']) this.#transitions.inc({ from, to: 'Pending' }, 0);
    for (const reason of [...poolReasons, 'other']) this.#dropped.inc({ reason }, 0);
  }

  count(event: MempoolEvent): void {
    if (event.kind === 'block') this.#blocks.inc({ action: event.action });
    if (event.kind === 'transaction') this.#countTransaction(event);
  }

  #countTransaction({ stage, previous, reason, at, receivedAt }: TransactionEvent): void {
    this.#transitions.inc({ from: previous.stage, to: stage });
    if (stage === 'Dropped') this.#dropped.inc({ reason: typeof reason === 'string' ? reason : 'other' });
    if (stage === 'Finalized' && receivedAt !== null) this.#finality.observe(Math.max(0, at - receivedAt) / 1_000);
  }
}
