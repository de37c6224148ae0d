import { Histogram, type MetricObjectWithValues, type MetricValueWithName, type Registry } from 'prom-client';
import type { Histogram as Counts } from '../monitor/stored-totals.ts';

export interface StoredHistogramParts {
  readonly name: string;
  readonly help: string;
  readonly registry: Registry;
  /** Returns the counts; `null` shows nothing. */
  read(): Counts | null;
}

/** A histogram whose counts are computed elsewhere. A histogram of prom-client can only count its own observations. */
export class StoredHistogram extends Histogram {
  readonly #parts: StoredHistogramParts;

  constructor(parts: StoredHistogramParts) {
    super({ name: parts.name, help: parts.help, registers: [parts.registry] });
    this.#parts = parts;
  }

  override get(): Promise<MetricObjectWithValues<MetricValueWithName<string>>> {
    return this.getForPromString();
  }

  /** Returns the values for a registry. */
  async getForPromString(): Promise<MetricObjectWithValues<MetricValueWithName<string>>> {
    const { name, help, read } = this.#parts;
    const counts = read();
    const values = counts === null ? [] : valuesOf(name, counts);
    return { name, help, type: 'histogram', aggregator: 'sum', values } as unknown as MetricObjectWithValues<
      MetricValueWithName<string>
    >;
  }
}

function valuesOf(name: string, { boundsMs, counts, sumMs }: Counts): MetricValueWithName<string>[] {
  let total = 0;
  const bounds = [...boundsMs.map((boundMs) => boundMs / 1_000), '+Inf'];
  const buckets = bounds.map((le, i) => {
    total += counts[i] ?? 0;
    return { metricName: `${name}_bucket`, labels: { le }, value: total };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels: {}, value: sumMs / 1_000 },
    { metricName: `${name}_count`, labels: {}, value: total },
  ];
}
