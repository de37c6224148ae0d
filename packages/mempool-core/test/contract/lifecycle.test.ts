import { describe, expect, it } from 'vitest';
import {
  countersAt,
  defaultThresholds,
  droppableTick,
  finalizableTick,
  inclusionCounts,
  keptFrom,
  lifecycleVerbs,
  live,
  nextStage,
  settle,
  type Thresholds,
  type TxState,
  transitions,
} from '../../src/contract/lifecycle.ts';

const hash = 'ab';
const never: Thresholds = { finalizeThreshold: Number.POSITIVE_INFINITY, dropThreshold: Number.POSITIVE_INFINITY };

/** The stages from the block of tick `first` on, block by block. */
function stagesFrom(txState: TxState, first: number, blocks: number, thresholds: Thresholds): string[] {
  const stages: string[] = [];
  let now = txState;
  for (let tick = first; tick < first + blocks; tick++) {
    now = settle(now, tick, thresholds);
    stages.push(now.stage);
  }
  return stages;
}

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

describe('counters', () => {
  it('count a Confirmed transaction from its confirming block to the tip, both included (L12)', () => {
    expect(countersAt(live(hash, 1, 'Confirmed', 7), 7)).toEqual({ confirmations: 1, nonConfirmations: 0 });
    expect(countersAt(live(hash, 1, 'Confirmed', 7), 10)).toEqual({ confirmations: 4, nonConfirmations: 0 });
  });

  it('count the blocks since a transaction went in flight (L12)', () => {
    expect(countersAt(live(hash, 1, 'Propagated', 7), 7)).toEqual({ confirmations: 0, nonConfirmations: 0 });
    expect(countersAt(live(hash, 1, 'Acknowledged', 7), 10)).toEqual({ confirmations: 0, nonConfirmations: 3 });
  });

  it('are nothing for a Pending one, however many blocks there are (L5)', () => {
    expect(countersAt(live(hash, 1, 'Pending', 0), 99)).toEqual({ confirmations: 0, nonConfirmations: 0 });
  });

  it('stay as they were in a final stage', () => {
    const final = settle(live(hash, 1, 'Confirmed', 7), 12, defaultThresholds);
    expect(countersAt(final, 500)).toEqual({ confirmations: 6, nonConfirmations: 0 });
  });
});

describe('final stages', () => {
  it('a Confirmed transaction is Finalized by the block that gives it the sixth confirmation (L6)', () => {
    const stages = stagesFrom(live(hash, 1, 'Confirmed', 10), 10, 6, defaultThresholds);
    expect(stages).toEqual(['Confirmed', 'Confirmed', 'Confirmed', 'Confirmed', 'Confirmed', 'Finalized']);
  });

  it.each(['Propagated', 'Acknowledged'] as const)('%s is Dropped by the second block without it (L6)', (stage) => {
    expect(stagesFrom(live(hash, 1, stage, 10), 11, 2, defaultThresholds)).toEqual([stage, 'Dropped']);
    expect(settle(live(hash, 1, stage, 10), 12, defaultThresholds)).toMatchObject({
      reason: 'stale',
      nonConfirmations: 2,
    });
  });

  it('never come with a threshold of Infinity (L6)', () => {
    expect(settle(live(hash, 1, 'Confirmed', 1), 1e9, never).stage).toBe('Confirmed');
    expect(settle(live(hash, 1, 'Acknowledged', 1), 1e9, never).stage).toBe('Acknowledged');
    expect([finalizableTick(1e9, never), droppableTick(1e9, never)]).toEqual([-Infinity, -Infinity]);
  });

  it('the tick ranges name exactly those that settle would end', () => {
    for (let tick = 1; tick <= 20; tick++) {
      const confirmed = settle(live(hash, 1, 'Confirmed', tick), 20, defaultThresholds).stage === 'Finalized';
      const waiting = settle(live(hash, 1, 'Propagated', tick), 20, defaultThresholds).stage === 'Dropped';
      expect(confirmed).toBe(tick <= finalizableTick(20, defaultThresholds));
      expect(waiting).toBe(tick <= droppableTick(20, defaultThresholds));
    }
  });
});

describe('kept blocks', () => {
  it('reach back as far as a rollback may go, its target included (L9)', () => {
    expect(keptFrom(2_161, 2_160, 1)).toBe(1);
    expect(keptFrom(2_162, 2_160, 1)).toBe(2);
  });

  it('never come back once forgotten', () => {
    expect(keptFrom(5, 10, 4)).toBe(4);
  });

  it('count for a late transaction while they are among the last six (L13)', () => {
    expect([4, 5, 10].map((tick) => inclusionCounts(tick, 10, defaultThresholds))).toEqual([false, true, true]);
  });
});
