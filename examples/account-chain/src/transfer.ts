import { createHash } from 'node:crypto';
import type { Transaction } from 'mempool-core';

/** A transaction of the made-up chain. A real chain has its own encoding, and signatures. */
export interface Transfer {
  readonly sender: string;
  readonly nonce: number;
  readonly fee: number;
  readonly gas: number;
}

/** Encodes a transfer as the network carries it: bytes, with their hash. */
export function encodeTransfer({ sender, nonce, fee, gas }: Transfer): Transaction {
  const payload = Buffer.from(JSON.stringify([sender, nonce, fee, gas]));
  return { hash: createHash('sha256').update(payload).digest('hex'), payload, payloadType: 0 };
}

/** @throws SyntaxError if the bytes are not a transfer */
export function decodeTransfer(payload: Uint8Array): Transfer {
  const [sender, nonce, fee, gas] = JSON.parse(Buffer.from(payload).toString());
  return { sender, nonce, fee, gas };
}
