import type { StaleTransaction } from 'mempool-core';
import type { CheckedBlock, PoolIndex } from 'mempool-core/backend';
import type { Mutant } from './mutant.ts';
import { priority } from './priority-operators.ts';

function blocked(id: string, change: (block: CheckedBlock, index: PoolIndex) => Partial<CheckedBlock>): Mutant {
  return priority.given(id, { confirm: (block, { index }) => change(block, index) });
}

/** P12. */
export const chainTagMutants: readonly Mutant[] = [
  blocked('tags-of-blocks-ignored', () => ({ provides: [] })),
  priority.view('completed-satisfies-nothing', ['move'], () => ({ satisfy: () => undefined })),
  priority.view('completed-satisfies-in-the-last-block', ['move'], ({ index, memory }) => ({
    satisfy: (tag) => index.satisfy(tag, memory.currentTip.tick),
  })),
];

/** A fault in what is told to be stale. */
function listing(
  id: string,
  change: (found: StaleTransaction[], index: PoolIndex, height: number) => StaleTransaction[],
): Mutant {
  return priority.around(id, {
    stale: async ({ whole, index, given: [height, limit, context] }) =>
      change([...(await whole.stale(height, 1_000, context))], index, height).slice(0, limit),
  });
}

/** P11. */
export const recheckMutants: readonly Mutant[] = [
  listing('stale-by-seq', (found) => found.sort((a, b) => a.seq - b.seq)),
  priority.limits('new-gas-without-limit', ['revise'], () => ({ maxTxGas: Number.POSITIVE_INFINITY })),
];
