import { Gauge, type Registry } from 'prom-client';

/** A label's value, and the count or level for it. */
type Row = readonly [labels: Readonly<Record<string, string>>, value: number];

/** A metric whose values are read when they are asked for. */
export interface Metric<Read> {
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly string[];
  /** Returns the present value. A value that is not known is `null` and left out, because an old one would look like a new one. */
  readonly read: (from: Read) => readonly Row[] | number | null;
}

/** Where a metric is read from; `null`: there is nothing to read now. */
export type Source<Read> = () => Read | null | Promise<Read | null>;

export function defineGauge<Read>(registry: Registry, metric: Metric<Read>, source: Source<Read>): void {
  const { name, help, labelNames = [], read } = metric;
  const gauge: Gauge = new Gauge({
    ...{ name, help, labelNames, registers: [registry] },
    collect: async () => {
      const from = await source();
      const rows = from === null ? [] : rowsOf(read(from));
      if (rows.length === 0) gauge.remove({});
      for (const [labels, level] of rows) gauge.set(labels, level);
    },
  });
}

function rowsOf(read: readonly Row[] | number | null): readonly Row[] {
  if (read === null) return [];
  return typeof read === 'number' ? [[{}, read]] : read;
}
