import type { AnyMempool } from 'mempool-core';
import type { IndexDump } from 'mempool-core/backend';

export type Submission = Parameters<AnyMempool['receive']>[0][number];
export type Verdict = NonNullable<Submission['verdict']>;
export type ReceiveOptions = NonNullable<Parameters<AnyMempool['receive']>[1]>;
export type Budget = NonNullable<Parameters<AnyMempool['reap']>[0]>;
export type TakeOptions = NonNullable<Parameters<AnyMempool['take']>[1]>;
export type SweepOptions = NonNullable<Parameters<AnyMempool['sweep']>[0]>;
export type Revision = Parameters<AnyMempool['revise']>[0][number];
export type ReviseOutcome = Awaited<ReturnType<AnyMempool['revise']>>[number];
export type Candidate = Awaited<ReturnType<AnyMempool['reap']>>[number];
export type RankedCandidate = Awaited<ReturnType<AnyMempool['best']>>[number];
export type Claim = Awaited<ReturnType<AnyMempool['take']>>;
export type ExtendOptions = NonNullable<Parameters<AnyMempool['extendClaim']>[2]>;
export type ExtendOutcome = Awaited<ReturnType<AnyMempool['extendClaim']>>;
export type Sweep = Awaited<ReturnType<AnyMempool['sweep']>>;
export type GossipPage = Awaited<ReturnType<AnyMempool['since']>>;
export type GossipQuery = NonNullable<Parameters<AnyMempool['since']>[0]>;
export type StaleTransaction = Awaited<ReturnType<AnyMempool['stale']>>[number];
export type SenderPage = Awaited<ReturnType<AnyMempool['bySender']>>;
export type TagPage = Awaited<ReturnType<AnyMempool['byTag']>>;
export type LiveCandidate = TagPage['dependents'][number];
export type SenderDrop = Awaited<ReturnType<AnyMempool['dropBySender']>>;
export type Limits = Awaited<ReturnType<AnyMempool['setLimits']>>;
/** The indexes of a pool. The model has no content in that form. */
export type PoolDump = IndexDump;
export type DumpedEntry = PoolDump['entries'][number];
export type Load = NonNullable<Awaited<ReturnType<AnyMempool['usage']>>['load']>;

/** A verdict with every field. */
export type WholeVerdict = Pick<
  DumpedEntry,
  | 'priority'
  | 'sender'
  | 'senderLimit'
  | 'gas'
  | 'provides'
  | 'requires'
  | 'expiresAt'
  | 'expiresAtHeight'
  | 'propagate'
  | 'protected'
  | 'tip'
>;

/** The fields of a transaction beside its life. They are kept until the hash has left the log. */
export interface Entry {
  readonly bytes: number;
  verdict: WholeVerdict;
  readonly sources: string[];
  version: number;
  readonly admittedAt: number;
  readonly admittedHeight: number;
  checkedHeight: number;
  gossipSeq: number;
  /** When it was parked, if it was admitted before. */
  parkedAt: number | null;
  claim: DumpedEntry['claim'];
}

export function wholeVerdict(verdict: Verdict = {}): WholeVerdict {
  return {
    priority: verdict.maxPriority ?? verdict.priority ?? 0n,
    sender: verdict.sender ?? '',
    senderLimit: verdict.senderLimit ?? null,
    gas: verdict.gas ?? 0,
    provides: [...new Set(verdict.provides)],
    requires: [...new Set(verdict.requires)],
    expiresAt: verdict.expiresAt ?? null,
    expiresAtHeight: verdict.expiresAtHeight ?? null,
    propagate: verdict.propagate ?? true,
    ...(verdict.protected === true && { protected: true as const }),
    ...(verdict.tip !== undefined && { tip: verdict.tip }),
  };
}
