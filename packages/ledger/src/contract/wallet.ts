/** Running totals of a wallet, in minor units. None ever falls but the pending ones. */
export interface WalletCounters {
  readonly debitsPosted: bigint;
  readonly creditsPosted: bigint;
  /** Reserved: cannot be spent, and is not yet another's. */
  readonly debitsPending: bigint;
  readonly creditsPending: bigint;
}

export interface Wallet extends WalletCounters {
  readonly id: string;
  readonly owner: string;
  /** Sorted, without repeats. */
  readonly tags: readonly string[];
  readonly currency: string;
  /** Whether more may go out than came in. Only for wallets of the system, such as the vault. */
  readonly overdraft: boolean;
  /** The public key that has to sign what leaves the wallet, as `secp256k1:<hex>` or `ed25519:<hex>`; `null`: none. */
  readonly signer: string | null;
  readonly closed: boolean;
  /** By the store's clock, in milliseconds since 1970. */
  readonly createdAt: number;
  /** The `seq` of the record that created it: wallets are listed in this order. */
  readonly createdSeq: number;
  /** The `seq` of the last record that changed it. */
  readonly version: number;
}

/** What the wallet holds. */
export function balanceOf({ creditsPosted, debitsPosted }: WalletCounters): bigint {
  return creditsPosted - debitsPosted;
}

/** What can be spent: the balance without what is reserved. */
export function availableOf(wallet: WalletCounters): bigint {
  return balanceOf(wallet) - wallet.debitsPending;
}

export const noCounters: WalletCounters = {
  debitsPosted: 0n,
  creditsPosted: 0n,
  debitsPending: 0n,
  creditsPending: 0n,
};
