import type { Gap, Stats, StatsQuery } from './stats.ts';
import type { StoredTotals } from './stored-totals.ts';
import type { Summary } from './summary.ts';
import type { TimelinePage, TimelineQuery } from './timeline.ts';

/** What a monitor tells. Nothing here waits for the store. */
export interface MonitorView {
  /** The position after the last event counted. */
  readonly cursor: string;
  summary(): Summary;
  /** @throws `ERR_MEMPOOL_INVALID` naming the field */
  stats(query: StatsQuery): Stats;
  /** @throws `ERR_MEMPOOL_INVALID` naming the field */
  timeline(query?: TimelineQuery): TimelinePage;
  gaps(): readonly Gap[];
  /** The totals of the last saved state. A killed monitor goes on from there, so they never fall. */
  stored(): StoredTotals;
  /** Calls the listener after events were counted, once for all events that came together. Returns its removal. */
  onChange(listener: () => void): () => void;
}
