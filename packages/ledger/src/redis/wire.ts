import {
  LedgerError,
  type Opening,
  type RawRecord,
  type StoreAnswer,
  type StoredTransfer,
  type TransferRequest,
  type TransferState,
  transferOfRaw,
  type Wallet,
  type WalletCounters,
  walletOfText,
} from '../backend.ts';
import type { LogEntry, Reply, TransferRow, WalletRow } from './scripts.ts';

const states: Readonly<Record<string, TransferState>> = {
  p: 'pending',
  d: 'posted',
  v: 'voided',
  e: 'expired',
  r: 'refused',
};

/** Returns a request as the ten arguments of lua/execute.lua. */
export function requestArguments(request: TransferRequest): (string | number)[] {
  const { kind, id, content, issuedAt } = request;
  if ('pendingId' in request) {
    const { pendingId, amount } = request;
    return [kind, id, content, issuedAt ?? '', pendingId, '', amount?.toString() ?? '', '', '', ''];
  }
  const { source, destination, amount, currency, timeoutMs, signedBy } = request;
  return [
    ...[kind, id, content, issuedAt ?? ''],
    ...[source, destination, amount.toString(), currency, timeoutMs ?? '', signedBy ?? ''],
  ];
}

export function readAnswer([outcome, replayed, ...row]: Reply<'execute'>[number], content: string): StoreAnswer {
  const [state] = row;
  return {
    outcome: String(outcome) as StoreAnswer['outcome'],
    stored: state === undefined ? null : readTransfer(row as TransferRow, content),
    replayed: replayed === 1,
  };
}

/** Decodes a record. `known` is the content to use if the row has none. */
export function readTransfer(row: TransferRow, known = ''): StoredTransfer {
  const [letter, seq, at, id, digest, result, content] = row;
  const raw: RawRecord = {
    ...{ seq, at, type: 'transfer', id: String(id) },
    content: content.length === 0 ? known : String(content),
    ...{ result: String(result), digest: String(digest) },
  };
  return { raw, state: letter.length === 0 ? transferOfRaw(raw).state : stateOf(String(letter), raw.id) };
}

function stateOf(letter: string, id: string): TransferState {
  const state = states[letter];
  if (state === undefined) throw new LedgerError('ERR_LEDGER_CORRUPT', `the state of transfer ${id} is damaged`);
  return state;
}

export function readRecord([entry, fields]: LogEntry): RawRecord {
  const [, at, , type, , id, , content, , result, , digest] = fields.map(String);
  const seq = Number.parseInt(String(entry), 10);
  if (at === undefined || id === undefined || content === undefined || result === undefined || digest === undefined)
    throw new LedgerError('ERR_LEDGER_CORRUPT', `record ${seq} has not all fields`);
  return { seq, at: Number(at), type: type as RawRecord['type'], id, content, result, digest };
}

export function readWallet(id: string, [about, balance]: WalletRow): Wallet {
  const [createdSeq = '', createdAt = '', , content = '', tags] = String(about).split('\n');
  if (tags === undefined || balance.length < 50) throw new LedgerError('ERR_LEDGER_CORRUPT', `wallet ${id} is damaged`);
  return {
    ...walletOfText(id, content),
    ...readCounters(balance),
    tags: JSON.parse(tags),
    createdSeq: Number(createdSeq),
    createdAt: Number(createdAt),
    version: balance.readUIntBE(36, 6),
    closed: (balance.readUInt8(48) & 2) !== 0,
  };
}

export function readOpening(wallet: string, packed: Buffer): Opening {
  return { wallet, ...readCounters(packed) };
}

/** As lua/balance.lua packs them: billions in five bytes, the rest in four. */
function readCounters(packed: Buffer): WalletCounters {
  const amount = (at: number) =>
    BigInt(packed.readUIntBE(at, 5)) * 1_000_000_000n + BigInt(packed.readUInt32BE(at + 5));
  return {
    debitsPosted: amount(0),
    creditsPosted: amount(9),
    debitsPending: amount(18),
    creditsPending: amount(27),
  };
}
