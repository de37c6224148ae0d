import type { Cause } from './cause.ts';

/** The reasons for which the pool itself drops transactions. Callers of `drop` may use them too. */
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

/** True if the text is one of `poolReasons`. */
export function isPoolReason(text: string): text is PoolReason {
  return words.has(text);
}

/** Returns the text to store for a reason: one of `poolReasons` unchanged, or `app:` and the application's text. */
export function reasonText(reason: DropReason): string {
  return typeof reason === 'string' ? reason : ownPrefix + reason.app;
}

/** The inverse of `reasonText`. */
function readReason(text: string): DropReason {
  return isPoolReason(text) ? text : { app: text.slice(ownPrefix.length) };
}

/** Returns the reason for a stored text, or `null` for `null` (a transaction that is not Dropped). */
export function optionalReason(text: string | null): DropReason | null {
  return text === null ? null : readReason(text);
}

/** Returns the cause in the events of a `drop` call with this reason (E6). */
export function dropCause(text: string): Cause {
  return text === 'failed' ? 'failed' : 'dropped';
}

/** True if both are the same reason. */
export function sameReason(a: DropReason | null, b: DropReason | null): boolean {
  if (a === b) return true;
  return typeof a === 'object' && typeof b === 'object' && a?.app === b?.app;
}
