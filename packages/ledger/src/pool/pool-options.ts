import type { Mempool, Refused, SubmitOutcome, Transaction } from 'mempool-core';
import type { TransferOutcome } from '../contract/outcome.ts';
import type { Transfer } from '../contract/transfer.ts';
import type { Signature } from '../ledger/verbs.ts';

/** The parts of a pool that the coupling needs: a `Mempool` of either ordering, on a backend with records. */
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
  /** The amount in minor units, 1 to 2^63 − 1. */
  readonly amount: bigint;
  readonly currency: string;
  readonly description?: string | undefined;
  /** The signature of `signedText`, with `seriesOfHash(name, hash)` as the id. Required if the source has a `signer`. */
  readonly signature?: Signature | undefined;
}

/** A report for the operator of a coupling. Nothing waits for its handling. */
export type PoolReport =
  /** The chain carries a transaction for which its payer had too little money. The debt wallet pays `transfer`. */
  | { readonly kind: 'uncovered'; readonly hash: string; readonly transfer: Transfer; readonly payer: string }
  /** The chain undid a payment that the payee had spent. The debt wallet gave it back, or had paid it, by `transfer`. */
  | { readonly kind: 'shortfall'; readonly hash: string; readonly transfer: Transfer }
  /** A transaction entered the pool without `submit` or without its reservation. Its payer has too little money, so it is dropped as `unfunded`. */
  | { readonly kind: 'unfunded'; readonly hash: string; readonly outcome: TransferOutcome | 'unknown_payment' }
  /** Events were lost, and the pool does not know the hash. The reservation stays open until an operator posts or voids it. */
  | { readonly kind: 'unknown'; readonly hash: string; readonly transfer: Transfer }
  /**
   * Money cannot move as the chain requires, even from the debt wallet, for example because the payee's wallet is closed. With `id_expired`:
   * nobody can tell whether it has moved already, because the ledger has trimmed the records (`retentionMs`), so nothing was done.
   */
  | { readonly kind: 'stuck'; readonly hash: string; readonly outcome: TransferOutcome | 'unknown_payment' }
  /** The pool or the ledger could not be reached; the follower tries again. */
  | { readonly kind: 'retrying'; readonly error: unknown }
  /** Events were lost. The open reservations were compared with the pool's present state. */
  | { readonly kind: 'lagged'; readonly missed: number; readonly restarted: boolean };

export interface LedgerPoolOptions {
  /**
   * Returns the payment of a transaction; `null` for none. It is called with a live transaction and must always return the same result
   * for it. If it throws, `submit` rejects with that error.
   */
  readonly transferOf: (transaction: Transaction) => PoolTransfer | null | Promise<PoolTransfer | null>;
  /** The name of the coupling: 1 to 24 of `A–Z a–z 0–9 _ -`; default `main`. Each pool coupled with one ledger needs its own name. */
  readonly name?: string | undefined;
  /** The stage at which money moves: `finalized` (default), or `confirmed`, and then it is given back if the block is undone. */
  readonly postOn?: 'finalized' | 'confirmed' | undefined;
  /**
   * How long a submission may take from its reservation to the pool's receipt, in milliseconds; default 60,000. After that, a
   * reservation whose transaction the pool has not received is voided.
   */
  readonly orphanAfterMs?: number | undefined;
  readonly report?: ((report: PoolReport) => void) | undefined;
}

/** The outcome of a submission whose money the ledger did not reserve. The pool has not seen the transaction. */
export interface Unfunded extends Refused {
  readonly outcome: TransferOutcome;
}

/** The outcome of a submission to a coupled pool. */
export type FundedOutcome = SubmitOutcome | Unfunded;

/** The `code` of a submission that the ledger refused. */
export const unfundedCode = 402;

/** The data that the parts of a coupling share. */
export interface Coupling {
  readonly pool: CoupledPool;
  readonly name: string;
  readonly postOn: 'finalized' | 'confirmed';
  readonly transferOf: LedgerPoolOptions['transferOf'];
  readonly report: (report: PoolReport) => void;
}
