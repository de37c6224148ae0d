// The answers of the API that are not written as JSON exactly as a type of the sources says: big numbers are text there,
// and no limit is "never".

import type { ChainPoint, DropReason, KnownStage, Limits, TransactionEvent, Usage } from 'mempool-core';
import type { EpochGap } from 'mempool-sequencer';
import type { EpochSummary, EpochWorker } from '../../src/epochs/epoch-board.ts';

/** `GET /pool`. */
export interface PoolFacts {
  readonly backend: string;
  readonly ordering: 'fifo' | 'priority';
  readonly environment: string;
  /** The currency of the ledger; `null`: there is none to read. */
  readonly ledger: string | null;
  /** True: the server watches the epochs of a sequencer. */
  readonly epochs: boolean;
}

/** What a newcomer needs to be admitted to a priority pool. */
export type WireFloor =
  | { readonly kind: 'open' }
  | { readonly kind: 'at-least'; readonly priority: string }
  | { readonly kind: 'closed' };

/** A number that may have no limit. */
type WireLimit = number | 'never';

/** How full a priority pool is. */
interface WireLoad {
  readonly transactions: number;
  readonly bytes: number;
  readonly ready: number;
  readonly parked: number;
  readonly headroom: { readonly transactions: WireLimit; readonly bytes: WireLimit };
  readonly floor: WireFloor;
}

/** `GET /usage`. */
export interface WireUsage extends Omit<Usage, 'load'> {
  readonly load?: WireLoad;
}

/** `GET /limits`. */
export type WireLimits = {
  readonly [K in keyof Limits]?: K extends 'minPriority' ? string : Limits[K] | 'never';
};

/** One transaction of `GET /transactions?stage=pending`. */
export interface PendingItem {
  readonly hash: string;
  readonly seq: number;
  readonly bytes: number;
  readonly receivedAt: number | null;
}

/** One transaction of `GET /reap`. */
export interface Candidate {
  readonly hash: string;
  readonly seq: number;
  readonly bytes: number;
  readonly gas: number;
  readonly priority: string;
}

/** One entry of a history. */
export type LifeEvent = Pick<
  TransactionEvent,
  'eventSeq' | 'at' | 'stage' | 'cause' | 'previous' | 'point' | 'reason' | 'attempts' | 'confirmations'
>;

/** `GET /transactions/{hash}`. */
export interface WireStatus {
  readonly hash: string;
  readonly stage: KnownStage | 'Damaged';
  readonly confirmations: number;
  readonly nonConfirmations: number;
  readonly confirmedAt: ChainPoint | null;
  readonly reason: DropReason | null;
  readonly receivedAt: number | null;
  readonly attempts: number;
  readonly notBefore: number | null;
  /** Only of one in a bundle. */
  readonly bundle?: number;
  /** Only if asked for. */
  readonly history?: { readonly items: readonly LifeEvent[]; readonly complete: boolean };
}

/** `GET /leader`. */
export interface LeaderFacts {
  /** `null`: there is no election. */
  readonly election: string | null;
  /** This server's own id. */
  readonly nodeId: string | null;
  readonly state: 'follower' | 'candidate' | 'leader' | null;
  readonly term: number | null;
  readonly leader: { readonly nodeId: string; readonly address: string | null; readonly term: number } | null;
  readonly leaseMs: number | null;
  readonly changes: readonly { readonly at: number; readonly nodeId: string | null; readonly term: number }[];
}

/** `GET /ledger`. */
export interface LedgerFacts {
  readonly currency: string;
  /** The money in circulation. */
  readonly issued: string;
  /** The number of the newest record. */
  readonly seq: number;
}

/** `GET /epochs/dashboard/summary`. */
export interface WireSummary extends EpochSummary {
  readonly generatedAt: number;
}

/** One of `GET /epochs/workers`. */
export type WireWorker = EpochWorker;

/** One of `GET /epochs/gaps`. */
export type WireGap = EpochGap;

/** One of `GET /ledger/wallets`. */
export interface WireWallet {
  readonly id: string;
  readonly owner: string;
  readonly currency: string;
  readonly balance: string;
  readonly available: string;
  readonly closed: boolean;
}

/** A live event of the ledger. */
export interface LedgerRecord {
  readonly kind: string;
  /** The number of the record. */
  readonly cursor: string;
  readonly at?: number;
  readonly transfer?: {
    readonly id: string;
    readonly kind: string;
    readonly outcome: string;
    readonly source: string;
    readonly destination: string;
    readonly amount: string;
  };
}

/** `GET /ledger/audit`. */
export interface LedgerAudit {
  readonly ok: boolean;
  readonly faults: readonly { readonly kind: string; readonly message: string }[];
  readonly records: number;
  readonly wallets: number;
  readonly at: number;
  readonly tookMs: number;
}

/** One of `GET /nodes`. */
export interface NodeFacts {
  readonly nodeId: string;
  readonly address: string | null;
  readonly priority: number;
  readonly ageMs: number;
  readonly alive: boolean;
}
