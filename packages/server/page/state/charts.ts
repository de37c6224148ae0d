import type { Stats } from '../../src/monitor/stats.ts';
import { formatCount, formatShort, unknown } from '../format/numbers.ts';
import { formatDuration } from '../format/times.ts';
import { reasonName } from '../format/words.ts';

/** One line of a chart. */
export interface ChartSeries {
  readonly name: string;
  /** `bars` and `area` are in the accent colour, for counts and for levels; `line` is dashed. */
  readonly look: 'bars' | 'area' | 'line';
  readonly values: readonly (number | null)[];
}

/** One chart: lines over the same times. */
export interface ChartData {
  readonly id: string;
  readonly title: string;
  readonly series: readonly ChartSeries[];
  /** Writes a value of the columns. */
  readonly format: (value: number) => string;
  /** Writes a value at the axis, where there is little room. */
  readonly formatShort: (value: number) => string;
}

/** What the charts show. */
export function chartsOf(stats: Stats): ChartData[] {
  const counts = { format: formatCount, formatShort };
  const times = { format: formatDuration, formatShort: formatDuration };
  return [
    {
      ...{ id: 'traffic', title: 'Received and finalized', ...counts },
      series: [line('received', 'bars', stats.received), line('finalized', 'line', stats.finalized)],
    },
    { id: 'pending', title: 'Pending, at most', ...counts, series: [line('pending', 'area', stats.pendingHigh)] },
    {
      ...{ id: 'losses', title: 'Dropped and rolled back', ...counts },
      series: [line('dropped', 'bars', droppedOf(stats)), line('rolled back', 'line', stats.rolledBack)],
    },
    {
      ...{ id: 'finality', title: 'Time to finality', ...times },
      series: [line('median', 'area', stats.finalityP50), line('95%', 'line', stats.finalityP95)],
    },
  ];
}

function line(name: string, look: ChartSeries['look'], values: ChartSeries['values']): ChartSeries {
  return { name, look, values };
}

/** A young pool fills only the end of a range; so many steps are shown all the same. */
const leastSteps = 12;

/** The columns without the time before anything happened. */
export function fromFirstEvent(stats: Stats): Stats {
  const { at, received, blocks, pendingHigh, incomplete } = stats;
  const first = at.findIndex((_, i) => incomplete[i] || [received, blocks, pendingHigh].some((each) => each[i] !== 0));
  const begin = Math.min(first === -1 ? at.length : first, at.length - leastSteps);
  if (begin <= 0) return stats;
  const { dropped, stepMs, ...columns } = stats;
  return { ...cut(columns, begin), dropped: cut(dropped, begin), stepMs };
}

function cut<Columns extends Readonly<Record<string, readonly unknown[]>>>(columns: Columns, begin: number): Columns {
  const entries = Object.entries(columns).map(([name, column]) => [name, column.slice(begin)]);
  return Object.fromEntries(entries) as Columns;
}

function droppedOf({ at, dropped }: Stats): number[] {
  const columns = Object.values(dropped);
  return at.map((_, i) => columns.reduce((sum, column) => sum + (column[i] ?? 0), 0));
}

/** What was dropped in one step, the most frequent reason first: `invalid 3, expired 1`. */
export function reasonsAt({ dropped }: Stats, index: number, most = Number.POSITIVE_INFINITY): string {
  const reasons = Object.entries(dropped)
    .map(([name, column]) => ({ name: reasonName(name), count: column[index] ?? 0 }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count)
    .map(({ name, count }) => `${name} ${formatCount(count)}`);
  return reasons.length > most ? `${reasons.slice(0, most).join(', ')}, …` : reasons.join(', ');
}

/** A sentence about a chart for those who do not see it. */
export function chartText({ title, series, format }: ChartData): string {
  const lines = series.map(({ name, values }) => {
    const known = values.filter((value) => value !== null);
    if (known.length === 0) return `${name}: no values`;
    const most = format(known.reduce((high, value) => Math.max(high, value)));
    const least = format(known.reduce((low, value) => Math.min(low, value)));
    return `${name}: now ${valueText(values.at(-1) ?? null, format)}, from ${least} to ${most}`;
  });
  return `${title}. ${lines.join('. ')}.`;
}

export function valueText(value: number | null | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? unknown : format(value);
}

/** The times of which events are missing, as pairs of indexes: the first step and the one after the last. */
export function gapsOf({ incomplete }: Stats): (readonly [number, number])[] {
  const gaps: [number, number][] = [];
  for (const [i, isMissing] of incomplete.entries()) {
    const last = gaps.at(-1);
    if (!isMissing) continue;
    if (last?.[1] === i) last[1] = i + 1;
    else gaps.push([i, i + 1]);
  }
  return gaps;
}
