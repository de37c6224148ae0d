import { hash } from 'node:crypto';
import { LedgerError } from '../contract/errors.ts';
import type { TransferOutcome } from '../contract/outcome.ts';
import type { LedgerRecord, RawRecord, StoredTransfer } from '../contract/record.ts';
import type { Transfer } from '../contract/transfer.ts';
import { contentOfText, walletOfText } from './content.ts';

/** What a post, void or expire did to its reservation. */
export interface Resolved {
  readonly source: string;
  readonly destination: string;
  readonly amount: bigint;
  readonly currency: string;
  readonly released: bigint;
}

/** Before the first record. */
export const noDigest: string = '0'.repeat(40);

/**
 * SHA-1 over the digest before and the record, because scripts of Redis have no other hash. To change a record unseen, one
 * needs a second preimage, for which no attack on SHA-1 is known.
 */
export function recordDigest(
  before: string,
  { seq, at, type, id, content, result }: Omit<RawRecord, 'digest'>,
): string {
  const text = `${before}\n${seq}\n${at}\n${type}\n${id}\n${content}\n${result}`;
  return hash('sha1', text, 'hex');
}

/** The store's part of the record of a transfer that was created; of a post, void or expire with what it resolved. */
export function createdText(resolved: Resolved | null): string {
  if (resolved === null) return 'created';
  const { source, destination, amount, currency, released } = resolved;
  return ['created', source, destination, amount, currency, released].join('\n');
}

/** The store's part of the record of a refusal, with the owner that it is counted for. */
export function refusedText(outcome: TransferOutcome, owner: string): string {
  return `${outcome}\n${owner}`;
}

/** The owner that a recorded refusal is counted for. */
export function refusalOwner({ result }: RawRecord): string {
  return result.slice(result.indexOf('\n') + 1);
}

/** What became of the call that a record keeps. */
export function outcomeOfRaw({ result }: RawRecord): TransferOutcome {
  const end = result.indexOf('\n');
  return (end === -1 ? result : result.slice(0, end)) as TransferOutcome;
}

/** @throws `ERR_LEDGER_CORRUPT` naming the record if its fields are damaged */
export function recordOfRaw(raw: RawRecord): LedgerRecord {
  return decoded(raw, recordOf);
}

function recordOf(raw: RawRecord): LedgerRecord {
  const { seq, at, digest, type, id, content } = raw;
  if (type === 'wallet') return { type, seq, at, digest, wallet: walletOfText(id, content) };
  if (type === 'tags') return { type, seq, at, digest, walletId: id, tags: JSON.parse(content) };
  if (type === 'close') return { type, seq, at, digest, walletId: id };
  return { type, seq, at, digest, transfer: transferOf(raw) };
}

/** The transfer with what became of it. @throws `ERR_LEDGER_CORRUPT` naming the record if its fields are damaged */
export function transferOfStored({ raw, state }: StoredTransfer): Transfer {
  return { ...transferOfRaw(raw), state };
}

/** The transfer as it was made: a reservation is `pending`. @throws `ERR_LEDGER_CORRUPT` naming the record if its fields are damaged */
export function transferOfRaw(raw: RawRecord): Transfer {
  return decoded(raw, transferOf);
}

function decoded<T>(raw: RawRecord, decode: (raw: RawRecord) => T): T {
  try {
    return decode(raw);
  } catch (cause) {
    throw new LedgerError('ERR_LEDGER_CORRUPT', `record ${raw.seq} is damaged`, { cause });
  }
}

function transferOf({ id, seq, at, digest, content, result }: RawRecord): Transfer {
  const said = contentOfText(content);
  const [outcome = '', ...rest] = result.split('\n');
  const [source, destination, amount, currency, released] = outcome === 'created' ? rest : [];
  const { kind, description, metadata, pendingId, timeoutMs } = said;
  return {
    ...{ id, kind, outcome: outcome as TransferOutcome, state: stateMade(kind, outcome) },
    source: source ?? said.source,
    destination: destination ?? said.destination,
    amount: amount === undefined ? (said.amount ?? 0n) : BigInt(amount),
    currency: currency ?? said.currency,
    ...{ description, metadata, pendingId },
    released: BigInt(released ?? 0),
    expiresAt: kind === 'reserve' && timeoutMs !== null ? at + timeoutMs : null,
    ...{ seq, at, digest },
  };
}

function stateMade(kind: Transfer['kind'], outcome: string): Transfer['state'] {
  if (outcome !== 'created') return 'refused';
  if (kind === 'reserve') return 'pending';
  if (kind === 'void') return 'voided';
  return kind === 'expire' ? 'expired' : 'posted';
}
