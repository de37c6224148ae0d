import { keccak_256 } from '@noble/hashes/sha3.js';
import secp256k1 from 'secp256k1';

/** Who signs with a private key: the name that a validator has, which is its address, and its signature of a digest. */
export interface Signer {
  /** `0x` and 40 lower-case hex digits. */
  readonly address: string;
  /** Signs a digest of 32 bytes, given as hex. Returns r, s and v as hex with `0x`; the same each time. */
  sign(digest: string): string;
}

/** @param privateKey hex of 32 bytes, with or without `0x` @throws Error if it is none */
export function signerOf(privateKey: string): Signer {
  const key = bytesOf(privateKey);
  return {
    address: addressOf(secp256k1.publicKeyCreate(key, false)),
    sign: (digest) => {
      const { signature, recid } = secp256k1.ecdsaSign(bytesOf(digest), key);
      return `0x${Buffer.from(signature).toString('hex')}${(27 + recid).toString(16)}`;
    },
  };
}

/** A check of one signer's signatures. It never throws: a malformed signature is not the signer's. */
export function verifyBy(address: string): (digest: string, signature: string) => boolean {
  return (digest, signature) => recovered(bytesOf(digest), signature) === address;
}

const form = /^0x[0-9a-f]{128}(1b|1c)$/;
/** Half of the order of the curve. With a larger s, anybody could make a second signature of the same (EIP-2). */
const maxS = Buffer.from('7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0', 'hex');

/** The address of whoever signed the digest; `null` if the signature is none, or not in its one allowed form. */
export function recovered(digest: Uint8Array, signature: string): string | null {
  if (!form.test(signature)) return null;
  const bytes = bytesOf(signature);
  if (maxS.compare(bytes, 32, 64) < 0) return null;
  try {
    return addressOf(secp256k1.ecdsaRecover(bytes.subarray(0, 64), Number(bytes[64]) - 27, digest, false));
  } catch {
    return null;
  }
}

function addressOf(publicKey: Uint8Array): string {
  return `0x${Buffer.from(keccak_256(publicKey.subarray(1))).toString('hex', 12)}`;
}

function bytesOf(hex: string): Buffer {
  return Buffer.from(hex.startsWith('0x') ? hex.slice(2) : hex, 'hex');
}
