import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { formatBytes, formatCount } from '../format/numbers.ts';
import { formatDuration } from '../format/times.ts';
import { type AgedQueue, ageClasses, agedQueue } from '../state/queue.ts';
import { Cells } from './cells.tsx';
import { HashLink, openTransaction } from './hash-link.tsx';
import { Table } from './table.tsx';
import { useField } from './use-dashboard.ts';

const columns = 30;
const listed = 20;

/** The queue of a fifo pool, oldest first. */
export function Queue(): VNode {
  const items = useField('queue');
  const summary = useField('summary');
  const now = summary?.now ?? 0;
  const queue = useMemo(() => agedQueue(items ?? [], now), [items, now]);
  const shown = queue.transactions.length;
  const all = Math.max(shown, summary?.stages.Pending ?? 0);
  return (
    <section class="part next" aria-labelledby="next">
      <div class="part-head">
        <h2 id="next">Queue by age</h2>
        <p class="about">
          {shown === all ? `All ${formatCount(all)}` : `The oldest ${formatCount(shown)} of ${formatCount(all)}`},
          oldest first. A stronger colour is older.
        </p>
      </div>
      {items !== null && shown === 0 && <p class="empty">Nothing waits.</p>}
      {shown > 0 && <Aged queue={queue} now={now} />}
    </section>
  );
}

interface Given {
  readonly queue: AgedQueue;
  readonly now: number;
}

function Aged({ queue: { transactions, counts }, now }: Given): VNode {
  const ages = ageClasses.map(({ name }, level) => ({ name, level, count: counts[level] ?? 0 }));
  const present = ages.filter(({ count }) => count > 0);
  const label = `Waiting: ${present.map(({ name, count }) => `${count} ${name}`).join(', ')}`;
  return (
    <>
      <Cells
        cells={transactions}
        columns={columns}
        rows={Math.max(1, Math.ceil(transactions.length / columns))}
        label={label}
        chosen={openTransaction}
      />
      <ul class="ages">
        {present.map(({ name, level, count }) => (
          <li key={name}>
            <span class={`swatch level-${level}`} aria-hidden="true" />
            {name} <b>{formatCount(count)}</b>
          </li>
        ))}
      </ul>
      <Oldest transactions={transactions} now={now} />
    </>
  );
}

function Oldest({
  transactions,
  now,
}: {
  readonly transactions: AgedQueue['transactions'];
  readonly now: number;
}): VNode {
  return (
    <details class="more">
      <summary>The oldest as a list</summary>
      <div class="table-box">
        <Table columns={['Transaction', 'Waits for', 'Size']}>
          {transactions.slice(0, listed).map(({ hash, receivedAt, bytes }) => (
            <tr key={hash}>
              <td>
                <HashLink hash={hash} />
              </td>
              <td>{formatDuration(receivedAt === null ? null : Math.max(0, now - receivedAt))}</td>
              <td>{formatBytes(bytes)}</td>
            </tr>
          ))}
        </Table>
      </div>
    </details>
  );
}
