import type { Mutant } from './mutant.ts';
import { isParkedTooMuch, newcomer } from './priority-admission.ts';
import { priority } from './priority-operators.ts';
import { endless } from './priority-sweeping.ts';

/** P22: who leaves parking. */
const roomMutants: readonly Mutant[] = [
  priority.limits('parking-evicts-nobody', ['admit'], (limits, { index, given }) => {
    const one = newcomer(given);
    return one !== undefined && isParkedTooMuch(index, one) ? { eviction: 'none' } : limits;
  }),
  priority.limits('sweep-leaves-who-waits-for-others', ['sweep'], () => ({
    maxPerSender: endless,
    maxAncestors: endless,
    maxDescendants: endless,
  })),
];

export const parkingRoomMutants: readonly Mutant[] = [...roomMutants];
