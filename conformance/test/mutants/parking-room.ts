import type { Mutant } from './mutant.ts';
import { isParkedTooMuch, newcomer } from './priority-admission.ts';
import { priority } from './priority-operators.ts';

/** P22: who leaves parking. */
const roomMutants: readonly Mutant[] = [
  priority.limits('parking-evicts-nobody', ['admit'], (limits, { index, given }) => {
    const one = newcomer(given);
    return one !== undefined && isParkedTooMuch(index, one) ? { eviction: 'none' } : limits;
  }),
];

export const parkingRoomMutants: readonly Mutant[] = [...roomMutants];
