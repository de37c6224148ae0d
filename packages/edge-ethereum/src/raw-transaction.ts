import {
  type Address,
  bytesToHex,
  type Hex,
  keccak256,
  parseTransaction,
  recoverAddress,
  type Signature,
  serializeTransaction,
  type TransactionSerializable,
  type TransactionSerializableGeneric,
  type TransactionType,
} from 'viem';
import { cellSidecars } from './cell-sidecars.ts';
import { refused } from './rpc-error.ts';

/** The number of each transaction type in the envelope (EIP-2718), which is the pool's `payloadType`. */
export const typeNumbers: Readonly<Record<KnownType, number>> = {
  legacy: 0,
  eip2930: 1,
  eip1559: 2,
  eip4844: 3,
  eip7702: 4,
};

type KnownType = Extract<TransactionType, 'legacy' | 'eip2930' | 'eip1559' | 'eip4844' | 'eip7702'>;

/** The fields of a transaction of any type. */
export type Fields = Omit<TransactionSerializableGeneric, 'type' | 'nonce'> & {
  readonly type: KnownType;
  readonly nonce: number;
} & Signature;

/** A transaction: its bytes as received, and the fields decoded from them. */
export interface RawTransaction {
  readonly hash: Hex;
  readonly fields: Fields;
  readonly payload: Uint8Array;
  /** The size of its encoding without blobs. */
  readonly bytes: number;
}

/** A transaction whose sender is known. */
export interface SignedTransaction extends RawTransaction {
  /** The sender's address, in lower case. */
  readonly from: Address;
}

/** The largest transactions that geth takes, so that no time goes into reading others. */
const maxBytes = 128 * 1024;
const maxBlobBytes = 2 * 1024 * 1024;

/** The largest s of a signature (EIP-2): with a larger one, anybody could make a second hash for the same transaction. */
const maxS = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/**
 * Decodes the bytes of a signed transaction. It accepts only the canonical encoding, so that a hash has only one encoding.
 * @throws `RpcError` −32000 if the bytes are not a transaction in that encoding
 */
export function parseRaw(payload: Uint8Array): RawTransaction {
  const limit = payload[0] === typeNumbers.eip4844 ? maxBlobBytes : maxBytes;
  if (payload.length > limit) throw refused(`oversized data: transaction size ${payload.length}, limit ${limit}`);
  const given = bytesToHex(payload);
  const cells = cellSidecars(given);
  if (cells === null) return readForm(given, payload);
  const { hash, fields, bytes } = readForm(cells.bare, payload);
  return { hash, fields: { ...fields, sidecars: cells.sidecars } as Fields, payload, bytes };
}

/** @throws `RpcError` −32000 if it is not a transaction in canonical encoding */
function readForm(raw: Hex, payload: Uint8Array): RawTransaction {
  const fields = fieldsOf(raw);
  const { r, s, v, yParity, sidecars, ...unsigned } = fields;
  const signature = { r, s, v, yParity } as Signature;
  const bare = encoded(unsigned, signature);
  const whole = sidecars ? encoded({ ...unsigned, sidecars }, signature) : bare;
  if (whole !== raw) throw refused('invalid transaction: not in canonical encoding');
  return { hash: keccak256(bare), fields, payload, bytes: bare.length / 2 - 1 };
}

function fieldsOf(raw: Hex): Fields {
  if (/^0x(?:0[05-9a-f]|[1-7])/.test(raw)) throw refused('transaction type not supported');
  const given = parsed(raw) as Partial<Fields>;
  if (given.r === undefined || given.s === undefined) throw refused('invalid transaction v, r, s values');
  return { ...given, nonce: given.nonce ?? 0 } as Fields;
}

function parsed(raw: Hex): object {
  try {
    return parseTransaction(raw);
  } catch (error) {
    throw unreadable(error);
  }
}

function encoded(fields: object, signature: Signature): Hex {
  try {
    return serializeTransaction(fields as TransactionSerializable, signature);
  } catch (error) {
    throw unreadable(error);
  }
}

/** The names of viem's errors whose meaning clients know by other words. */
const knownErrors: Readonly<Record<string, string>> = {
  TipAboveFeeCapError: 'max priority fee per gas higher than max fee per gas',
  FeeCapTooHighError: 'max fee per gas higher than 2^256-1',
};

function unreadable(error: unknown): Error {
  const name = error instanceof Error ? error.name : '';
  return refused(knownErrors[name] ?? `invalid transaction: ${shortMessage(error)}`);
}

/** What viem says of an error, without the bytes of the transaction. */
function shortMessage(error: unknown): string {
  const { shortMessage } = Object(error) as { readonly shortMessage?: unknown };
  const text = typeof shortMessage === 'string' ? shortMessage : 'the bytes could not be decoded';
  return (
    text
      .split('\n', 1)[0]
      ?.replaceAll(/0x[0-9a-f]{64,}/g, '…')
      .slice(0, 160) ?? ''
  );
}

/**
 * Recovers the signer of a transaction, which takes about two milliseconds.
 * @throws `RpcError` −32000 if the signature is not valid, or is not in the one allowed form of the two possible ones
 */
export async function signedBy(raw: RawTransaction): Promise<SignedTransaction> {
  const { r, s, v, yParity, sidecars: _, ...unsigned } = raw.fields;
  const signature = { r, s, v, yParity } as Signature;
  if (BigInt(s) > maxS || BigInt(s) === 0n || BigInt(r) === 0n)
    throw refused('invalid sender: invalid transaction v, r, s values');
  try {
    const hash = keccak256(serializeTransaction(unsigned as TransactionSerializable));
    const from = await recoverAddress({ hash, signature });
    return { ...raw, from: from.toLowerCase() as Address };
  } catch {
    throw refused('invalid sender: invalid transaction v, r, s values');
  }
}
