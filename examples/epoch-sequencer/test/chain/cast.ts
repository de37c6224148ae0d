import { type Signer, signerOf } from 'mempool-sequencer/evm';
import type { Hex } from 'viem';

/** A private key made of a number. */
export function keyOf(number: number): Hex {
  return `0x${number.toString(16).padStart(64, '0')}`;
}

/** Validators, sorted by address, with their keys. */
export interface Validator extends Signer {
  readonly key: Hex;
}

export function validators(count: number): Validator[] {
  const all = Array.from({ length: count }, (_, i) => ({ key: keyOf(1_001 + i), ...signerOf(keyOf(1_001 + i)) }));
  return all.sort((a, b) => (a.address < b.address ? -1 : 1));
}
