import type { Mempool, Observer } from 'mempool-core';
import type { Election } from 'mempool-election';
import type { MonitorView } from '../monitor/monitor.ts';

/** What the metrics read. */
export interface MetricsSource {
  readonly pool: Mempool;
  readonly monitor: MonitorView;
  /** `null`: `mempool_is_leader` and `mempool_election_term` are left out. */
  readonly election: Election | null;
}

/** An answered HTTP request. */
export interface AnsweredRequest {
  /** The route as it is declared, such as `/api/v1/transactions/{hash}`, never the path: it becomes a label. */
  readonly route: string;
  readonly method: string;
  readonly status: number;
  readonly seconds: number;
}

/** The metrics of one server, in a registry of their own. */
export interface Metrics {
  /** Give it to `openMempool` or `openNode` as `observer`. It counts fenced calls, too. */
  readonly observer: Observer;
  /** The content type of `text`. */
  readonly contentType: string;
  /** From now on the pool's metrics are shown, too. */
  attach(source: MetricsSource): void;
  httpRequest(request: AnsweredRequest): void;
  /** The number of SSE clients that are connected now. */
  sseClients(count: number): void;
  /** The metrics in Prometheus' text format. If the store cannot be reached, `mempool_store_up` is 0. */
  text(): Promise<string>;
}
