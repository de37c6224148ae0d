import type { Mutant } from './mutant.ts';
import { priority } from './priority-operators.ts';
import { misheard } from './priority-order.ts';

const endless = Number.POSITIVE_INFINITY;

/** P28. */
export const protectionMutants: readonly Mutant[] = [
  priority.limits('any-number-of-protected-ones', ['admit'], () => ({ maxProtected: endless })),
];

/** P29. */
export const tippedMutants: readonly Mutant[] = [misheard('tips-not-heard', () => ({ tip: undefined }))];
