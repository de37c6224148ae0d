import type { Floor, Load } from 'mempool-core';
import type { CheckedSubmission, PoolIndex, PoolNode } from 'mempool-core/backend';
import type { Mutant } from './mutant.ts';
import { rivalsOf } from './priority-admission.ts';
import { loaded } from './priority-calls.ts';
import { leave, priority } from './priority-operators.ts';

/** A rival that stays is replaced by one that comes alone. */
function replacing(id: string, isMeant: (rival: PoolNode, one: CheckedSubmission, index: PoolIndex) => boolean) {
  return priority.around(id, {
    admit: async ({ whole, index, given: [[one, ...more], ...rest] }) => {
      const told = await whole.admit(one === undefined ? [] : [one, ...more], ...rest);
      const rival = told[0]?.kind === 'conflict' ? index.node(told[0].with ?? '') : undefined;
      if (one === undefined || rival?.stage !== 'Pending' || !isMeant(rival, one, index)) return told;
      await leave(whole, rivalsOf(index, one), 'replaced');
      return whole.admit([one, ...more], ...rest);
    },
  });
}

/** P4: what a replacement leaves behind. */
export const replacementMutants: readonly Mutant[] = [
  replacing('parked-ones-replace-ready-ones', (rival, { verdict }, index) => {
    return verdict.requires.every((tag) => !index.providers.has(tag)) && rival.place?.ready === true;
  }),
];

function floored(id: string, floorOf: (load: Load, index: PoolIndex) => Floor): Mutant {
  return loaded(id, (load, { index }) => ({ floor: floorOf(load, index) }));
}
const needs = (priority: bigint): Floor => ({ kind: 'at-least', priority });
const more = (floor: Floor, by: bigint): Floor => (floor.kind === 'at-least' ? needs(floor.priority + by) : floor);

/** P5: who leaves. */
export const evictionMutants: readonly Mutant[] = [
  priority.ordered('evicted-told-in-order-of-leaving', ['admit'], (events) => {
    const gone = events.filter((event) => event.kind === 'transaction' && event.stage === 'Dropped').reverse();
    return [...gone, ...events.filter((event) => !gone.includes(event))];
  }),
];

/** P5: what it costs to come in. */
export const floorMutants: readonly Mutant[] = [floored('floor-one-more', ({ floor }) => more(floor, 1n))];
