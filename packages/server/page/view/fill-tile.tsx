import type { VNode } from 'preact';
import { formatShare, unknown } from '../format/numbers.ts';
import { fillOf, floorText } from '../state/fill.ts';
import { Tile } from './tile.tsx';
import { useField } from './use-dashboard.ts';

/** How full the pool is, and what a newcomer needs. */
export function FillTile(): VNode {
  const usage = useField('usage');
  const limits = useField('limits');
  const fill = usage === null || limits === null ? null : fillOf(usage, limits);
  const floor = usage?.load?.floor;
  return (
    <Tile name="Fill" field="usage.load" value={fill === null ? unknown : formatShare(fill.used, fill.limit)}>
      {fill === null ? 'no limit' : fill.text}
      {fill !== null && (
        <progress class="bar" value={Math.min(fill.used, fill.limit)} max={fill.limit} aria-hidden="true" />
      )}
      {floor && <span class="floor">{floorText(floor)}</span>}
    </Tile>
  );
}
