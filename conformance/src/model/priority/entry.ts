import type { MempoolStore } from 'mempool-core';

export type Submission = Parameters<MempoolStore['receive']>[0][number];
export type Verdict = NonNullable<Submission['verdict']>;
export type ReceiveOptions = NonNullable<Parameters<MempoolStore['receive']>[1]>;
export type Budget = NonNullable<Parameters<MempoolStore['reap']>[0]>;
export type TakeOptions = NonNullable<Parameters<MempoolStore['take']>[1]>;
export type SweepOptions = NonNullable<Parameters<MempoolStore['sweep']>[0]>;
export type Revision = Parameters<MempoolStore['revise']>[0][number];
export type ReviseOutcome = Awaited<ReturnType<MempoolStore['revise']>>[number];
export type Candidate = Awaited<ReturnType<MempoolStore['reap']>>[number];
export type Claim = Awaited<ReturnType<MempoolStore['take']>>;
export type Sweep = Awaited<ReturnType<MempoolStore['sweep']>>;
export type GossipPage = Awaited<ReturnType<MempoolStore['since']>>;
export type GossipQuery = NonNullable<Parameters<MempoolStore['since']>[1]>;
export type StaleTransaction = Awaited<ReturnType<MempoolStore['stale']>>[number];
export type Limits = Awaited<ReturnType<MempoolStore['setLimits']>>;
export type PoolDump = Awaited<ReturnType<MempoolStore['dump']>>;
export type DumpedEntry = PoolDump['entries'][number];
export type Load = NonNullable<Awaited<ReturnType<MempoolStore['usage']>>['load']>;

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
  claim: DumpedEntry['claim'];
}

export function wholeVerdict(verdict: Verdict = {}): WholeVerdict {
  return {
    priority: verdict.priority ?? 0n,
    sender: verdict.sender ?? '',
    senderLimit: verdict.senderLimit ?? null,
    gas: verdict.gas ?? 0,
    provides: [...new Set(verdict.provides)],
    requires: [...new Set(verdict.requires)],
    expiresAt: verdict.expiresAt ?? null,
    expiresAtHeight: verdict.expiresAtHeight ?? null,
    propagate: verdict.propagate ?? true,
  };
}
