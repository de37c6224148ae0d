import {
  bytesToHex,
  type Hex,
  keccak256,
  parseTransaction,
  recoverTransactionAddress,
  type Signature,
  serializeTransaction,
  type TransactionSerializable,
  type TransactionSerialized,
} from 'viem';

/** What the pool needs to know of a signed transaction. */
export interface SignedTransaction {
  /** In lower case. */
  readonly from: string;
  readonly nonce: number;
  /** What it pays the maker of a block for a unit of gas, in wei. */
  readonly priority: bigint;
  readonly gas: number;
}

/** The half of the order of the curve: with a larger s, anybody could make a second transaction of the same (EIP-2). */
const maxS = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;
const maxPriority = 2n ** 63n - 1n;

/** The hash by which the chain knows a transaction, without `0x`. */
export function hashOf(payload: Uint8Array): string {
  return keccak256(payload).slice(2);
}

/** Reads the bytes of a signed transaction (EIP-2718). A text tells why it is none for this chain. */
export async function readSigned(payload: Uint8Array, chainId: number): Promise<SignedTransaction | string> {
  const raw = bytesToHex(payload);
  const fields = fieldsOf(raw);
  if (fields === null) return 'the bytes are no signed transaction';
  if (fields.chainId !== chainId) return `it is for chain ${fields.chainId ?? 'any'}, not for ${chainId}`;
  if (BigInt(fields.s) > maxS) return 'its signature is not in the one allowed form';
  const from = await signerOf(raw);
  if (from === null) return 'nobody can have signed it';
  const { nonce = 0, gas = 0n, gasPrice, maxPriorityFeePerGas = 0n } = fields;
  return { from, nonce, priority: lower(gasPrice ?? maxPriorityFeePerGas, maxPriority), gas: Number(gas) };
}

/** The fields of the types that have them. */
interface Fields {
  readonly chainId?: number;
  readonly nonce?: number;
  readonly gas?: bigint;
  readonly gasPrice?: bigint;
  readonly maxPriorityFeePerGas?: bigint;
  readonly s: Hex;
}

/** `null` if the bytes are no signed transaction, or if another encoding stands for the same: then the chain knows it by another hash. */
function fieldsOf(raw: Hex): Fields | null {
  try {
    const parsed: object = parseTransaction(raw);
    const { r, s, v, yParity, ...unsigned } = parsed as Partial<Signature>;
    if (r === undefined || s === undefined) return null;
    const fields: object = unsigned;
    const again = serializeTransaction(fields as TransactionSerializable, { r, s, v, yParity } as Signature);
    return again === raw ? { ...fields, s } : null;
  } catch {
    return null;
  }
}

async function signerOf(raw: Hex): Promise<string | null> {
  try {
    return (await recoverTransactionAddress({ serializedTransaction: raw as TransactionSerialized })).toLowerCase();
  } catch {
    return null;
  }
}

function lower(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
