import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Stats } from '../../src/monitor/stats.ts';
import { formatDate } from '../format/times.ts';
import { chartsOf, reasonsAt, valueText } from '../state/charts.ts';

/** The numbers of the charts as a table. It is made when it is opened. */
export function ChartTable({ stats }: { readonly stats: Stats }): VNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="more" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>The charts as a table</summary>
      {isOpen && <Table stats={stats} />}
    </details>
  );
}

/** What scrolls must be reachable by keyboard. */
const scrolled = { tabIndex: 0 };

function Table({ stats }: { readonly stats: Stats }): VNode {
  const lines = chartsOf(stats).flatMap(({ series, format }) => series.map((each) => ({ ...each, format })));
  return (
    <section class="table-box" aria-label="The charts as a table" {...scrolled}>
      <table>
        <thead>
          <tr>
            <th scope="col">From</th>
            {lines.map(({ name }) => (
              <th scope="col" key={name}>
                {name}
              </th>
            ))}
            <th scope="col">blocks</th>
            <th scope="col">reasons</th>
          </tr>
        </thead>
        <tbody>
          {stats.at
            .map((at, i) => (
              <tr key={at}>
                <th scope="row">{formatDate(at)}</th>
                {lines.map(({ name, values, format }) => (
                  <td key={name}>{valueText(values[i], format)}</td>
                ))}
                <td>{stats.blocks[i]}</td>
                <td>{reasonsAt(stats, i)}</td>
              </tr>
            ))
            .reverse()}
        </tbody>
      </table>
    </section>
  );
}
