import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { formatBig, formatBytes, formatCount, formatShort } from '../format/numbers.ts';
import { type ProjectedBlock, project, sizeOfBlock } from '../state/projection.ts';
import { Cells } from './cells.tsx';
import { HashLink, openTransaction } from './hash-link.tsx';
import { Queue } from './queue.tsx';
import { Table } from './table.tsx';
import { useField } from './use-dashboard.ts';

/** The next transactions: by priority the next blocks, by arrival the queue. */
export function Next(): VNode {
  const pool = useField('pool');
  if (pool?.ordering === 'fifo') return <Queue />;
  return <Projection />;
}

function Projection(): VNode {
  const best = useField('best');
  const blocks = useField('blocks');
  const perBlock = sizeOfBlock(blocks ?? []);
  const projected = useMemo(() => project(best ?? [], perBlock), [best, perBlock]);
  return (
    <section class="part next" aria-labelledby="next">
      <div class="part-head">
        <h2 id="next">Next blocks</h2>
        <p class="about">
          {perBlock} transactions each, as the last blocks had, in the order of the pool. A stronger colour pays more.
        </p>
      </div>
      {best !== null && projected.length === 0 && <p class="empty">Nothing is ready for a block.</p>}
      <ol class="block-row">
        {projected.map((block) => (
          <Projected key={block.number} block={block} perBlock={perBlock} />
        ))}
      </ol>
      {projected[0] !== undefined && <Best block={projected[0]} />}
    </section>
  );
}

interface Given {
  readonly block: ProjectedBlock;
  readonly perBlock: number;
}

function Projected({ block, perBlock }: Given): VNode {
  const { transactions, number, bytes, gas, highest, lowest } = block;
  const columns = Math.max(3, Math.ceil(Math.sqrt(perBlock)));
  const count = transactions.length;
  const range = highest === lowest ? formatBig(lowest) : `${formatBig(lowest)} to ${formatBig(highest)}`;
  const label = `Block ${number} from now: ${count} transactions, priority ${range}`;
  return (
    <li class="projected">
      <Cells
        cells={transactions}
        columns={columns}
        rows={Math.ceil(perBlock / columns)}
        label={label}
        chosen={openTransaction}
      />
      <p class="block-name">{number === 1 ? 'next' : `+${number}`}</p>
      <p class="block-facts">{range}</p>
      <p class="block-facts">{formatCount(count)} tx</p>
      <p class="block-facts">{formatBytes(bytes)}</p>
      <p class="block-facts">{formatShort(gas)} gas</p>
    </li>
  );
}

function Best({ block: { transactions } }: { readonly block: ProjectedBlock }): VNode {
  return (
    <details class="more">
      <summary>The next block as a list</summary>
      <div class="table-box">
        <Table columns={['Transaction', 'Priority', 'Gas', 'Size']}>
          {transactions.map(({ hash, priority, gas, bytes }) => (
            <tr key={hash}>
              <td>
                <HashLink hash={hash} />
              </td>
              <td>{formatBig(priority)}</td>
              <td>{formatCount(gas)}</td>
              <td>{formatBytes(bytes)}</td>
            </tr>
          ))}
        </Table>
      </div>
    </details>
  );
}
