import { hash } from 'node:crypto';
import { LedgerError } from '../contract/errors.ts';
import type { TransferOutcome } from '../contract/outcome.ts';
import type { LedgerRecord, RawRecord, StoredTransfer } from '../contract/record.ts';
import type { Transfer } from '../contract/transfer.ts';
import { contentOfText, walletOfText } from './content.ts';

/** The effect of a post, void or expire on its reservation. */
export interface Resolved {
  readonly source: string;
  readonly destination: string;
  readonly amount: bigint;
  readonly currency: string;
  readonly released: bigint;
}

/** The digest before the first record. */
export const noDigest: string = '0'.repeat(40);

/**
 * Returns the SHA-1 of the previous digest and the record. It is SHA-1 because scripts of Redis have no other hash. An undetected
 * change of a record needs a second preimage, for which no attack on SHA-1 is known.
 */
export function recordDigest(
  before: string,
  { seq, at, type, id, content, result }: Omit<RawRecord, 'digest'>,
): string {
  const text = `${before}\n${seq}\n${at}\n${type}\n${id}\n${content}\n${result}`;
  return hash('sha1', text, 'hex');
}

/** Returns the `result` text of a transfer that was created. `resolved` is its reservation, for a post, void or expire. */
export function createdText(resolved: Resolved | null): string {
  if (resolved === null) return 'created';
  const { source, destination, amount, currency, released } = resolved;
  return ['created', source, destination, amount, currency, released].join('\n');
}

/** Returns the `result` text of a refusal, with the owner whose refusals it counts among. */
export function refusedText(outcome: TransferOutcome, owner: string): string {
  return `${outcome}\n${owner}`;
}

/** Returns the owner whose refusals a recorded refusal counts among. */
export function refusalOwner({ result }: RawRecord): string {
  return result.slice(result.indexOf('\n') + 1);
}

/** Returns the outcome of the call that a record stores. */
export function outcomeOfRaw({ result }: RawRecord): TransferOutcome {
  const end = result.indexOf('\n');
  return (end === -1 ? result : result.slice(0, end)) as TransferOutcome;
}

/** Decodes a stored record. @throws `ERR_LEDGER_CORRUPT` naming the record if its fields are damaged */
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

/** Returns the transfer with its present state. @throws `ERR_LEDGER_CORRUPT` naming the record if its fields are damaged */
export function transferOfStored({ raw, state }: StoredTransfer): Transfer {
  return { ...transferOfRaw(raw), state };
}

/** Returns the transfer with its first state, which is `pending` for a reservation. @throws `ERR_LEDGER_CORRUPT` naming a damaged record */
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
  const { kind, description, metadata, pendingId, timeoutMs, arbiter, payerMayVoid } = said;
  return {
    ...{ id, kind, outcome: outcome as TransferOutcome, state: stateMade(kind, outcome) },
    source: source ?? said.source,
    destination: destination ?? said.destination,
    amount: amount === undefined ? (said.amount ?? 0n) : BigInt(amount),
    currency: currency ?? said.currency,
    ...{ description, metadata, pendingId },
    released: BigInt(released ?? 0),
    expiresAt: kind === 'reserve' && timeoutMs !== null ? at + timeoutMs : null,
    ...{ arbiter, payerMayVoid },
    ...{ seq, at, digest },
  };
}

function stateMade(kind: Transfer['kind'], outcome: string): Transfer['state'] {
  if (outcome !== 'created') return 'refused';
  if (kind === 'reserve') return 'pending';
  if (kind === 'void') return 'voided';
  return kind === 'expire' ? 'expired' : 'posted';
}
