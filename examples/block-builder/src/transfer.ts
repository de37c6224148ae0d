import { createHash } from 'node:crypto';
import type { Transaction } from 'mempool-core';

/** A transaction of the made-up chain. */
export interface Transfer {
  readonly sender: string;
  readonly nonce: number;
  /** The most that it pays for a unit of gas. */
  readonly maxFee: number;
  readonly gas: number;
  /** Its execution fails. Nobody knows before. */
  readonly fails: boolean;
}

export function encodeTransfer({ sender, nonce, maxFee, gas, fails }: Transfer): Transaction {
  const payload = Buffer.from(JSON.stringify([sender, nonce, maxFee, gas, fails]));
  return { hash: createHash('sha256').update(payload).digest('hex'), payload, payloadType: 0 };
}

/** @throws SyntaxError if the bytes are not a transfer */
export function decodeTransfer(payload: Uint8Array): Transfer {
  const [sender, nonce, maxFee, gas, fails] = JSON.parse(Buffer.from(payload).toString());
  return { sender, nonce, maxFee, gas, fails };
}
