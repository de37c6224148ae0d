import { createHash } from 'node:crypto';
import type { Submission } from 'mempool-core';
import type { PoolTransfer } from 'mempool-ledger';

/** A payment of the made-up chain, in cents. A real one is signed. */
export interface Payment {
  readonly from: string;
  readonly to: string;
  readonly cents: number;
  /** Tells equal payments apart. */
  readonly number: number;
}

/** Encodes a payment as the network carries it: bytes, with their hash. */
export function encodePayment({ from, to, cents, number }: Payment): Submission {
  const payload = Buffer.from(JSON.stringify([from, to, cents, number]));
  return { hash: createHash('sha256').update(payload).digest('hex'), payload };
}

/** The money that a transaction moves. */
export function transferOf({ payload }: { readonly payload: Uint8Array }): PoolTransfer {
  const [source, destination, cents] = JSON.parse(Buffer.from(payload).toString());
  return { source, destination, amount: BigInt(cents), currency: 'EUR' };
}

/** Whether the payer agrees. A real one checks the signature in the bytes. */
export function authorise(): boolean {
  return true;
}
