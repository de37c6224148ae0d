import type { VNode } from 'preact';
import { formatCount } from '../format/numbers.ts';
import { formatAge, formatClock } from '../format/times.ts';
import { shortHash } from '../format/words.ts';
import { type Height, heightsOf, type ShownBlock } from '../state/chain.ts';
import { useField } from './use-dashboard.ts';

const shownHeights = 10;

/** The last blocks of the chain, and those that lost. */
export function Chain(): VNode {
  const changes = useField('blocks');
  const heights = heightsOf(changes ?? [], shownHeights);
  return (
    <section class="part chain" aria-labelledby="chain">
      <div class="part-head">
        <h2 id="chain">Last blocks</h2>
        <p class="about">Newest first. A block that was undone stands below the one that replaced it.</p>
      </div>
      {changes !== null && heights.length === 0 && <p class="empty">No block was applied yet.</p>}
      <ol class="block-row">
        {heights.map((height) => (
          <OneHeight key={height.tick} height={height} />
        ))}
      </ol>
    </section>
  );
}

function OneHeight({ height: { block, undone, tick } }: { readonly height: Height }): VNode {
  return (
    <li class="height" data-tick={tick}>
      {block === null ? <p class="block gone">undone, not replaced</p> : <AppliedBlock block={block} />}
      {undone.map((each) => (
        <AppliedBlock key={each.eventSeq} block={each} />
      ))}
    </li>
  );
}

function AppliedBlock({ block: { point, confirmed, at, undone } }: { readonly block: ShownBlock }): VNode {
  return (
    <div class={undone === null ? 'block' : 'block undone'} title={point.hash}>
      <p class="slot">{formatCount(point.slot)}</p>
      <p>{formatCount(confirmed)} tx</p>
      <p class="block-facts">{shortHash(point.hash).slice(0, 8)}</p>
      <p class="block-facts">{undone === null ? <BlockTime at={at} /> : 'undone'}</p>
    </div>
  );
}

/** Ages go by the pool's clock, which the last summary tells. */
function BlockTime({ at }: { readonly at: number }): VNode {
  const summary = useField('summary');
  const now = summary?.now ?? at;
  return <time title={formatClock(at)}>{formatAge(now - at)}</time>;
}
