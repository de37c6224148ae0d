import type { VNode } from 'preact';
import { formatCount, formatShare } from '../format/numbers.ts';
import { reasonName } from '../format/words.ts';
import { useField } from './use-dashboard.ts';

const shownReasons = 8;

/** Why transactions were dropped, in all. */
export function Drops(): VNode | null {
  const summary = useField('summary');
  if (summary === null) return null;
  const all = summary.stages.Dropped;
  const reasons = Object.entries(summary.reasons).sort(([, a], [, b]) => b - a);
  return (
    <section class="part drops" aria-labelledby="drops">
      <div class="part-head">
        <h2 id="drops">Why dropped</h2>
        <p class="about">{formatCount(all)} in all</p>
      </div>
      {reasons.length === 0 && <p class="empty">Nothing was dropped.</p>}
      <ul>
        {reasons.slice(0, shownReasons).map(([name, count]) => (
          <li key={name}>
            <span class="reason">{reasonName(name)}</span>
            <span class="share">
              {formatCount(count)} · {formatShare(count, all)}
            </span>
            <progress class="bar" value={count} max={all} aria-hidden="true" />
          </li>
        ))}
      </ul>
    </section>
  );
}
