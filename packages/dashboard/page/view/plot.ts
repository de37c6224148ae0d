import uPlot from 'uplot';
import { formatClock, formatDate } from '../format/times.ts';
import type { ChartData, ChartSeries } from '../state/charts.ts';

/** The data of a chart. */
export interface PlotData {
  readonly chart: ChartData;
  readonly at: readonly number[];
  readonly stepMs: number;
  readonly gaps: readonly (readonly [number, number])[];
}

/** The look of the page, read again when the colour scheme changes. */
interface Look {
  readonly accent: string;
  readonly ink: string;
  readonly soft: string;
  readonly grid: string;
  readonly gap: string;
  /** The size of a letter of the page in pixels: larger on a wall. */
  readonly em: number;
}

export function alignedData({ chart, at }: PlotData): uPlot.AlignedData {
  return [at as number[], ...chart.series.map(({ values }) => values as (number | null)[])];
}

/** Makes a chart in an element. `data` is called whenever it is drawn; `pointed` receives the step under the cursor. */
export function makePlot(element: HTMLElement, data: () => PlotData, pointed: (index: number | null) => void): uPlot {
  const look = lookOf(element);
  const options: uPlot.Options = {
    width: Math.max(200, element.clientWidth),
    height: element.clientHeight,
    ms: 1,
    padding: [8, 1.2 * look.em, 0, 0],
    legend: { show: false },
    cursor: { sync: { key: 'mempool' }, drag: { setScale: false, x: false, y: false }, y: false, points: { size: 6 } },
    scales: {
      x: { time: true, range: () => timeRange(data()) },
      y: { range: (_plot, _low, high) => valueRange(high) },
    },
    axes: [timeAxis(look), valueAxis(look, data)],
    series: [{}, ...data().chart.series.map((series) => lineOf(series, look))],
    hooks: {
      setCursor: [(plot) => pointed(plot.cursor.idx ?? null)],
      drawClear: [(plot) => shadeGaps(plot, data(), look)],
    },
  };
  return new uPlot(options, alignedData(data()), element);
}

function lookOf(element: HTMLElement): Look {
  const style = getComputedStyle(element);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  const em = Number.parseFloat(style.fontSize);
  return {
    ...{
      accent: colour('--accent'),
      ink: colour('--ink'),
      soft: colour('--soft'),
      grid: colour('--faint'),
      gap: colour('--gap-colour'),
    },
    em,
  };
}

/** Each step lasts until the next one. */
function timeRange({ at, stepMs }: PlotData): [number, number] {
  return [at[0] ?? 0, (at.at(-1) ?? 0) + stepMs];
}

function valueRange(high: number | null): [number, number] {
  return [0, high !== null && high > 0 ? high * 1.08 : 1];
}

const fontOf = ({ em }: Look): string => `${0.75 * em}px system-ui, sans-serif`;

function timeAxis(look: Look): uPlot.Axis {
  const { soft, grid, em } = look;
  return {
    ...{ stroke: soft, font: fontOf(look), size: 1.8 * em, space: 4.5 * em },
    grid: { show: false },
    ticks: { stroke: grid, width: 1, size: 4 },
    values: (_plot, splits, _axis, _space, step) => splits.map((at) => timeText(at, step)),
  };
}

const dayMs = 86_400_000;

function timeText(at: number, step: number): string {
  return step < dayMs ? formatClock(at).slice(0, 5) : formatDate(at).slice(5, 10);
}

function valueAxis(look: Look, data: () => PlotData): uPlot.Axis {
  const { soft, grid, em } = look;
  return {
    ...{ stroke: soft, font: fontOf(look), size: 4.2 * em, space: 2.4 * em },
    grid: { stroke: grid, width: 1 },
    ticks: { show: false },
    values: (_plot, splits) => splits.map((value) => (Number.isInteger(value) ? data().chart.formatShort(value) : '')),
  };
}

const barPaths = uPlot.paths.bars?.({ size: [0.72, 48], align: 1 });

function lineOf({ look }: ChartSeries, { accent, ink }: Look): uPlot.Series {
  if (look === 'bars') return { fill: accent, width: 0, points: { show: false }, ...(barPaths && { paths: barPaths }) };
  const points = { show: true, size: 4, filter: lonely };
  if (look === 'line') return { stroke: ink, width: 1.5, dash: [4, 3], points };
  return { stroke: accent, width: 1.5, points, fill: `color-mix(in srgb, ${accent} 12%, transparent)` };
}

/** A value between two that are missing is no line, so it gets a point. */
function lonely(plot: uPlot, series: number): number[] {
  const values = plot.data[series] ?? [];
  const isMissing = (i: number): boolean => values[i] === null || values[i] === undefined;
  return Array.from(values.keys()).filter((i) => !isMissing(i) && isMissing(i - 1) && isMissing(i + 1));
}

/** Times of which events are missing. */
function shadeGaps(plot: uPlot, { gaps, at, stepMs }: PlotData, { gap }: Look): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.fillStyle = gap;
  for (const [first, end] of gaps) {
    const left = plot.valToPos(at[first] ?? 0, 'x', true);
    const right = plot.valToPos((at[end - 1] ?? 0) + stepMs, 'x', true);
    ctx.fillRect(left, bbox.top, right - left, bbox.height);
  }
  ctx.restore();
}
