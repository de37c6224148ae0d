import type { Limits } from 'mempool-core';

/** Returns the limit of a fifo pool, `maxTxs`, as an argument of a script; '' if it is not named. */
export function limitArgument({ maxTxs }: Partial<Limits>): string {
  return maxTxs === undefined ? '' : numberText(maxTxs);
}

/** Decodes a limit in a script's answer, where 'inf' means no limit. */
export function readLimit(text: Buffer): number {
  return String(text) === 'inf' ? Number.POSITIVE_INFINITY : Number(text);
}

/** Returns a number in the form that the scripts expect; `inf` for no limit. */
export function numberText(value: number): string {
  return Number.isFinite(value) ? String(value) : 'inf';
}
