// The answers of the API that are not written as JSON exactly as a type of the sources says.

import type {
  Floor,
  KnownStage,
  Limits,
  Candidate as ReapedCandidate,
  StoredTransaction,
  TransactionEvent,
  TransactionStatus,
  Usage,
} from 'mempool-core';
import type { Member } from 'mempool-election';
import type { AuditReport, Transfer, Wallet } from 'mempool-ledger';
import type { EpochSummary } from 'mempool-sequencer/server';

/** A type as JSON has it: big numbers are text. */
type Told<T> = T extends bigint ? string : T extends object ? { readonly [F in keyof T]: Told<T[F]> } : T;

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

/** The least priority that a priority pool admits. */
export type WireFloor = Told<Floor>;

/** `GET /usage`. */
export type WireUsage = Told<Usage>;

/** `GET /limits`. No limit is "never". */
export type WireLimits = {
  readonly [K in keyof Limits]?: Told<Limits[K]> | 'never';
};

/** One transaction of `GET /transactions?stage=pending`. */
export interface PendingItem extends Pick<StoredTransaction, 'hash' | 'seq' | 'receivedAt'> {
  readonly bytes: number;
}

/** One transaction of `GET /reap`. */
export type Candidate = Told<ReapedCandidate>;

/** One entry of a history. */
export type LifeEvent = Pick<
  TransactionEvent,
  'eventSeq' | 'at' | 'stage' | 'cause' | 'previous' | 'point' | 'reason' | 'attempts' | 'confirmations'
>;

/** `GET /transactions/{hash}`. */
export interface WireStatus extends Omit<TransactionStatus, 'stage'> {
  readonly stage: KnownStage;
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
  /** How many decimal places of an amount are shown. */
  readonly decimals: number;
  /** The money in circulation. */
  readonly issued: string;
  /** The number of the newest record. */
  readonly seq: number;
}

/** `GET /epochs/dashboard/summary`. */
export interface WireSummary extends EpochSummary {
  readonly generatedAt: number;
}

/** One of `GET /ledger/wallets`. */
export interface WireWallet extends Pick<Wallet, 'id' | 'owner' | 'currency' | 'closed'> {
  readonly balance: string;
  readonly available: string;
}

/** A live event of the ledger. */
export interface LedgerRecord {
  readonly kind: string;
  /** The number of the record. */
  readonly cursor: string;
  readonly at?: number;
  /** The wallet that was created. */
  readonly wallet?: { readonly id: string; readonly owner: string };
  readonly transfer?: Told<Pick<Transfer, 'id' | 'kind' | 'outcome' | 'source' | 'destination' | 'amount'>>;
}

/** `GET /ledger/audit`. */
export interface LedgerAudit extends AuditReport {
  readonly at: number;
  readonly tookMs: number;
}

/** One of `GET /nodes`. */
export type NodeFacts = Member;
