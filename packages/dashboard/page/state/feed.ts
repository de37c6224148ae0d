import type { MempoolEvent, Stage } from 'mempool-core';
import type { BlockChange, Transition } from 'mempool-server';
import { causeText, reasonText } from '../format/words.ts';

/** One line of the feed. */
export type FeedRow =
  | (Pick<Transition, 'eventSeq' | 'at' | 'hash' | 'cause' | 'reason' | 'attempts'> & {
      readonly kind: 'transaction';
      readonly from: Stage;
      readonly to: Stage;
    })
  | (Pick<BlockChange, 'eventSeq' | 'at' | 'action' | 'point'> & { readonly kind: 'block' })
  | { readonly kind: 'lost'; readonly eventSeq: 0; readonly at: null; readonly missed: number };

/** What pauses a feed. */
export type Holder = 'button' | 'pointer';

/** The last events, newest first. */
export interface Feed {
  readonly rows: readonly FeedRow[];
  /** The events shown while the feed is paused; `null`: it runs. */
  readonly held: readonly FeedRow[] | null;
  /** Why it is paused: by the button, or because somebody points at a line, which may not move away then. */
  readonly heldBy: Holder | null;
  /** Events since the pause. */
  readonly unseen: number;
}

export const emptyFeed: Feed = { rows: [], held: null, heldBy: null, unseen: 0 };
/** So many events are kept. A filter looks at these. */
export const keptRows = 1_000;

/** The feed as the API's timelines tell it, both newest first. */
export function feedOf(feed: Feed, transitions: readonly Transition[], blocks: readonly BlockChange[]): Feed {
  const oldest = transitions.at(-1)?.eventSeq ?? 0;
  const rows = [
    ...transitions.map(rowOf),
    ...blocks.filter(({ eventSeq }) => eventSeq > oldest).map((block): FeedRow => ({ kind: 'block', ...block })),
  ].sort((a, b) => b.eventSeq - a.eventSeq);
  return { ...feed, rows: rows.slice(0, keptRows) };
}

/** The feed with events that came, oldest first. An event that is there already is passed over. */
export function feedWith(feed: Feed, events: readonly MempoolEvent[]): Feed {
  let earlier = feed.rows;
  let added: FeedRow[] = [];
  let latest = earlier[0]?.eventSeq ?? 0;
  for (const event of events) {
    if (event.kind === 'lagged') {
      // Numbers may begin again, so earlier events do not fit later ones.
      earlier = [];
      added = [{ kind: 'lost', eventSeq: 0, at: null, missed: event.missed }];
      latest = 0;
    } else if (event.eventSeq > latest) {
      if (event.kind === 'block' || event.kind === 'transaction') added.push(rowOf(event));
      latest = event.eventSeq;
    }
  }
  if (added.length === 0) return feed;
  const rows = [...added.slice(-keptRows).reverse(), ...earlier].slice(0, keptRows);
  return { ...feed, rows, unseen: feed.held === null ? 0 : feed.unseen + added.length };
}

function rowOf(event: Extract<MempoolEvent, { kind: 'transaction' | 'block' }>): FeedRow {
  if (event.kind === 'block') {
    const { eventSeq, at, action, point } = event;
    return { kind: 'block', eventSeq, at, action, point };
  }
  const { eventSeq, at, hash, previous, stage, cause, reason, attempts } = event;
  return { kind: 'transaction', eventSeq, at, hash, from: previous.stage, to: stage, cause, reason, attempts };
}

export function paused(feed: Feed, by: Holder): Feed {
  if (feed.held === null) return { ...feed, held: feed.rows, heldBy: by, unseen: 0 };
  return by === 'button' ? { ...feed, heldBy: by } : feed;
}

/** What the button paused, only the button resumes. */
export function resumed(feed: Feed, by: Holder): Feed {
  if (feed.held === null || (by === 'pointer' && feed.heldBy === 'button')) return feed;
  return { ...feed, held: null, heldBy: null, unseen: 0 };
}

/** The filter of the reader. Empty: everything. */
export interface FeedFilter {
  readonly stage: Stage | 'blocks' | '';
  /** Digits at the beginning of a hash, or a part of cause or reason. */
  readonly text: string;
}

export const everything: FeedFilter = { stage: '', text: '' };

/** The rows that fit, at most `limit`. */
export function filtered(rows: readonly FeedRow[], filter: FeedFilter, limit: number): FeedRow[] {
  const found: FeedRow[] = [];
  for (const row of rows) {
    if (fits(row, filter)) found.push(row);
    if (found.length === limit) break;
  }
  return found;
}

function fits(row: FeedRow, { stage, text }: FeedFilter): boolean {
  const wanted = text.trim().toLowerCase().replace(/^0x/, '');
  switch (row.kind) {
    case 'lost':
      return true;
    case 'block':
      return (stage === '' || stage === 'blocks') && row.point.hash.startsWith(wanted);
    case 'transaction':
      return (stage === '' || row.to === stage) && (wanted === '' || row.hash.startsWith(wanted) || says(row, wanted));
  }
}

function says({ cause, reason }: FeedRow & { readonly kind: 'transaction' }, text: string): boolean {
  const words = `${causeText(cause)} ${reason === null ? '' : reasonText(reason)}`;
  return words.toLowerCase().includes(text);
}
