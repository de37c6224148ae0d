import type { Mempool, Refused, SubmitOutcome, Transaction } from 'mempool-core';
import type { TransferOutcome } from '../contract/outcome.ts';
import type { Transfer } from '../contract/transfer.ts';
import type { Signature } from '../ledger/verbs.ts';

/** What the coupling needs of a pool: a `Mempool` of either ordering, on a backend that keeps records. */
export type CoupledPool = Pick<
  Mempool,
  | 'submit'
  | 'receive'
  | 'drop'
  | 'checkStatus'
  | 'payloads'
  | 'dumpFinalized'
  | 'subscribe'
  | 'usage'
  | 'getRecord'
  | 'putRecord'
>;

/** The money that a transaction moves when it is final. */
export interface PoolTransfer {
  /** The wallet that pays. */
  readonly source: string;
  readonly destination: string;
  /** Whole minor units, 1 to 2^63 − 1. */
  readonly amount: bigint;
  readonly currency: string;
  readonly description?: string | undefined;
  /** If the source has a `signer`: over `signedText`, with `seriesOfHash(name, hash)` as the id. */
  readonly signature?: Signature | undefined;
}

/** What the operator of a coupling should know. Nothing waits for the report. */
export type PoolReport =
  /** The chain carries a transaction that its payer had no cover for: the debt wallet pays `transfer`. */
  | { readonly kind: 'uncovered'; readonly hash: string; readonly transfer: Transfer; readonly payer: string }
  /** A payment was undone with the chain, and the payee had spent it: the debt wallet gave it back by `transfer`, or had paid it by `transfer`. */
  | { readonly kind: 'shortfall'; readonly hash: string; readonly transfer: Transfer }
  /** A transaction came into the pool without cover, past `submit` or after its reservation was voided, and is dropped as `unfunded`. */
  | { readonly kind: 'unfunded'; readonly hash: string; readonly outcome: TransferOutcome | 'unknown_payment' }
  /** Events were lost, and the pool does not know the hash: the reservation stays open until an operator posts or voids it. */
  | { readonly kind: 'unknown'; readonly hash: string; readonly transfer: Transfer }
  /** Money cannot move as the chain says, not even from the debt wallet, such as into a wallet that was closed. */
  | { readonly kind: 'stuck'; readonly hash: string; readonly outcome: TransferOutcome | 'unknown_payment' }
  /** The pool or the ledger could not be reached; the follower tries again. */
  | { readonly kind: 'retrying'; readonly error: unknown }
  /** Events were lost. What is open was compared with the pool's present state. */
  | { readonly kind: 'lagged'; readonly missed: number; readonly restarted: boolean };

export interface LedgerPoolOptions {
  /**
   * The money that a transaction moves; `null` for none. It is called with a live transaction and has to give the same answer
   * each time. If it throws, `submit` rejects with that error.
   */
  readonly transferOf: (transaction: Transaction) => PoolTransfer | null | Promise<PoolTransfer | null>;
  /** 1 to 24 of the characters `A–Z a–z 0–9 _ -`; default `main`. Couplings of several pools with one ledger have different names. */
  readonly name?: string | undefined;
  /** When money moves: at `finalized` (default), or already at `confirmed`, to be given back if the block is undone. */
  readonly postOn?: 'finalized' | 'confirmed' | undefined;
  /**
   * How long a submission may take between its reservation and the pool's receipt, in milliseconds; default 60,000. After that a
   * reservation that the pool has not heard of is voided.
   */
  readonly orphanAfterMs?: number | undefined;
  readonly report?: ((report: PoolReport) => void) | undefined;
}

/** The ledger did not reserve what the transaction moves. The pool has not seen it. */
export interface Unfunded extends Refused {
  readonly outcome: TransferOutcome;
}

/** The outcome of a submission to a coupled pool. */
export type FundedOutcome = SubmitOutcome | Unfunded;

/** Stands in `code` of a submission that the ledger refused. */
export const unfundedCode = 402;

/** What the parts of a coupling share. */
export interface Coupling {
  readonly pool: CoupledPool;
  readonly name: string;
  readonly postOn: 'finalized' | 'confirmed';
  readonly transferOf: LedgerPoolOptions['transferOf'];
  readonly report: (report: PoolReport) => void;
}
