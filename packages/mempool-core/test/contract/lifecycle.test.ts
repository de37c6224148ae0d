import { describe, expect, it } from 'vitest';
import {
  defaultThresholds,
  droppableTick,
  finalizableTick,
  keptFrom,
  lifecycleVerbs,
  live,
  nextStage,
  noFacts,
  settle,
  transitions,
} from '../../src/contract/lifecycle.ts';

const hash = 'ab';

describe('the transition table', () => {
  const legal = Object.entries(transitions).flatMap(([stage, verbs]) =>
    Object.entries(verbs).map(([verb, next]) => `${stage} ${verb} ${next}`),
  );

  it('leads where the contract says, pair by pair (L2–L4, L7, L10)', () => {
    expect(legal.sort()).toEqual(
      [
        'Unknown receive Pending',
        'Pending markInflight Propagated',
        'Pending drop Dropped',
        'Pending seen Confirmed',
        'Propagated markAcknowledged Acknowledged',
        'Propagated release Pending',
        'Propagated drop Dropped',
        'Propagated seen Confirmed',
        'Propagated unseen Pending',
        'Acknowledged release Pending',
        'Acknowledged drop Dropped',
        'Acknowledged seen Confirmed',
        'Acknowledged unseen Pending',
        'Confirmed unseen Pending',
        'Dropped receive Pending',
        'Dropped seen Confirmed',
      ].sort(),
    );
  });

  it('leads nowhere for every other pair (L11)', () => {
    const stages = Object.keys(transitions) as (keyof typeof transitions)[];
    const leading = stages.flatMap((stage) => lifecycleVerbs.filter((verb) => nextStage(stage, verb) !== null));
    expect(leading).toHaveLength(legal.length);
  });
});

describe('final stages', () => {
  it('the tick ranges name exactly those that settle would end', () => {
    for (let tick = 1; tick <= 20; tick++) {
      const confirmed = settle(live(hash, 1, 'Confirmed', tick, noFacts), 20, defaultThresholds).stage === 'Finalized';
      const waiting = settle(live(hash, 1, 'Propagated', tick, noFacts), 20, defaultThresholds).stage === 'Dropped';
      expect(confirmed).toBe(tick <= finalizableTick(20, defaultThresholds));
      expect(waiting).toBe(tick <= droppableTick(20, defaultThresholds));
    }
  });
});

it('blocks that are no longer kept never come back', () => {
  expect(keptFrom(5, 10, 4)).toBe(4);
});
