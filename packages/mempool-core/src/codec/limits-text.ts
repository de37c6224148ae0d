import { defaultLimits, type Limits, namedLimits } from '../contract/limits.ts';
import { damaged } from './codec.ts';

/** Limits as JSON, in which `null` stands for no limit. */
export function encodeLimits(limits: Limits): string {
  return JSON.stringify(limits);
}

/** @throws `ERR_MEMPOOL_CORRUPT` */
export function decodeLimits(text: string): Limits {
  try {
    const stored = JSON.parse(text, (_, value: unknown) => value ?? Number.POSITIVE_INFINITY);
    return { ...defaultLimits, ...namedLimits(stored) };
  } catch (cause) {
    throw damaged('limits of the pool', cause);
  }
}
