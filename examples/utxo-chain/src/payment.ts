import { createHash } from 'node:crypto';
import type { Transaction } from 'mempool-core';
import type { Spending } from './spending.ts';

/** A transaction of the made-up chain. Its outputs are `name#0`, `name#1` …; a real chain uses the hash. */
export interface Payment {
  readonly name: string;
  readonly spends: readonly string[];
  readonly makes: number;
  readonly fee: number;
}

const paymentBytes = 200;

/** Encodes a payment as the network carries it: bytes, with their hash. All have the same length, so that fees are easy to compare. */
export function encodePayment({ name, spends, makes, fee }: Payment): Transaction {
  const payload = Buffer.from(JSON.stringify([name, spends, makes, fee]).padEnd(paymentBytes));
  return { hash: createHash('sha256').update(payload).digest('hex'), payload, payloadType: 0 };
}

/** @throws SyntaxError if the bytes are not a payment */
export function decodePayment(payload: Uint8Array): Payment {
  const [name, spends, makes, fee] = JSON.parse(Buffer.from(payload).toString());
  return { name, spends, makes, fee };
}

export function spendingOf({ name, spends, makes, fee }: Payment): Spending {
  return { inputs: spends, outputs: Array.from({ length: makes }, (_, i) => `${name}#${i}`), fee };
}
