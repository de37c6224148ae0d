import { Buffer } from 'node:buffer';
import { MempoolError } from 'mempool-core';

/** What a script may answer. */
export type Reply = Buffer | number | null | readonly Reply[];

function unexpected(): MempoolError {
  return new MempoolError('ERR_MEMPOOL_INTERNAL', 'a script answered in an unexpected shape');
}

export function asBytes(reply: Reply | undefined): Buffer {
  if (!Buffer.isBuffer(reply)) throw unexpected();
  return reply;
}

export function asBytesOrNull(reply: Reply | undefined): Buffer | null {
  return reply === null || reply === undefined ? null : asBytes(reply);
}

export function asText(reply: Reply | undefined): string {
  return asBytes(reply).toString('latin1');
}

/** An integer reply, or its digits. */
export function asNumber(reply: Reply | undefined): number {
  if (typeof reply === 'number') return reply;
  const number = Number(asText(reply));
  if (!Number.isSafeInteger(number)) throw unexpected();
  return number;
}

export function asList(reply: Reply | undefined): readonly Reply[] {
  if (!Array.isArray(reply)) throw unexpected();
  return reply;
}
