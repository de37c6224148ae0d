import type { OrderKey, PoolIndex, StepEvent } from 'mempool-core/backend';
import { numbered } from './fifo-operators.ts';
import type { Mutant } from './mutant.ts';
import { priority, type Verbs } from './priority-operators.ts';
import { pools } from './store-operators.ts';

const lowest = -(2n ** 63n);
const placing: Verbs = ['receive', 'admit', 'move', 'drop', 'confirm', 'rollback', 'sweep', 'take', 'revise', 'flush'];

function isBelow(index: PoolIndex, { effectivePriority }: OrderKey): boolean {
  return effectivePriority < index.limits.minPriority;
}

/** The reasons of what is parked, told in another way. */
function reasoned(id: string, change: (reason: string, hash: string, index: PoolIndex) => string): Mutant {
  return priority.decided(id, [...placing, 'setLimits'], (step, { index }) =>
    numbered(
      step,
      step.events.map((event) =>
        event.kind === 'parked' ? ({ ...event, reason: change(event.reason, event.hash, index) } as StepEvent) : event,
      ),
    ),
  );
}

/** P26. */
export const movingFloorMutants: readonly Mutant[] = [
  priority.given('floors-never-fall', {
    setLimits: ({ minPriority, ...limits }, { index }) =>
      minPriority !== undefined && minPriority < index.limits.minPriority
        ? { ...limits, minPriority: index.limits.minPriority }
        : null,
  }),
  priority.given('floors-of-one-more', {
    setLimits: ({ minPriority = lowest }) => (minPriority > lowest ? { minPriority: minPriority + 1n } : null),
  }),
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
  priority.told('below-the-floor-not-counted', {
    usage: ({ load }) => ({ load: load && { ...load, belowFloor: 0 } }),
  }),
  priority.told('below-the-floor-counted-twice', {
    usage: ({ load }) => ({ load: load && { ...load, parked: load.parked - load.belowFloor } }),
  }),
  priority.decided('floors-move-without-events', ['setLimits'], (step) => numbered(step, [])),
  priority.decided('floors-fall-without-events', ['setLimits'], (step) =>
    numbered(
      step,
      step.events.filter(({ kind }) => kind !== 'ready'),
    ),
  ),
  reasoned('below-the-floor-told-as-missing', (reason) => (reason === 'below-floor' ? 'missing' : reason)),
  reasoned('below-the-floor-told-of-held-ones', (reason, hash, index) => {
    const place = index.node(hash)?.place;
    return place && isBelow(index, place) ? 'below-floor' : reason;
  }),
  priority.decided('ready-again-without-a-gossip-number', ['setLimits'], (step, { index }) => {
    for (const { hash } of step.pool?.entries ?? []) {
      const node = index.node(hash);
      if (node !== undefined) index.number(node, 0);
    }
  }),
  pools.around('floors-set-again', {
    setLimits: ({ store, given: [limits, options] }) => store.setLimits(limits, { ...options, operationId: undefined }),
  }),
  priority.faults('floors-not-named-at-open', {
    answer: (driver) => {
      let isOpened = false;
      return {
        setLimits: (limits, context) => {
          const isFirst = !isOpened && context.operationId === undefined && Object.keys(limits).length === 1;
          isOpened = true;
          const { minPriority: _, ...others } = limits;
          return driver.setLimits(isFirst ? others : limits, context);
        },
      };
    },
  }),
  priority.told('floor-of-usage-below-the-floor', {
    usage: ({ load }, { index }) => {
      const { minPriority } = index.limits;
      const isFloor = load?.floor.kind === 'at-least' && load.floor.priority === minPriority;
      return load && isFloor ? { load: { ...load, floor: { kind: 'open' } } } : {};
    },
  }),
];
