import type { AdmissionRefusal, ReceiveOptions, Submission } from './pool-verbs.ts';

/** The most transactions of a bundle (P31). */
export const maxBundle = 100;

/** What `receiveBundle` answers (P31). */
export type BundleOutcome =
  | {
      readonly kind: 'received';
      /** The name of the bundle: the seq of its first transaction. */
      readonly bundle: number;
      /** In the order given. */
      readonly transactions: readonly { readonly hash: string; readonly seq: number }[];
    }
  /** Nothing was received. `refusal`: why, of the first transaction that was refused. */
  | { readonly kind: 'refused'; readonly refusal: BundleRefusal };

/** Why a bundle was refused. */
export type BundleRefusal =
  | AdmissionRefusal
  | {
      readonly kind: 'duplicate';
      readonly hash: string;
      readonly stage: 'Pending' | 'Propagated' | 'Acknowledged' | 'Confirmed' | 'Finalized';
    }
  | { readonly kind: 'too-large'; readonly hash: string; readonly maxTxBytes: number }
  /** It would be parked. */
  | { readonly kind: 'not-ready'; readonly hash: string };

/** The verb for bundles, of a priority pool. */
export interface BundleVerbs {
  /**
   * Adds up to 100 transactions together or not at all. They are reaped and taken together, in the order given, and leave
   * together (P31). Peers are not told of them.
   *
   * @example const outcome = await store.receiveBundle([first, second]);
   */
  receiveBundle(transactions: readonly Submission[], options?: ReceiveOptions): Promise<BundleOutcome>;
}
