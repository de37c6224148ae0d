import type { Stats } from 'mempool-server';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { formatDate } from '../format/times.ts';
import { chartsOf, reasonsIn, valueText } from '../state/charts.ts';
import { Table, TableBox } from './table.tsx';

/** The numbers of the charts as a table. It is made when it is opened. */
export function ChartTable({ stats }: { readonly stats: Stats }): VNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="more" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>The charts as a table</summary>
      {isOpen && <Lines stats={stats} />}
    </details>
  );
}

function Lines({ stats }: { readonly stats: Stats }): VNode {
  const lines = chartsOf(stats).flatMap(({ series, format }) => series.map((each) => ({ ...each, format })));
  return (
    <TableBox label="The charts as a table">
      <Table columns={['From', ...lines.map(({ name }) => name), 'blocks', 'reasons']}>
        {stats.steps
          .map((step, i) => (
            <tr key={step.at}>
              <th scope="row">{formatDate(step.at)}</th>
              {lines.map(({ name, values, format }) => (
                <td key={name}>{valueText(values[i], format)}</td>
              ))}
              <td>{step.applied}</td>
              <td>{reasonsIn(step)}</td>
            </tr>
          ))
          .reverse()}
      </Table>
    </TableBox>
  );
}
