import type { VNode } from 'preact';
import { formatAge, formatDate, formatDuration } from '../format/times.ts';
import type { LeaderFacts, NodeFacts } from '../wire/answers.ts';
import { Table } from './table.tsx';
import { useField } from './use-dashboard.ts';

/** Who leads, and who takes part. */
export function Election(): VNode | null {
  const leader = useField('leader');
  const nodes = useField('nodes');
  if (leader === null) return null;
  return (
    <section class="part election" aria-labelledby="election">
      <div class="part-head">
        <h2 id="election">Leader and nodes</h2>
      </div>
      {leader.election === null ? (
        <p class="empty">No election: this server follows no chain. Somebody else applies the blocks.</p>
      ) : (
        <>
          <LeaderList leader={leader} />
          <Nodes nodes={nodes} leaderId={leader.leader?.nodeId ?? null} ownId={leader.nodeId} />
          <Changes changes={leader.changes} />
        </>
      )}
    </section>
  );
}

function LeaderList({ leader: { leader, term, leaseMs } }: { readonly leader: LeaderFacts }): VNode {
  return (
    <dl class="facts">
      <dt>Leader</dt>
      <dd class={leader === null ? 'wrong' : 'node-id'}>{leader?.nodeId ?? 'nobody'}</dd>
      <dt>Term</dt>
      <dd data-field="leader.term">{term}</dd>
      <dt>Lease</dt>
      <dd>{leaseMs === null ? 'known to the leader' : `${formatDuration(leaseMs)} left`}</dd>
    </dl>
  );
}

interface NodesGiven {
  readonly nodes: readonly NodeFacts[];
  readonly leaderId: string | null;
  readonly ownId: string | null;
}

function Nodes({ nodes, leaderId, ownId }: NodesGiven): VNode {
  return (
    <div class="table-box">
      <Table kind="nodes" caption="Nodes" columns={['Node', 'Role', 'Heartbeat']}>
        {nodes.map(({ nodeId, address, alive, ageMs }) => (
          <tr key={nodeId}>
            <th scope="row" class="node-id">
              {nodeId}
              {nodeId === ownId && <span class="own"> this server</span>}
              {address !== null && <span class="own"> {address}</span>}
            </th>
            <td>{nodeId === leaderId ? 'leads' : 'follows'}</td>
            <td class={alive ? '' : 'wrong'}>{alive ? formatAge(ageMs) : `silent for ${formatAge(ageMs)}`}</td>
          </tr>
        ))}
      </Table>
    </div>
  );
}

const shownChanges = 5;

function Changes({ changes }: { readonly changes: LeaderFacts['changes'] }): VNode {
  return (
    <div class="changes">
      <h3>Last changes</h3>
      {changes.length === 0 && <p class="about">None since this server started.</p>}
      <ol>
        {changes.slice(0, shownChanges).map(({ at, nodeId, term }) => (
          <li key={`${at} ${term}`}>
            <time>{formatDate(at)}</time> <span class="node-id">{nodeId ?? 'nobody'}</span> in term {term}
          </li>
        ))}
      </ol>
    </div>
  );
}
