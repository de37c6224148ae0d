import type { OrderKey, PoolIndex } from 'mempool-core/backend';
import type { Mutant } from './mutant.ts';
import { all } from './place-events.ts';
import { loaded } from './priority-calls.ts';
import { priority } from './priority-operators.ts';
import { pools } from './store-operators.ts';

function isBelow(index: PoolIndex, { effectivePriority }: OrderKey): boolean {
  return effectivePriority < index.limits.minPriority;
}

/** The reasons of what is parked, told in another way. */
function reasoned(id: string, change: (reason: string, hash: string, index: PoolIndex) => string): Mutant {
  return priority.events(
    id,
    [...all, 'setLimits'],
    (event, { index }) => event.kind === 'parked' && { reason: change(event.reason, event.hash, index) },
  );
}

/** P26. */
export const movingFloorMutants: readonly Mutant[] = [
  priority.given('floors-in-doubles', {
    setLimits: ({ minPriority }) =>
      minPriority === undefined ? null : { minPriority: BigInt.asIntN(64, BigInt(Number(minPriority))) },
  }),
  priority.told('newcomers-below-the-floor-told-as-ready', {
    admit: (outcomes, { index }) =>
      outcomes.map((outcome) => {
        if (outcome.kind !== 'received' || outcome.stage !== 'Pending') return outcome;
        const place = index.node(outcome.hash)?.place;
        return place && isBelow(index, place) && outcomes.length === 1 ? { ...outcome, parked: false } : outcome;
      }),
  }),
  reasoned('below-the-floor-told-of-held-ones', (reason, hash, index) => {
    const place = index.node(hash)?.place;
    return place && isBelow(index, place) ? 'below-floor' : reason;
  }),
  pools.unheard('floors-set-again', 'setLimits', 'operationId'),
  priority.around('floors-not-named-at-open', {
    setLimits: ({ whole, given: [limits, context], notes }) => {
      notes.count += 1;
      const isFirst = notes.count === 1 && context.operationId === undefined && Object.keys(limits).length === 1;
      const { minPriority: _, ...others } = limits;
      return whole.setLimits(isFirst ? others : limits, context);
    },
  }),
  loaded('floor-of-usage-below-the-floor', ({ floor }, { index }) => {
    const isFloor = floor.kind === 'at-least' && floor.priority === index.limits.minPriority;
    return isFloor ? { floor: { kind: 'open' } } : {};
  }),
];
