import { blake2b } from '@noble/hashes/blake2.js';
import { bytesToHex } from '@noble/hashes/utils.js';

export const digestBytes = 32;

/** blake2b-256, the hash of Cardano's headers and transactions. */
export function digest(bytes: Uint8Array): Uint8Array {
  return blake2b(bytes, { dkLen: digestBytes });
}

/** `digest` in lower-case hex. */
export function hexDigest(bytes: Uint8Array): string {
  return bytesToHex(digest(bytes));
}
