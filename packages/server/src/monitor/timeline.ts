import type { Cause, ChainPoint, DropReason, KnownStage, Stage } from 'mempool-core';

/** A transaction changed its stage. */
export interface Transition {
  /** The position after its event. */
  readonly cursor: string;
  readonly eventSeq: number;
  /** In milliseconds since 1970; `null` if an older version wrote the event. */
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
  /** 1–1,000; default 100. */
  readonly limit?: number | undefined;
  /** The `next` of the page before. */
  readonly after?: string | undefined;
}

/** A page of the last 1,000 transitions, the newest first. */
export interface TimelinePage {
  readonly items: readonly Transition[];
  /** The `after` of the next page, which is older; `null` at the end. */
  readonly next: string | null;
}
