import type { Transfer, TransferState } from './transfer.ts';

/** What a wallet was created with. */
export interface WalletSpec {
  readonly id: string;
  readonly owner: string;
  readonly tags: readonly string[];
  readonly currency: string;
  readonly overdraft: boolean;
  readonly signer: string | null;
}

interface Numbered {
  /** From 1, without gaps. */
  readonly seq: number;
  readonly at: number;
  readonly digest: string;
}

/** One entry of the ledger's history. Every change of the ledger is one, and they are its events. */
export type LedgerRecord =
  | (Numbered & { readonly type: 'wallet'; readonly wallet: WalletSpec })
  | (Numbered & { readonly type: 'tags'; readonly walletId: string; readonly tags: readonly string[] })
  | (Numbered & { readonly type: 'close'; readonly walletId: string })
  /** A reservation has the state that it was made with, `pending`, also after it was resolved. */
  | (Numbered & { readonly type: 'transfer'; readonly transfer: Transfer });

/** A record as it is stored, and as its digest covers it. No field contains a line break. */
export interface RawRecord {
  readonly seq: number;
  readonly at: number;
  readonly type: LedgerRecord['type'];
  /** Of the transfer or the wallet. */
  readonly id: string;
  /** Of a transfer `contentText`, of a wallet `walletText`, of tags a JSON array, of a close `''`. */
  readonly content: string;
  /** Of a transfer `createdText` or `refusedText`, otherwise `''`. */
  readonly result: string;
  readonly digest: string;
}

/** A transfer's record with what became of it. */
export interface StoredTransfer {
  readonly raw: RawRecord;
  readonly state: TransferState;
}
