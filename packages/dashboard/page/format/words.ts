import type { Cause, DropReason, Stage } from 'mempool-core';

/** The causes of transitions, as people say them. */
const causeWords: Readonly<Record<Cause, string>> = {
  received: 'received',
  marked: 'sent',
  taken: 'taken to be sent',
  acknowledged: 'acknowledged by peers',
  released: 'released',
  'claim-ended': 'claim ended',
  seen: 'in a block',
  unseen: 'missing in a block',
  block: 'deep enough',
  'rolled-back': 'block undone',
  dropped: 'dropped',
  expired: 'expired',
  evicted: 'evicted',
  replaced: 'replaced',
  conflict: 'conflict',
  cycle: 'cycle',
  invalid: 'invalid',
  flushed: 'flushed',
  failed: 'failed',
  completed: 'completed without a block',
};

/** Why a transaction changed. */
export function causeText(cause: Cause): string {
  return causeWords[cause] ?? cause;
}

/** Control characters, among them those that turn the direction of writing. */
const controls = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** A text of somebody else: whatever is in it, the text around it stays in its order. */
export function foreignText(text: string): string {
  return /^[ -~]*$/.test(text) ? text : `\u2068${text.replace(controls, '\ufffd')}\u2069`;
}

/** The reason of a drop, as events write it. */
export function reasonText(reason: DropReason): string {
  return typeof reason === 'string' ? reason : foreignText(reason.app);
}

/** The reason of a drop, as totals write it: the application's own without its mark. */
export function reasonName(name: string): string {
  return name.startsWith('app:') ? foreignText(name.slice('app:'.length)) : name;
}

/** The most frequent reason of totals; `null` without one. Of several, the first by name. */
export function leadingReason(reasons: Readonly<Record<string, number>>): { name: string; count: number } | null {
  const [first] = Object.entries(reasons).sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  return first === undefined ? null : { name: reasonName(first[0]), count: first[1] };
}

/** The first and last digits of a hash. */
export function shortHash(hash: string): string {
  return hash.length <= 18 ? hash : `${hash.slice(0, 10)}…${hash.slice(-6)}`;
}

/** The stages in the order of a life. */
export const stageOrder: readonly Stage[] = [
  'Pending',
  'Propagated',
  'Acknowledged',
  'Confirmed',
  'Finalized',
  'Dropped',
];
