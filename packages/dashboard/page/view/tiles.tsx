import type { Summary } from 'mempool-server';
import type { ComponentChildren, VNode } from 'preact';
import { formatCount, formatPerMinute, formatShare, unknown } from '../format/numbers.ts';
import { formatDuration } from '../format/times.ts';
import { leadingReason } from '../format/words.ts';
import { fillOf, floorText } from '../state/fill.ts';
import { useField } from './use-dashboard.ts';

/** The numbers that matter most. */
export function Tiles(): VNode {
  const summary = useField('summary');
  return (
    <section aria-labelledby="now" data-cursor={summary?.cursor}>
      <h2 id="now" class="hidden">
        Now
      </h2>
      <dl class="tiles">
        <PendingTile summary={summary} />
        <InFlightTile summary={summary} />
        <ConfirmedTile summary={summary} />
        <FinalizedTile summary={summary} />
        <DroppedTile summary={summary} />
        <OldestTile now={summary?.now ?? null} />
        <FinalityTile summary={summary} />
        <FillTile />
      </dl>
    </section>
  );
}

interface Given {
  readonly summary: Summary | null;
}

function PendingTile({ summary }: Given): VNode {
  const held = useField('usage')?.held ?? 0;
  return (
    <Tile name="Pending" field="summary.stages.Pending" value={formatCount(summary?.stages.Pending)}>
      {held > 0
        ? `${formatCount(held)} held back`
        : summary && `${formatPerMinute(summary.perMinute.received)} received / min`}
    </Tile>
  );
}

function InFlightTile({ summary }: Given): VNode {
  const { Propagated = null, Acknowledged = null } = summary?.stages ?? {};
  const both = Propagated === null || Acknowledged === null ? null : Propagated + Acknowledged;
  return (
    <Tile name="In flight" field="summary.stages.Propagated+Acknowledged" value={formatCount(both)}>
      {formatCount(Propagated)} sent, {formatCount(Acknowledged)} acknowledged
    </Tile>
  );
}

function ConfirmedTile({ summary }: Given): VNode {
  return (
    <Tile name="Confirmed" field="summary.stages.Confirmed" value={formatCount(summary?.stages.Confirmed)}>
      {summary && `${formatCount(summary.blocks.applied)} blocks, ${formatCount(summary.blocks.undone)} undone`}
    </Tile>
  );
}

function FinalizedTile({ summary }: Given): VNode {
  return (
    <Tile
      name="Finalized / min"
      field="summary.perMinute.finalized"
      value={summary === null ? unknown : formatPerMinute(summary.perMinute.finalized)}
    >
      {formatCount(summary?.stages.Finalized)} in all
    </Tile>
  );
}

function DroppedTile({ summary }: Given): VNode {
  const reason = leadingReason(summary?.reasons ?? {});
  return (
    <Tile
      name="Dropped / min"
      field="summary.perMinute.dropped"
      value={summary === null ? unknown : formatPerMinute(summary.perMinute.dropped)}
    >
      {reason === null
        ? 'none so far'
        : `mostly ${reason.name}: ${formatCount(reason.count)} of ${formatCount(summary?.stages.Dropped)}`}
    </Tile>
  );
}

function OldestTile({ now }: { readonly now: number | null }): VNode {
  const oldest = useField('oldest');
  const age = now === null || oldest?.receivedAt == null ? null : Math.max(0, now - oldest.receivedAt);
  return (
    <Tile name="Oldest pending" field="oldest.receivedAt" value={formatDuration(age)}>
      {oldest === null ? 'nothing waits' : 'since it was received'}
    </Tile>
  );
}

function FinalityTile({ summary }: Given): VNode {
  const { p50Ms = null, p95Ms = null } = summary?.finality ?? {};
  return (
    <Tile name="Time to finality" field="summary.finality.p50Ms" value={formatDuration(p50Ms)}>
      median of the last hour; 95% within <span data-field="summary.finality.p95Ms">{formatDuration(p95Ms)}</span>
    </Tile>
  );
}

/** How full the pool is, and the least priority that is admitted. */
function FillTile(): VNode {
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

interface TileProps {
  readonly name: string;
  /** The field of the API that the number is. */
  readonly field: string;
  readonly value: string;
  readonly children?: ComponentChildren;
}

/** One number with its name, and a line about it. */
function Tile({ name, field, value, children }: TileProps): VNode {
  return (
    <div class="tile">
      <dt>{name}</dt>
      <dd>
        <span class="value" data-field={field}>
          <Units text={value} />
        </span>
        <span class="about">{children}</span>
      </dd>
    </div>
  );
}

/** A number with its units smaller than itself: `3 min 20 s`. */
function Units({ text }: { readonly text: string }): VNode {
  const parts = text.split(/( ?[a-z%]+)/);
  return <>{parts.map((part, i) => (i % 2 === 1 ? <small key={`${i}${part}`}>{part}</small> : part))}</>;
}
