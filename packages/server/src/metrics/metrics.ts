import type { Observer } from 'mempool-core';
import { Counter, Registry } from 'prom-client';
import { defineGauge, type Metric, type Source } from './metric.ts';
import { type MetricsSource, PoolMetrics } from './pool-metrics.ts';
import { type AnsweredRequest, ProcessMetrics } from './process-metrics.ts';

/** A metric that only grows. */
export interface CounterMetric {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
}

/** Increases a counter, by 1 unless another count is given. */
export type Count = (labels: Readonly<Record<string, string>>, count?: number) => void;

/** What an extension adds to the metrics of a server. Each name may be defined once. */
export interface ExtensionMetrics {
  /** Shows metrics whose values are read for each answer. */
  gauges<Read>(metrics: readonly Metric<Read>[], source: Source<Read>): void;
  counter(metric: CounterMetric): Count;
}

/** Counts nothing. */
export const noMetrics: ExtensionMetrics = { gauges: () => undefined, counter: () => () => undefined };

/** The metrics of one server, in their own registry. */
export interface Metrics extends ExtensionMetrics {
  /** The observer to pass to `openMempool` or `openNode`. It also counts fenced calls. */
  readonly observer: Observer;
  /** The content type of `text`. */
  readonly contentType: string;
  /** Shows the pool's metrics too, from now on. */
  attach(source: MetricsSource): void;
  httpRequest(request: AnsweredRequest): void;
  /** Sets the number of connected SSE clients. */
  sseClients(count: number): void;
  /** Returns the metrics in Prometheus' text format. If the store cannot be reached, `mempool_store_up` is 0. */
  text(): Promise<string>;
}

/**
 * Makes the metrics of one server. Make them before the pool, which is opened with their observer.
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
    gauges: (metrics, source) => {
      for (const metric of metrics) defineGauge(registry, metric, source);
    },
    counter: (metric) => {
      const counter = new Counter({ ...metric, registers: [registry] });
      return (labels, count = 1) => counter.inc({ ...labels }, count);
    },
    observer: (call) => ofProcess.call(call),
    attach: (source) => {
      ofPool.attach(source);
      ofProcess.follow(source.election);
    },
    httpRequest: (request) => ofProcess.request(request),
    sseClients: (count) => ofProcess.clients(count),
    text: async () => {
      await ofPool.probe();
      return registry.metrics();
    },
  };
}
