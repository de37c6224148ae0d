import { Component, type VNode } from 'preact';
import { formatCount } from '../format/numbers.ts';
import { formatClock, formatDate } from '../format/times.ts';
import { causeText, reasonText, shortHash } from '../format/words.ts';
import type { FeedRow } from '../state/feed.ts';
import { HashLink } from './hash-link.tsx';

interface Given {
  readonly row: FeedRow;
}

/** One line of the feed. An event never changes, so a line is drawn once. */
export class Row extends Component<Given> {
  override shouldComponentUpdate({ row }: Given): boolean {
    return row !== this.props.row;
  }

  override render({ row }: Given): VNode {
    switch (row.kind) {
      case 'transaction':
        return <TransactionRow row={row} />;
      case 'block':
        return <BlockRow row={row} />;
      case 'lost':
        return <LostRow missed={row.missed} />;
    }
  }
}

function Time({ at }: { readonly at: number }): VNode {
  return (
    <td class="time" title={formatDate(at)}>
      {formatClock(at)}
    </td>
  );
}

function TransactionRow({ row }: { readonly row: FeedRow & { readonly kind: 'transaction' } }): VNode {
  const { at, hash, from, to, cause, reason, attempts } = row;
  const isAgain = to === 'Propagated' && attempts > 1;
  return (
    <tr class={`to-${to.toLowerCase()}`}>
      <Time at={at} />
      <td>
        <HashLink hash={hash} />
      </td>
      <td class="stage">
        {from === 'Unknown' ? '' : <span class="from">{from} → </span>}
        {to}
      </td>
      <td class="why">
        {reason === null ? causeText(cause) : reasonText(reason)}
        {isAgain && `, attempt ${formatCount(attempts)}`}
      </td>
    </tr>
  );
}

function BlockRow({ row }: { readonly row: FeedRow & { readonly kind: 'block' } }): VNode {
  const { at, action, point } = row;
  return (
    <tr class={`block-event ${action}`}>
      <Time at={at} />
      <td>Block {formatCount(point.slot)}</td>
      <td class="stage">{action}</td>
      <td class="why hash">{shortHash(point.hash)}</td>
    </tr>
  );
}

function LostRow({ missed }: { readonly missed: number }): VNode {
  const what = missed === 0 ? 'The pool was restored or made anew' : `${formatCount(missed)} events were lost`;
  return (
    <tr class="lost">
      <td colSpan={4}>{what}: what came before is not shown.</td>
    </tr>
  );
}
