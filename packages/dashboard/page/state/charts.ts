import type { Stats, Step } from 'mempool-server';
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

/** The data of the charts. */
export function chartsOf({ steps }: Stats): ChartData[] {
  const counts = { format: formatCount, formatShort };
  const times = { format: formatDuration, formatShort: formatDuration };
  const line = (name: string, look: ChartSeries['look'], read: (step: Step) => number | null): ChartSeries => ({
    ...{ name, look },
    values: steps.map(read),
  });
  return [
    {
      ...{ id: 'traffic', title: 'Received and finalized', ...counts },
      series: [line('received', 'bars', (step) => step.received), line('finalized', 'line', (step) => step.finalized)],
    },
    {
      ...{ id: 'pending', title: 'Pending, at most', ...counts },
      series: [line('pending', 'area', (step) => step.pendingHigh)],
    },
    {
      ...{ id: 'losses', title: 'Dropped and rolled back', ...counts },
      series: [line('dropped', 'bars', droppedIn), line('rolled back', 'line', (step) => step.rolledBack)],
    },
    {
      ...{ id: 'finality', title: 'Time to finality', ...times },
      series: [line('median', 'area', (step) => step.p50Ms), line('95%', 'line', (step) => step.p95Ms)],
    },
  ];
}

/** A young pool fills only the end of a range; so many steps are shown all the same. */
const leastSteps = 12;

/** The steps without the time before anything happened, and without the running step: its counts are not whole yet. */
export function wholeSteps({ stepMs, steps }: Stats): Stats {
  const end = steps.length - 1;
  const isQuiet = ({ incomplete, received, applied, pendingHigh }: Step): boolean =>
    !incomplete && received + applied + pendingHigh === 0;
  const first = steps.findIndex((step) => !isQuiet(step));
  const begin = Math.max(0, Math.min(first === -1 ? end : first, end - leastSteps));
  return { stepMs, steps: steps.slice(begin, end) };
}

function droppedIn({ dropped }: Step): number {
  return Object.values(dropped).reduce((sum, count) => sum + count, 0);
}

/** The drops of one step, the most frequent reason first: `invalid 3, expired 1`. */
export function reasonsIn({ dropped }: Step, most = Number.POSITIVE_INFINITY): string {
  const reasons = Object.entries(dropped)
    .sort(([, a], [, b]) => b - a)
    .map(([name, count]) => `${reasonName(name)} ${formatCount(count)}`);
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
export function gapsOf({ steps }: Stats): (readonly [number, number])[] {
  const gaps: [number, number][] = [];
  for (const [i, { incomplete }] of steps.entries()) {
    const last = gaps.at(-1);
    if (!incomplete) continue;
    if (last?.[1] === i) last[1] = i + 1;
    else gaps.push([i, i + 1]);
  }
  return gaps;
}
