import type { Mempool, ReceiveOutcome, Refused, Transaction } from 'mempool-core';
import type { SettleOutcome } from '../contract/store.ts';
import type { Transfer } from '../contract/transfer.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Signature } from '../ledger/verbs.ts';

/** The parts of a pool that the coupling needs: a `Mempool` of either ordering. */
export type CoupledPool = Pick<
  Mempool,
  | 'submit'
  | 'receive'
  | 'drop'
  | 'status'
  | 'payloads'
  | 'peekPending'
  | 'peekInflight'
  | 'dumpFinalized'
  | 'subscribe'
  | 'usage'
  | 'tip'
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
  /** The signature of `signedText`, with `paymentId(name, hash)` as the id. Required if the source has a `signer`. */
  readonly signature?: Signature | undefined;
}

/**
 * Why money did not move: the outcome of the ledger, or `unauthorised`: the application did not confirm the payer, or
 * `unknown_payment`: the bytes of the transaction are gone.
 */
export type StuckOutcome = SettleOutcome | 'unauthorised' | 'unknown_payment';

/** A report for the operator of a coupling. Nothing waits for its handling. */
export type PoolReport =
  /** The chain carries a transaction for which its payer had too little money. The debt wallet pays `transfer`. */
  | { readonly kind: 'uncovered'; readonly hash: string; readonly transfer: Transfer | null; readonly payer: string }
  /** The chain undid a payment that the payee had spent. The debt wallet gave it back, or had paid it, by `transfer`. */
  | { readonly kind: 'shortfall'; readonly hash: string; readonly transfer: Transfer | null }
  /** A transaction entered the pool without `submit` or without its reservation, and its payer cannot pay, so it is dropped as `unfunded`. */
  | { readonly kind: 'unfunded'; readonly hash: string; readonly outcome: StuckOutcome }
  /** `transferOf` or `authorise` failed for a transaction that entered the pool without `submit`. It is skipped: no money moves. */
  | { readonly kind: 'unreadable'; readonly hash: string; readonly error: unknown }
  /** Events were lost, and the pool does not know the hash. The reservation stays open until an operator posts or voids it. */
  | { readonly kind: 'unknown'; readonly hash: string; readonly transfer: Transfer | null }
  /**
   * Money cannot move as the chain requires, even from the debt wallet, for example because the payee's wallet is closed. With
   * `id_expired`: a pool that fell back has a transaction again whose payment may have been settled and forgotten, so no money moves.
   */
  | { readonly kind: 'stuck'; readonly hash: string; readonly outcome: StuckOutcome }
  /** The pool or the ledger could not be reached; the follower tries again. */
  | { readonly kind: 'retrying'; readonly error: unknown }
  /** Events were lost. The ledger was compared with the pool's present state. */
  | { readonly kind: 'lagged'; readonly missed: number; readonly restarted: boolean }
  /**
   * The pool or the ledger went back to an earlier state, as after the restore of a backup. The ledger is compared with the pool's
   * present state, or the events since its state are settled again.
   */
  | { readonly kind: 'fell-back'; readonly store: 'pool' | 'ledger' };

export interface LedgerPoolOptions {
  /**
   * Returns the payment of a transaction; `null` for none. It is called with a live transaction and must always return the same result
   * for it. If it throws, `submit` rejects with that error. It need not check the payer: `authorise` does.
   */
  readonly transferOf: (transaction: Transaction) => PoolTransfer | null | Promise<PoolTransfer | null>;
  /**
   * Returns true if the payer, `transfer.source`, agrees to this payment: for example because the transaction has a signature of the
   * wallet's owner. Whoever can put bytes into the pool could take any wallet's money without it. Wallets of the system, whose ids begin
   * with `~`, never pay, and are not asked for. The ledger itself checks the signature of a wallet with a `signer`.
   */
  readonly authorise: (transaction: Transaction, transfer: PoolTransfer) => boolean | Promise<boolean>;
  /** The name of the coupling: 1 to 24 of `A–Z a–z 0–9 _ -`; default `main`. Each pool coupled with one ledger needs its own name. */
  readonly name?: string | undefined;
  /** The stage at which money moves: `finalized` (default), or `confirmed`, and then it is given back if the block is undone. */
  readonly postOn?: 'finalized' | 'confirmed' | undefined;
  /**
   * How long a submission may take from its reservation to the pool's receipt, in milliseconds; default 60,000. After that, a
   * reservation whose transaction the pool has not received is voided.
   */
  readonly orphanAfterMs?: number | undefined;
  /** Called for each payment that needs an operator. */
  readonly report?: ((report: PoolReport) => void) | undefined;
}

/** The outcome of a submission whose money the ledger did not reserve. The pool has not seen the transaction. */
export interface Unfunded extends Refused {
  readonly outcome: StuckOutcome;
}

/** The outcome of a submission to a coupled pool. */
export type FundedOutcome = ReceiveOutcome | Unfunded;

/** The `code` of a submission that the ledger refused. */
export const unfundedCode = 402;

/** The data that the parts of a coupling share. */
export interface Coupling {
  readonly pool: CoupledPool;
  readonly ledger: Ledger;
  readonly name: string;
  readonly postOn: 'finalized' | 'confirmed';
  readonly transferOf: LedgerPoolOptions['transferOf'];
  readonly authorise: LedgerPoolOptions['authorise'];
  readonly report: (report: PoolReport) => void;
}
