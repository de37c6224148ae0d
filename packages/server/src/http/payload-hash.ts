import { hash } from 'node:crypto';
import { blake2b } from '@noble/hashes/blake2.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { transactionHash } from 'mempool-cardano';
import type { PayloadHashName } from '../config/server-config.ts';

/** Computes the hash of a transaction, as hex, from its bytes. It throws if the bytes are no transaction. */
export type PayloadHash = (payload: Uint8Array) => string;

/** The named ways. `cardano` takes the body of a Cardano transaction; the others take all bytes of the payload. */
export const payloadHashes: Readonly<Record<PayloadHashName, PayloadHash>> = {
  sha256: (payload) => hash('sha256', payload, 'hex'),
  'blake2b-256': (payload) => Buffer.from(blake2b(payload, { dkLen: 32 })).toString('hex'),
  'keccak-256': (payload) => Buffer.from(keccak_256(payload)).toString('hex'),
  cardano: transactionHash,
};
