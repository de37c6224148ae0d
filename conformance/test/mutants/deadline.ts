import type { Limits } from 'mempool-core';
import type { Mutant } from './mutant.ts';
import { pools } from './store-operators.ts';

const never = Number.POSITIVE_INFINITY;

/** A pool that closes at another time than it was told, at its opening alone. */
function opening(id: string, change: (acceptUntil: number) => number): Mutant {
  return pools.opened(id, ({ acceptUntil, ...options }) =>
    acceptUntil === undefined ? options : { ...options, acceptUntil: change(acceptUntil) },
  );
}

/** `setLimits` that hears another time. */
function setting(id: string, change: (limits: Partial<Limits>) => Partial<Limits>): Mutant {
  return pools.around(id, {
    setLimits: ({ store, given: [limits, options] }) => store.setLimits(change(limits), options),
  });
}

/** P27. */
export const deadlineMutants: readonly Mutant[] = [
  opening('never-closes', () => never),
  setting('closes-late-if-told-so', (limits) =>
    limits.acceptUntil === undefined ? limits : { ...limits, acceptUntil: limits.acceptUntil + 30 },
  ),
];
