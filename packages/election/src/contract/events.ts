import type { HeldLease } from './lease.ts';

/** The present role of a node. */
export type ElectionState = 'follower' | 'candidate' | 'leader';

/** Why a leadership ended. */
export type LossReason =
  /** `resign` was called. */
  | 'resigned'
  /** `stop` was called. */
  | 'stopped'
  /** The lease expired before a renewal was answered. */
  | 'expired'
  /** The store has no lease, or another node's. */
  | 'taken'
  /** The work reported no progress for too long. */
  | 'no-progress'
  /** Another live node has the same id. */
  | 'conflict';

/** An event of an election. `term` is the highest term that this node has seen. */
export type ElectionEvent =
  | { readonly kind: 'state-changed'; readonly from: ElectionState; readonly to: ElectionState; readonly term: number }
  | { readonly kind: 'acquired'; readonly term: number; readonly token: string }
  | { readonly kind: 'lost'; readonly term: number; readonly token: string; readonly reason: LossReason }
  /** A read of the store or a campaign failed with `error`. If `error` is `null`, another node won the campaign. */
  | { readonly kind: 'election-failed'; readonly term: number; readonly error: unknown }
  | { readonly kind: 'leader-changed'; readonly term: number; readonly leader: LeaderView | null }
  /** Another live node has this node's id. */
  | { readonly kind: 'identity-conflict'; readonly term: number; readonly nodeId: string }
  /** This node took the live lease of a leader that no longer renewed or made progress, or that was deposed. */
  | { readonly kind: 'takeover-forced'; readonly term: number; readonly from: LeaderView };

/** A leader, as other nodes see it. */
export type LeaderView = Pick<HeldLease, 'nodeId' | 'address' | 'term' | 'priority'>;

export type ElectionEventKind = ElectionEvent['kind'];

export const eventKinds: { readonly [K in ElectionEventKind]: true } = {
  'state-changed': true,
  acquired: true,
  lost: true,
  'election-failed': true,
  'leader-changed': true,
  'identity-conflict': true,
  'takeover-forced': true,
};

export type ElectionEventOf<K extends ElectionEventKind> = Extract<ElectionEvent, { readonly kind: K }>;
