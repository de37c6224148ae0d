import type { StepEvent } from 'mempool-core/backend';
import type { Mutant } from './mutant.ts';
import { type Change, priority, type Verbs } from './priority-operators.ts';

type PlaceStep = Extract<StepEvent, { kind: 'ready' | 'parked' }>;

export const all: Verbs = [
  'receive',
  'admit',
  'move',
  'drop',
  'confirm',
  'rollback',
  'sweep',
  'take',
  'revise',
  'flush',
];

/** The events of places changed, or left out where `change` answers `null`. */
function told(id: string, change: (event: PlaceStep, events: readonly StepEvent[]) => Change): Mutant {
  return priority.events(
    id,
    all,
    (event, _, { events }) => (event.kind === 'ready' || event.kind === 'parked') && change(event, events),
  );
}

export const placeEventMutants: readonly Mutant[] = [
  told('held-told-as-missing', ({ kind }) => kind === 'parked' && { reason: 'missing' }),
];
