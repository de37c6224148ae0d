import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { formatCount } from '../format/numbers.ts';
import { stageOrder } from '../format/words.ts';
import { everything, type FeedFilter, filtered } from '../state/feed.ts';
import { Row } from './feed-row.tsx';
import { Table } from './table.tsx';
import { useDashboard, useField } from './use-dashboard.ts';

/** So many lines are drawn. */
const shownRows = 60;

/** What happens, as it happens. */
export function LiveFeed(): VNode {
  const { rows, held } = useField('feed');
  const [filter, setFilter] = useState(everything);
  const shown = useMemo(() => filtered(held ?? rows, filter, shownRows), [held, rows, filter]);
  return (
    <section class="part feed" aria-labelledby="feed">
      <div class="part-head">
        <h2 id="feed">Live feed</h2>
        <Filters filter={filter} changed={setFilter} />
        <Pause />
      </div>
      <div class="table-box" {...useHold()}>
        <Table columns={['Time', 'What', 'Stage', 'Why']}>
          {shown.map((row) => (
            <Row key={`${row.kind}${row.eventSeq}`} row={row} />
          ))}
        </Table>
      </div>
      {shown.length === 0 && (
        <p class="empty">{rows.length === 0 ? 'Nothing has happened yet.' : 'Nothing of the last events fits.'}</p>
      )}
    </section>
  );
}

/** Lines stand still while a mouse or the focus is among them. */
function useHold(): object {
  const dashboard = useDashboard();
  return {
    onMouseEnter: () => dashboard.pauseFeed('pointer'),
    onMouseLeave: () => dashboard.resumeFeed('pointer'),
    onFocusIn: () => dashboard.pauseFeed('pointer'),
    onFocusOut: () => dashboard.resumeFeed('pointer'),
  };
}

interface FiltersGiven {
  readonly filter: FeedFilter;
  readonly changed: (filter: FeedFilter) => void;
}

function Filters({ filter, changed }: FiltersGiven): VNode {
  return (
    <form class="filters" onSubmit={(event) => event.preventDefault()}>
      <label>
        <span class="hidden">Show</span>
        <select
          value={filter.stage}
          onChange={(event) => changed({ ...filter, stage: event.currentTarget.value as FeedFilter['stage'] })}
        >
          <option value="">everything</option>
          {stageOrder.map((stage) => (
            <option key={stage} value={stage}>
              to {stage}
            </option>
          ))}
          <option value="blocks">blocks</option>
        </select>
      </label>
      <label>
        <span class="hidden">Only with this hash, cause or reason</span>
        <input
          type="search"
          placeholder="hash, cause or reason"
          value={filter.text}
          maxLength={256}
          onInput={(event) => changed({ ...filter, text: event.currentTarget.value })}
        />
      </label>
    </form>
  );
}

function Pause(): VNode {
  const dashboard = useDashboard();
  const { heldBy, unseen } = useField('feed');
  const news = unseen > 0 ? ` (${formatCount(unseen)} new)` : '';
  if (heldBy === 'button')
    return (
      <button type="button" class="strong" onClick={() => dashboard.resumeFeed('button')}>
        Go on{news}
      </button>
    );
  return (
    <>
      <button type="button" onClick={() => dashboard.pauseFeed('button')}>
        Pause
      </button>
      <p class="about held">{heldBy === 'pointer' && `Held while you are at a line${news}`}</p>
    </>
  );
}
