import type { Mutant } from './mutant.ts';
import { priority } from './priority-operators.ts';

/** P26. */
export const movingFloorMutants: readonly Mutant[] = [
  priority.given('floors-in-doubles', {
    setLimits: ({ minPriority }) =>
      minPriority === undefined ? null : { minPriority: BigInt.asIntN(64, BigInt(Number(minPriority))) },
  }),
];
