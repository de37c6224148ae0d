import type { Observer } from 'mempool-core';
import type { Ledger } from 'mempool-ledger';
import { Registry } from 'prom-client';
import { type MetricsSource, PoolMetrics } from './pool-metrics.ts';
import { type AnsweredRequest, ProcessMetrics } from './process-metrics.ts';

/** The metrics of one server, in a registry of their own. */
export interface Metrics {
  /** Give it to `openMempool` or `openNode` as `observer`. It counts fenced calls, too. */
  readonly observer: Observer;
  /** The content type of `text`. */
  readonly contentType: string;
  /** From now on the pool's metrics are shown, too. */
  attach(source: MetricsSource): void;
  /** From now on the ledger's metrics are shown, too. Call it at most once. */
  attachLedger(ledger: Ledger): void;
  /** A call of the ledger was answered. */
  ledgerCall(kind: string, outcome: string): void;
  /** The ledger's timer has done something. */
  ledgerSwept(action: 'expired' | 'trimmed', count: number): void;
  httpRequest(request: AnsweredRequest): void;
  /** The number of SSE clients that are connected now. */
  sseClients(count: number): void;
  /** The metrics in Prometheus' text format. If the store cannot be reached, `mempool_store_up` is 0. */
  text(): Promise<string>;
}

/**
 * Makes the metrics of one server. They must be there before the pool, which is opened with their observer.
 *
 * @example
 * const metrics = createMetrics();
 * const { pool, election } = await openNode(config, { observer: metrics.observer });
 * metrics.attach({ pool, election, monitor: await Monitor.start(pool) });
 */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const [ofPool, ofProcess] = [new PoolMetrics(registry), new ProcessMetrics(registry)];
  return {
    contentType: registry.contentType,
    observer: (call) => ofProcess.call(call),
    attach: (source) => {
      ofPool.attach(source);
      ofProcess.follow(source.election);
    },
    attachLedger: (ledger) => ofProcess.ledger.attach(ledger),
    ledgerCall: (kind, outcome) => ofProcess.ledger.call(kind, outcome),
    ledgerSwept: (action, count) => ofProcess.ledger.swept(action, count),
    httpRequest: (request) => ofProcess.request(request),
    sseClients: (count) => ofProcess.clients(count),
    text: async () => {
      await ofPool.probe();
      return registry.metrics();
    },
  };
}
