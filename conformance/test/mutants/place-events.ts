import type { PoolIndex, StepEvent } from 'mempool-core/backend';
import { numbered, type TransactionStep } from './fifo-operators.ts';
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

/** Where the events of places stand among those of their call. */
function placed(
  id: string,
  order: (events: readonly StepEvent[], places: readonly StepEvent[]) => StepEvent[],
): Mutant {
  const isPlace = ({ kind }: StepEvent): boolean => kind === 'ready' || kind === 'parked';
  return priority.ordered(id, all, (events) =>
    order(
      events.filter((event) => !isPlace(event)),
      events.filter(isPlace),
    ),
  );
}

function named(id: string, change: (event: TransactionStep, events: readonly StepEvent[]) => Change): Mutant {
  return priority.events(id, all, (event, _, { events }) => event.kind === 'transaction' && change(event, events));
}

/** Some that the call moved are told as ready, too. */
function alsoReady(id: string, verbs: Verbs, isMeant: (event: TransactionStep, index: PoolIndex) => boolean): Mutant {
  return priority.decided(id, verbs, (step, { index }) => {
    const ready = step.events.flatMap((event): StepEvent[] =>
      event.kind === 'transaction' && isMeant(event, index)
        ? [{ kind: 'ready', eventSeq: 0, hash: event.hash, seq: event.seq }]
        : [],
    );
    return numbered(step, [...step.events, ...ready]);
  });
}

export const placeEventMutants: readonly Mutant[] = [
  told('ready-never-told', ({ kind }) => (kind === 'ready' ? null : false)),
  told('held-told-as-missing', ({ kind }) => kind === 'parked' && { reason: 'missing' }),
  told('waiting-told-as-held', ({ kind }, events) => {
    const isHeld = events.some((event) => event.kind === 'parked' && event.reason === 'held');
    return kind === 'parked' && isHeld && { reason: 'held' };
  }),
  placed('places-told-twice', (events, places) => [...events, ...places, ...places]),
  priority.events('woken-without-an-event', ['sweep', 'take'], ({ kind }) => (kind === 'ready' ? null : false)),
  alsoReady('newcomers-told-as-ready', ['admit'], ({ stage }) => stage === 'Pending'),
  named('replaced-by-nobody', ({ replacedBy }) => replacedBy !== undefined && { replacedBy: undefined }),
  named('replaced-by-the-last-of-the-call', ({ replacedBy }, events) => {
    const last = events.findLast((event) => event.kind === 'transaction' && event.stage === 'Pending');
    return replacedBy !== undefined && last?.kind === 'transaction' && { replacedBy: last.hash };
  }),
];
