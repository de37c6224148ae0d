import { blake2b } from '@noble/hashes/blake2.js';

/** blake2b-256, the hash of Cardano's headers and transactions. */
export function digest(bytes: Uint8Array): Uint8Array {
  return blake2b(bytes, { dkLen: 32 });
}
