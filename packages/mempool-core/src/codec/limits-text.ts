import { type Limits, limitNames, namedLimits } from '../contract/limits.ts';
import { damaged } from './codec.ts';

/** Encodes limits as JSON; `null` means no limit. */
export function encodeLimits(limits: Limits): string {
  return JSON.stringify(plainLimits(limits));
}

/** The inverse of `encodeLimits`. @throws `ERR_MEMPOOL_CORRUPT` if the text is damaged */
export function decodeLimits(text: string): Limits {
  try {
    const stored = JSON.parse(text, (_, value: unknown) => value ?? Number.POSITIVE_INFINITY);
    return wholeLimits(stored);
  } catch (cause) {
    throw damaged('record of the limits', cause);
  }
}

/** Returns limits for JSON or CBOR. `minPriority` is text, because a decoder would round it. */
export function plainLimits({ minPriority, ...limits }: Partial<Limits>): Readonly<Record<string, unknown>> {
  return minPriority === undefined ? limits : { ...limits, minPriority: String(minPriority) };
}

/**
 * The inverse of `plainLimits` for all limits.
 *
 * @throws `ERR_MEMPOOL_INVALID` naming a limit that is damaged; `ERR_MEMPOOL_CORRUPT` if one is missing
 */
export function wholeLimits(stored: Readonly<Record<string, unknown>>): Limits {
  const limits = storedLimits(stored);
  if (!limitNames.every((name) => name in limits)) throw damaged('record of the limits');
  return limits as Limits;
}

/** The inverse of `plainLimits`. @throws `ERR_MEMPOOL_INVALID` naming a limit that is damaged */
export function storedLimits({ minPriority, ...limits }: Readonly<Record<string, unknown>>): Partial<Limits> {
  const isText = typeof minPriority === 'string' && /^-?\d{1,19}$/.test(minPriority);
  return namedLimits({ ...limits, minPriority: isText ? BigInt(minPriority) : minPriority });
}
