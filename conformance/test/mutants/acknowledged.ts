import type { Life } from 'mempool-core/backend';
import { fifo } from './fifo.ts';
import type { Mutant } from './mutant.ts';
import { priority } from './priority-pool.ts';

const isOther = (life: Pick<Life, 'stage'> | null): boolean => life?.stage !== 'Acknowledged';

/** What the rules say of every transaction that waits for a block, done to Propagated ones alone. */
export const acknowledgedMutants: readonly Mutant[] = [
  fifo.view('ages-of-acknowledged-stay', (pool) => ({
    waitingAfter: (tick) => pool.waitingAfter(tick).filter(isOther),
  })),
  fifo.view('acknowledged-never-stale', (pool) => ({ aged: (...ticks) => pool.aged(...ticks).filter(isOther) })),
  fifo.blocks('unseen-leaves-acknowledged', ({ unseen }, pool) => ({
    unseen: unseen.filter((hash) => isOther(pool.life(hash))),
  })),
  fifo.told('acknowledged-is-not-found', { findInflight: (told) => told.map((one) => (isOther(one) ? one : null)) }),
];

/** What a call does to Acknowledged ones is not written. */
function unwritten(id: string, verb: 'rollback' | 'drop'): Mutant {
  return priority.decided(id, [verb], ({ writes }, { ledger }) => ({
    writes: writes.filter(({ after }) => isOther(ledger.life(after.hash))),
  }));
}

/** The same in pools by priority. */
export const acknowledgedPriorityMutants: readonly Mutant[] = [
  unwritten('priority-ages-of-acknowledged-stay', 'rollback'),
  unwritten('priority-acknowledged-is-not-dropped', 'drop'),
];
