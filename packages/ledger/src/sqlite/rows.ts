import { damaged, isBytes, isCount, type Row } from 'mempool-sqlite/backend';
import {
  type Head,
  type Opening,
  type RawRecord,
  type StoredTransfer,
  type TransferState,
  type Wallet,
  type WalletCounters,
  walletOfText,
} from '../backend.ts';

const types: readonly RawRecord['type'][] = ['wallet', 'tags', 'close', 'transfer'];
const states: readonly TransferState[] = ['refused', 'pending', 'posted', 'voided', 'expired'];

export function typeCode(type: RawRecord['type']): number {
  return types.indexOf(type);
}

export function stateCode(state: TransferState): number {
  return states.indexOf(state);
}

export function digestBytes(digest: string): Buffer {
  return Buffer.from(digest, 'hex');
}

/** Decodes the seq, time and digest of a record. @throws `ERR_MEMPOOL_CORRUPT` naming the record */
export function headOf({ seq, at, digest }: Row): Head {
  if (!isCount(seq) || !isCount(at) || !isBytes(digest, 20, 20)) throw damaged(`record ${seq}`);
  return { seq, at, digest: Buffer.from(digest).toString('hex') };
}

/** Decodes a record of any type. @throws `ERR_MEMPOOL_CORRUPT` naming the record */
export function rawOf(row: Row): RawRecord {
  const { id, content, result } = row;
  const type = types[Number(row.type)];
  if (type === undefined || typeof id !== 'string' || typeof content !== 'string' || typeof result !== 'string')
    throw damaged(`record ${row.seq}`);
  return { ...headOf(row), type, id, content, result };
}

/** Decodes a transfer and its state. @throws `ERR_MEMPOOL_CORRUPT` naming the record */
export function storedOf(row: Row): StoredTransfer {
  const raw = rawOf(row);
  const state = states[Number(row.state)];
  if (raw.type !== 'transfer' || row.state === null || state === undefined) throw damaged(`record ${row.seq}`);
  return { raw, state };
}

/** The wallet of a row with big integers. @throws `ERR_MEMPOOL_CORRUPT` naming the wallet */
export function walletOf(row: Row): Wallet {
  const { id, tags, content } = row;
  if (typeof id !== 'string' || typeof tags !== 'string' || typeof content !== 'string')
    throw damaged(`wallet ${row.seq}`);
  try {
    return {
      ...walletOfText(id, content),
      ...countersOf(row),
      tags: JSON.parse(tags),
      closed: row.closed === 1n,
      createdAt: Number(row.createdAt),
      createdSeq: Number(row.seq),
      version: Number(row.version),
    };
  } catch {
    throw damaged(`wallet ${id}`);
  }
}

/** Decodes the counters of a wallet before the oldest record that is kept. @throws `ERR_MEMPOOL_CORRUPT` */
export function openingOf(row: Row): Opening {
  if (typeof row.wallet !== 'string') throw damaged('opening of a wallet');
  return { wallet: row.wallet, ...countersOf(row) };
}

function countersOf({ debitsPosted, creditsPosted, debitsPending, creditsPending }: Row): WalletCounters {
  return {
    debitsPosted: counterOf(debitsPosted),
    creditsPosted: counterOf(creditsPosted),
    debitsPending: counterOf(debitsPending),
    creditsPending: counterOf(creditsPending),
  };
}

function counterOf(value: unknown): bigint {
  if (typeof value === 'bigint') return value;
  throw damaged('total of a wallet');
}
