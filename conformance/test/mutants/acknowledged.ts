import type { Life, Step } from 'mempool-core';
import { answered, type Mutant, told } from './mutant.ts';
import { type Seen, settling } from './priority-pool.ts';

const isAcknowledged = (life: Pick<Life, 'stage'> | null): boolean => life?.stage === 'Acknowledged';

/** What the rules say of every transaction that waits for a block, done to Propagated ones alone. */
export const acknowledgedMutants: readonly Mutant[] = [
  told('ages-of-acknowledged-stay', (pool) => () => ({
    waitingAfter: (tick) => pool.waitingAfter(tick).filter((life) => !isAcknowledged(life)),
  })),
  told('acknowledged-never-stale', (pool) => () => ({
    aged: (finalizable, droppable) => pool.aged(finalizable, droppable).filter((life) => !isAcknowledged(life)),
  })),
  answered('unseen-leaves-acknowledged', (pool) => ({
    confirm: (block, context) =>
      pool.confirm({ ...block, unseen: block.unseen.filter((hash) => !isAcknowledged(pool.life(hash))) }, context),
  })),
  answered('acknowledged-is-not-found', (pool) => ({
    findInflight: (hashes) =>
      pool.findInflight(hashes).map((found) => (found !== null && isAcknowledged(found) ? null : found)),
  })),
];

/** What a call does to Acknowledged ones is not written. */
function unwritten(step: Step<unknown>, { ledger }: Seen): Step<unknown> {
  const writes = step.writes.filter(({ after }) => !isAcknowledged(ledger.life(after.hash)));
  return { ...step, writes };
}

/** The same in pools by priority. */
export const acknowledgedPriorityMutants: readonly Mutant[] = [
  settling('priority-ages-of-acknowledged-stay', ['rollback'], unwritten),
  settling('priority-acknowledged-is-not-dropped', ['drop'], unwritten),
];
