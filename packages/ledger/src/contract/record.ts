import type { Transfer, TransferState } from './transfer.ts';
import type { Wallet } from './wallet.ts';

/** The arguments with which a wallet was created. */
export type WalletSpec = Pick<Wallet, 'id' | 'owner' | 'tags' | 'currency' | 'overdraft' | 'signer'>;

interface Numbered {
  /** The number of the record: from 1, without gaps. */
  readonly seq: number;
  readonly at: number;
  readonly digest: string;
}

/** One entry of the ledger's history. Every change of the ledger makes one. The records are also the ledger's events. */
export type LedgerRecord =
  | (Numbered & { readonly type: 'wallet'; readonly wallet: WalletSpec })
  | (Numbered & { readonly type: 'tags'; readonly walletId: string; readonly tags: readonly string[] })
  | (Numbered & { readonly type: 'close'; readonly walletId: string })
  /** A transfer with its first state. So a reservation is `pending` here, even after it was resolved. */
  | (Numbered & { readonly type: 'transfer'; readonly transfer: Transfer });

/** A record as it is stored. Its digest covers these fields. No field contains a line break. */
export interface RawRecord {
  readonly seq: number;
  readonly at: number;
  readonly type: LedgerRecord['type'];
  /** The id of the transfer or of the wallet. */
  readonly id: string;
  /** `contentText` of a transfer, `walletText` of a wallet, a JSON array of tags, or `''` of a close. */
  readonly content: string;
  /** `createdText` or `refusedText` of a transfer, otherwise `''`. */
  readonly result: string;
  readonly digest: string;
}

/** A transfer's record with its present state. */
export interface StoredTransfer {
  readonly raw: RawRecord;
  readonly state: TransferState;
}
