import type { Limits } from 'mempool-core';
import { numberText } from './pool-reader.ts';

/** The limits of a fifo pool as arguments of a script: maxTxs, acceptUntil; '' for one that is not named. */
export function limitArguments({ maxTxs, acceptUntil }: Partial<Limits>): string[] {
  return [maxTxs, acceptUntil].map((limit) => (limit === undefined ? '' : numberText(limit)));
}

/** A limit as a script answers it: 'inf' for none. */
export function readLimit(text: Buffer | undefined): number {
  return text === undefined || String(text) === 'inf' ? Number.POSITIVE_INFINITY : Number(text);
}
