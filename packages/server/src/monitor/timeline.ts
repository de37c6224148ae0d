import type {
  Cause,
  ChainPoint,
  Delivered,
  DropReason,
  KnownStage,
  MempoolEvent,
  Stage,
  TransactionEvent,
} from 'mempool-core';
import { invalid } from 'mempool-core/backend';
import { timelineLength } from './tally.ts';

/** A transaction changed its stage. */
export interface Transition {
  /** The position after its event. */
  readonly cursor: string;
  readonly eventSeq: number;
  /** The time of the event, in milliseconds since 1970; `null` if an older version wrote it. */
  readonly at: number | null;
  readonly hash: string;
  readonly from: Stage;
  readonly to: KnownStage;
  readonly cause: Cause;
  readonly reason: DropReason | null;
  readonly point: ChainPoint | null;
  readonly attempts: number;
  readonly receivedAt: number | null;
}

export interface TimelineQuery {
  /** The maximum number of transitions, 1–1,000; default 100. */
  readonly limit?: number | undefined;
  /** The `next` of the previous page. */
  readonly after?: string | undefined;
}

/** A page of the last 1,000 transitions, the newest first. */
export interface TimelinePage {
  readonly items: readonly Transition[];
  /** The `after` of the next page, which is older; `null` at the end. */
  readonly next: string | null;
}

/** The last transitions, oldest first, in memory. */
export class Timeline {
  #items: Transition[] = [];
  /** True after a loss: numbers may have gone back with the store. */
  #mayGoBack = false;

  /** Adds an event. It ignores events that it has already, so that events may be read again. */
  add(event: MempoolEvent): void {
    if (event.kind === 'lagged') this.#mayGoBack = true;
    if (event.kind !== 'transaction') return;
    if (this.#mayGoBack) this.#items = this.#items.filter(({ eventSeq }) => eventSeq < event.eventSeq);
    this.#mayGoBack = false;
    if (event.eventSeq <= (this.#items.at(-1)?.eventSeq ?? 0)) return;
    this.#items.push(transitionOf(event));
    if (this.#items.length >= 2 * timelineLength) this.#items = this.#items.slice(-timelineLength);
  }

  clear(): void {
    this.#items = [];
  }

  /** Returns a page. @throws `ERR_MEMPOOL_INVALID` naming the field */
  page({ limit = defaultLimit, after }: TimelineQuery = {}): TimelinePage {
    if (!Number.isInteger(limit) || limit < 1 || limit > timelineLength)
      throw invalid('limit', `a whole number from 1 to ${timelineLength}`);
    const before = beforeOf(after);
    const older = this.#items.slice(-timelineLength).filter(({ eventSeq }) => eventSeq < before);
    const items = older.slice(-limit).reverse();
    const last = items.at(-1);
    const hasMore = last !== undefined && older.length > limit;
    return { items, next: hasMore ? `t${last.eventSeq}` : null };
  }
}

const defaultLimit = 100;

function beforeOf(after: string | undefined): number {
  if (after === undefined) return Number.POSITIVE_INFINITY;
  if (typeof after === 'string' && /^t\d{1,16}$/.test(after)) return Number(after.slice(1));
  throw invalid('after', 'the next of a page of the timeline');
}

function transitionOf(event: TransactionEvent & Delivered): Transition {
  const { cursor, eventSeq, at, hash, previous, stage, cause, reason, point, attempts, receivedAt } = event;
  return { cursor, eventSeq, at, hash, from: previous.stage, to: stage, cause, reason, point, attempts, receivedAt };
}
