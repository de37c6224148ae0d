import type { Limits } from 'mempool-core';

/** Returns the limits of a fifo pool as script arguments: maxTxs, acceptUntil. A limit that is not named is ''. */
export function limitArguments({ maxTxs, acceptUntil }: Partial<Limits>): string[] {
  return [maxTxs, acceptUntil].map((limit) => (limit === undefined ? '' : numberText(limit)));
}

/** Decodes a limit in a script's answer, where 'inf' means no limit. */
export function readLimit(text: Buffer): number {
  return String(text) === 'inf' ? Number.POSITIVE_INFINITY : Number(text);
}

/** Returns a number in the form that the scripts expect; `inf` for no limit. */
export function numberText(value: number): string {
  return Number.isFinite(value) ? String(value) : 'inf';
}
