import type { Cause } from './cause.ts';

/** The reasons that the pool itself gives, and that callers of `drop` may give too. */
export const poolReasons = [
  'stale',
  'expired',
  'evicted',
  'replaced',
  'conflict',
  'cycle',
  'invalid',
  'flushed',
  'failed',
  'damaged',
] as const;

/** One of `poolReasons`. */
export type PoolReason = (typeof poolReasons)[number];

/** Why a transaction was dropped (E6). `{ app }` is the application's own reason, of 1–256 characters. */
export type DropReason = PoolReason | { readonly app: string };

const words: ReadonlySet<string> = new Set(poolReasons);
const ownPrefix = 'app:';

/** True for a word of `poolReasons`. */
export function isPoolReason(text: string): text is PoolReason {
  return words.has(text);
}

/** The text that stores keep of a reason: a word of the pool as it is, an application's text after `app:`. */
export function reasonText(reason: DropReason): string {
  return typeof reason === 'string' ? reason : ownPrefix + reason.app;
}

/** The inverse of `reasonText`. Any other text comes from an older version and is the application's. */
export function readReason(text: string): DropReason {
  if (isPoolReason(text)) return text;
  return { app: text.startsWith(ownPrefix) ? text.slice(ownPrefix.length) : text };
}

/** The reason for a stored text; `null` for a transaction that is not Dropped. */
export function optionalReason(text: string | null): DropReason | null {
  return text === null ? null : readReason(text);
}

/** The cause of a `drop` call with this reason (E6). */
export function dropCause(text: string): Cause {
  return text === 'failed' ? 'failed' : 'dropped';
}

/** True if both are the same reason. */
export function sameReason(a: DropReason | null, b: DropReason | null): boolean {
  if (a === b) return true;
  return typeof a === 'object' && typeof b === 'object' && a?.app === b?.app;
}
