import type { Stats, Summary } from 'mempool-server';
import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { formatDate, formatDuration } from '../format/times.ts';
import { type ChartData, chartsOf, gapsOf, reasonsIn, wholeSteps } from '../state/charts.ts';
import { chartRanges } from '../state/dashboard-state.ts';
import { Chart, type ChartGiven } from './chart.tsx';
import { ChartTable } from './chart-table.tsx';
import type { PlotData } from './plot.ts';
import { useDashboard, useField } from './use-dashboard.ts';

/** So many reasons are written beside a chart; the table has them all. */
const writtenReasons = 3;

/** What happened in the last hours or days. */
export function Charts(): VNode {
  const all = useField('stats');
  const stats = useMemo(() => (all === null ? null : wholeSteps(all)), [all]);
  return (
    <section class="part charts" aria-labelledby="history">
      <div class="part-head">
        <h2 id="history">History</h2>
        <Ranges />
      </div>
      {stats === null ? <p class="empty">Reading …</p> : <Drawn stats={stats} />}
    </section>
  );
}

const rangeNames = { '2h': '2 hours', '24h': '24 hours', '7d': '7 days' } as const;

function Ranges(): VNode {
  const dashboard = useDashboard();
  const range = useField('range');
  return (
    <fieldset class="choice">
      <legend class="hidden">Range of the charts</legend>
      {chartRanges.map((each) => (
        <label key={each}>
          <input
            type="radio"
            name="range"
            value={each}
            checked={each === range}
            onChange={() => dashboard.show(each)}
          />
          <span>{rangeNames[each]}</span>
        </label>
      ))}
    </fieldset>
  );
}

function Drawn({ stats }: { readonly stats: Stats }): VNode {
  const [pointed, setPointed] = useState<number | null>(null);
  const plots = useMemo(() => plotsOf(stats), [stats]);
  const finality = useField('summary')?.finality ?? null;
  const index = pointed !== null && pointed < stats.steps.length ? pointed : null;
  const step = stats.steps.at(index ?? -1);
  return (
    <>
      <p class="charts-at">
        {step !== undefined && `${formatDuration(stats.stepMs)} from ${formatDate(step.at)}`}
        {step?.incomplete === true && ' · events are missing here'}
      </p>
      <div class="chart-grid">
        {plots.map((data) => (
          <Chart
            key={data.chart.id}
            data={data}
            {...legendOf(data.chart, stats, index, finality)}
            pointed={setPointed}
          />
        ))}
      </div>
      <ChartTable stats={stats} />
    </>
  );
}

/** While no step is pointed at, the time to finality is that of the tile: of the last hour. */
function legendOf(
  { id, series }: ChartData,
  { steps }: Stats,
  index: number | null,
  finality: Summary['finality'] | null,
): Pick<ChartGiven, 'values' | 'about'> {
  if (id === 'finality' && index === null && finality !== null)
    return { values: [finality.p50Ms, finality.p95Ms], about: 'of the last hour' };
  const step = steps.at(index ?? -1);
  const about = id === 'losses' && step !== undefined ? reasonsIn(step, writtenReasons) : '';
  return { values: series.map(({ values }) => values.at(index ?? -1) ?? null), about };
}

function plotsOf(stats: Stats): PlotData[] {
  const gaps = gapsOf(stats);
  const at = stats.steps.map((step) => step.at);
  return chartsOf(stats).map((chart) => ({ chart, at, stepMs: stats.stepMs, gaps }));
}
