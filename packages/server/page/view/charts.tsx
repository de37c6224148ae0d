import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { Stats } from '../../src/monitor/stats.ts';
import { formatDate, formatDuration } from '../format/times.ts';
import { chartsOf, fromFirstEvent, gapsOf, reasonsAt } from '../state/charts.ts';
import { chartRanges } from '../state/dashboard-state.ts';
import { Chart } from './chart.tsx';
import { ChartTable } from './chart-table.tsx';
import type { PlotData } from './plot.ts';
import { useDashboard, useField } from './use-dashboard.ts';

/** So many reasons are written beside a chart; the table has them all. */
const writtenReasons = 3;

/** What happened in the last hours or days. */
export function Charts(): VNode {
  const all = useField('stats');
  const stats = useMemo(() => (all === null ? null : fromFirstEvent(all)), [all]);
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
  const index = pointed !== null && pointed < stats.at.length ? pointed : null;
  const at = stats.at.at(index ?? -1);
  return (
    <>
      <p class="charts-at">
        {at !== undefined && `${formatDuration(stats.stepMs)} from ${formatDate(at)}`}
        {stats.incomplete.at(index ?? -1) === true && ' · events are missing here'}
      </p>
      <div class="chart-grid">
        {plots.map((data) => (
          <Chart
            key={data.chart.id}
            data={data}
            index={index}
            about={data.chart.id === 'losses' ? reasonsAt(stats, index ?? stats.at.length - 1, writtenReasons) : ''}
            pointed={setPointed}
          />
        ))}
      </div>
      <ChartTable stats={stats} />
    </>
  );
}

function plotsOf(stats: Stats): PlotData[] {
  const gaps = gapsOf(stats);
  return chartsOf(stats).map((chart) => ({ chart, at: stats.at, stepMs: stats.stepMs, gaps }));
}
