import { createRequire } from 'node:module';
import type { ObservedCall } from 'mempool-core';
import type { Election } from 'mempool-election';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { defineGauge, type Metric } from './metric.ts';

/** An answered HTTP request. */
export interface AnsweredRequest {
  /** The declared route, such as `/api/v1/transactions/{hash}`. It is never the path, because it becomes a label. */
  readonly route: string;
  readonly method: string;
  readonly status: number;
  readonly seconds: number;
}

const callBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** More words than this package and core have. */
const maxWords = 100;

const electionGauges: readonly Metric<Election>[] = [
  {
    name: 'mempool_is_leader',
    help: 'Whether this node leads.',
    read: (election) => (election.isLeader() ? 1 : 0),
  },
  {
    name: 'mempool_election_term',
    help: 'The highest term of the election that this node has seen.',
    read: ({ term }) => term,
  },
];

/** The metrics of this process alone: calls of its pool, requests, its state in the election. */
export class ProcessMetrics {
  readonly #calls: Counter<'verb' | 'outcome'>;
  readonly #callSeconds: Histogram<'verb'>;
  readonly #queue: Gauge;
  readonly #fenced: Counter;
  readonly #requests: Counter<'route' | 'method' | 'status'>;
  readonly #requestSeconds: Histogram<'route'>;
  readonly #clients: Gauge;
  readonly #verbs: Words = new Words();
  readonly #outcomes: Words = new Words();
  readonly #routes: Words = new Words();
  #election: Election | null = null;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#calls = new Counter({
      name: 'mempool_calls_total',
      help: 'Calls of the pool by the kind of their answer, or the code of their error.',
      labelNames: ['verb', 'outcome'],
      registers,
    });
    this.#callSeconds = new Histogram({
      name: 'mempool_call_duration_seconds',
      help: 'Time from a call of the pool to its answer.',
      labelNames: ['verb'],
      buckets: callBounds,
      registers,
    });
    this.#queue = new Gauge({ name: 'mempool_queue_length', help: 'Calls that wait in the queue.', registers });
    this.#fenced = new Counter({
      name: 'mempool_fenced_total',
      help: 'Calls refused because their lease was not the live one.',
      registers,
    });
    this.#requests = new Counter({
      name: 'mempool_http_requests_total',
      help: 'HTTP requests answered.',
      labelNames: ['route', 'method', 'status'],
      registers,
    });
    this.#requestSeconds = new Histogram({
      name: 'mempool_http_request_duration_seconds',
      help: 'Time from an HTTP request to its answer.',
      labelNames: ['route'],
      buckets: callBounds,
      registers,
    });
    this.#clients = new Gauge({ name: 'mempool_sse_clients', help: 'Clients that read events by SSE.', registers });
    for (const metric of electionGauges) defineGauge(registry, metric, () => this.#election);
    defineBuildInfo(registry);
  }

  follow(election: Election | null): void {
    this.#election = election;
  }

  call({ verb, outcome, durationMs, waiting }: ObservedCall): void {
    const known = this.#verbs.bounded(verb);
    this.#calls.inc({ verb: known, outcome: this.#outcomes.bounded(outcome) });
    this.#callSeconds.observe({ verb: known }, durationMs / 1_000);
    this.#queue.set(waiting);
    if (outcome === 'fenced') this.#fenced.inc();
  }

  request({ route, method, status, seconds }: AnsweredRequest): void {
    const known = this.#routes.bounded(route);
    this.#requests.inc({ route: known, method: methods.has(method) ? method : 'other', status: String(status) });
    this.#requestSeconds.observe({ route: known }, seconds);
  }

  clients(count: number): void {
    this.#clients.set(count);
  }
}

/** Keeps labels bounded, whatever a caller gives: words beyond the limit count as `other`. */
class Words {
  readonly #known = new Set<string>();

  bounded(word: string): string {
    if (this.#known.has(word)) return word;
    if (this.#known.size >= maxWords) return 'other';
    this.#known.add(word);
    return word;
  }
}

function defineBuildInfo(registry: Registry): void {
  const info = new Gauge({
    name: 'mempool_build_info',
    help: 'Always 1; the labels tell the versions.',
    labelNames: ['version', 'node'],
    registers: [registry],
  });
  info.set({ version: ownVersion(), node: process.version }, 1);
}

/** A bundled server has no package.json. */
function ownVersion(): string {
  try {
    const manifest: { readonly version: string } = createRequire(import.meta.url)('mempool-server/package.json');
    return manifest.version;
  } catch {
    return 'unknown';
  }
}
