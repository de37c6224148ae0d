import { fifo } from './fifo-operators.ts';
import type { Mutant } from './mutant.ts';
import type { PlantedDriver } from './planted-driver.ts';
import { stores } from './store-operators.ts';

/** A block that is refused leaves a trace. */
function refusedWith(id: string, kind: string, trace: (pool: PlantedDriver, seen: readonly string[]) => void): Mutant {
  return fifo.told(id, {
    confirm: (told, { pool, given: [block] }) => {
      if (told.kind === kind) trace(pool, block.seen);
    },
  });
}

function marks(pool: PlantedDriver, seen: readonly string[]): void {
  pool.markInflight(seen);
  pool.markAcknowledged(seen);
}

/** X3. */
export const chainMutants: readonly Mutant[] = [
  refusedWith('gap-touches-its-transactions', 'gap', marks),
  refusedWith('duplicate-touches-its-transactions', 'duplicate', marks),
];

/** L9 for transactions. */
export const rollbackMutants: readonly Mutant[] = [
  fifo.view('returns-a-thousand-at-most', (pool) => ({
    confirmedAfter: (tick) => pool.confirmedAfter(tick).slice(0, 1_000),
  })),
];

/** Changes outcomes of one kind. */
function outcome(
  id: string,
  kind: string,
  change: (told: { undone: number; tip: { point: unknown } }) => object,
): Mutant {
  return fifo.told(id, { rollback: (told) => told.kind === kind && change(told as never) });
}

/** L9 for points and outcomes. */
export const rollbackDepthMutants: readonly Mutant[] = [
  outcome('unchanged-told-as-a-rollback', 'unchanged', () => ({ kind: 'rolled-back', undone: 0, returned: 0 })),
  stores.opened('depth-of-a-thousand', (options) => ({ maxRollback: 1_000, ...options })),
];
