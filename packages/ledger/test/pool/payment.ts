import { createHash } from 'node:crypto';
import type { PoolTransfer } from '../../src/index.ts';

/** A payment as its bytes carry it: who pays whom how much, and a number that tells equal ones apart. */
export interface Payment {
  readonly from: string;
  readonly to: string;
  readonly amount: number;
  readonly nonce: number | string;
}

export function encode({ from, to, amount, nonce }: Payment) {
  const payload = Buffer.from(JSON.stringify([from, to, amount, nonce]));
  return { hash: createHash('sha256').update(payload).digest('hex'), payload };
}

export function transferOf({ payload }: { readonly payload: Uint8Array }): PoolTransfer | null {
  const [source, destination, amount] = JSON.parse(Buffer.from(payload).toString());
  return amount === 0 ? null : { source, destination, amount: BigInt(amount), currency: 'EUR' };
}

export const authorise = (): boolean => true;
