import { keccak_256 } from '@noble/hashes/sha3.js';
import type { Hex } from 'viem';
import { type Signer, signerOf } from '../../src/chain/signer.ts';

/** A private key made of a number. */
export function keyOf(number: number): Hex {
  return `0x${number.toString(16).padStart(64, '0')}`;
}

/** What validators sign of a root: `keccak256(0x04 ‖ domain ‖ epoch as 8 bytes, big-endian ‖ root)`. */
export function agreementDigest({ domain, epoch, root }: { domain: string; epoch: number; root: string }): string {
  const number = Buffer.alloc(8);
  number.writeBigUInt64BE(BigInt(epoch));
  const bytes = Buffer.concat([Buffer.of(4), Buffer.from(domain, 'hex'), number, Buffer.from(root, 'hex')]);
  return Buffer.from(keccak_256(bytes)).toString('hex');
}

/** Validators, sorted by address, with their keys. */
export interface Validator extends Signer {
  readonly key: Hex;
}

export function validators(count: number): Validator[] {
  const all = Array.from({ length: count }, (_, i) => ({ key: keyOf(1_001 + i), ...signerOf(keyOf(1_001 + i)) }));
  return all.sort((a, b) => (a.address < b.address ? -1 : 1));
}
