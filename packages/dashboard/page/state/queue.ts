import type { PendingItem } from '../wire/answers.ts';
import type { Level } from './projection.ts';

const minute = 60_000;

/** The ages by which the queue is coloured, youngest first. */
export const ageClasses: readonly { readonly fromMs: number; readonly name: string }[] = [
  { fromMs: 0, name: 'under 10 s' },
  { fromMs: 10_000, name: '10 s to 1 min' },
  { fromMs: minute, name: '1 to 10 min' },
  { fromMs: 10 * minute, name: '10 min to 1 h' },
  { fromMs: 60 * minute, name: 'over 1 h' },
];

/** The oldest of a queue, coloured by age. */
export interface AgedQueue {
  readonly transactions: readonly (PendingItem & { readonly level: Level })[];
  /** How many of them are in each class of `ageClasses`. */
  readonly counts: readonly number[];
}

/** `now`: the pool's clock. A transaction whose time is damaged counts as old. */
export function agedQueue(items: readonly PendingItem[], now: number): AgedQueue {
  const transactions = items.map((item) => ({ ...item, level: levelOf(item.receivedAt, now) }));
  const counts = ageClasses.map((_, level) => transactions.filter((each) => each.level === level).length);
  return { transactions, counts };
}

function levelOf(receivedAt: number | null, now: number): Level {
  const age = receivedAt === null ? Number.POSITIVE_INFINITY : now - receivedAt;
  const next = ageClasses.findIndex(({ fromMs }) => age < fromMs);
  return (next === -1 ? ageClasses.length - 1 : Math.max(0, next - 1)) as Level;
}
