import { formerLimits, type Limits, namedLimits } from '../contract/limits.ts';
import { damaged } from './codec.ts';

/** Encodes limits as JSON; `null` means no limit. */
export function encodeLimits(limits: Limits): string {
  return JSON.stringify(limits);
}

/**
 * The inverse of `encodeLimits`. A missing limit is newer than the pool (`formerLimits`).
 *
 * @throws `ERR_MEMPOOL_CORRUPT` if the text is damaged
 */
export function decodeLimits(text: string): Limits {
  try {
    const stored = JSON.parse(text, (_, value: unknown) => value ?? Number.POSITIVE_INFINITY);
    return { ...formerLimits, ...namedLimits(stored) };
  } catch (cause) {
    throw damaged('record of the limits', cause);
  }
}
