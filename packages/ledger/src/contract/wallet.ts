/** The running totals of a wallet, in minor units. Only the pending ones can decrease. */
export interface WalletCounters {
  readonly debitsPosted: bigint;
  readonly creditsPosted: bigint;
  /** The reserved amount. It cannot be spent, and has not been moved yet. */
  readonly debitsPending: bigint;
  readonly creditsPending: bigint;
}

export interface Wallet extends WalletCounters {
  readonly id: string;
  readonly owner: string;
  /** The tags, sorted, without repeats. */
  readonly tags: readonly string[];
  readonly currency: string;
  /** True if the balance may be negative. Only for wallets of the system, such as the vault. */
  readonly overdraft: boolean;
  /** The public key that must sign transfers from the wallet, as `secp256k1:<hex>` or `ed25519:<hex>`; `null` for none. */
  readonly signer: string | null;
  readonly closed: boolean;
  /** When it was created, by the store's clock, in milliseconds since 1970. */
  readonly createdAt: number;
  /** The `seq` of the record that created it. Wallets are listed in this order. */
  readonly createdSeq: number;
  /** The `seq` of the last record that changed it. */
  readonly version: number;
}

/** Returns the balance: the credits posted minus the debits posted. */
export function balanceOf({ creditsPosted, debitsPosted }: WalletCounters): bigint {
  return creditsPosted - debitsPosted;
}

/** Returns the amount that can be spent: the balance minus the reserved amount. */
export function availableOf(wallet: WalletCounters): bigint {
  return balanceOf(wallet) - wallet.debitsPending;
}

export const noCounters: WalletCounters = {
  debitsPosted: 0n,
  creditsPosted: 0n,
  debitsPending: 0n,
  creditsPending: 0n,
};
