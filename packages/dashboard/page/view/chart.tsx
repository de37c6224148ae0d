import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type uPlot from 'uplot';
import { chartText, valueText } from '../state/charts.ts';
import { alignedData, makePlot, type PlotData } from './plot.ts';

export interface ChartGiven {
  readonly data: PlotData;
  /** The values of the legend, one for each line. */
  readonly values: readonly (number | null)[];
  /** Words under the values. */
  readonly about: string;
  readonly pointed: (index: number | null) => void;
}

/** One chart with the values at the cursor. */
export function Chart({ data, values, about, pointed }: ChartGiven): VNode {
  const { chart } = data;
  const box = usePlot(data, pointed);
  return (
    <figure class="chart" data-chart={chart.id}>
      <figcaption>
        <h3>{chart.title}</h3>
        <p class="values">
          {chart.series.map(({ name, look }, i) => (
            <span class={look} key={name}>
              <span class="key" aria-hidden="true" />
              {name} <b>{valueText(values[i], chart.format)}</b>
            </span>
          ))}
          {about !== '' && <span class="about">{about}</span>}
        </p>
      </figcaption>
      <div class="plot" ref={box} role="img" aria-label={chartText(chart)} />
    </figure>
  );
}

/** Draws into the element, and again when data, size or colour scheme change. */
function usePlot(data: PlotData, pointed: ChartGiven['pointed']): { current: HTMLDivElement | null } {
  const box = useRef<HTMLDivElement>(null);
  const latest = useRef(data);
  const plot = useRef<uPlot | null>(null);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const make = (): void => {
      plot.current?.destroy();
      plot.current = makePlot(element, () => latest.current, pointed);
    };
    make();
    const resized = new ResizeObserver(() => setWidth(plot.current, element));
    resized.observe(element);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', make);
    return () => {
      resized.disconnect();
      scheme.removeEventListener('change', make);
      plot.current?.destroy();
      plot.current = null;
    };
  }, [pointed]);
  useEffect(() => {
    latest.current = data;
    plot.current?.setData(alignedData(data));
  }, [data]);
  return box;
}

function setWidth(plot: uPlot | null, { clientWidth }: HTMLElement): void {
  if (plot !== null && clientWidth > 0 && plot.width !== clientWidth)
    plot.setSize({ width: clientWidth, height: plot.height });
}
