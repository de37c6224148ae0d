import { blake2b } from '@noble/hashes/blake2.js';
import { bytesToHex } from '@noble/hashes/utils.js';

export const digestBytes = 32;

/** BLAKE2b-256, the hash of Cardano's headers and transactions, in lower-case hex. */
export function hexDigest(bytes: Uint8Array): string {
  return bytesToHex(blake2b(bytes, { dkLen: digestBytes }));
}
