import { Random, seed } from 'mempool-testkit';
import { describe, expect, test } from 'vitest';
import { type EpochStep, epochSteps, firstStates, isEnded, stepped } from '../../src/index.ts';
import { type EpochGap, type GapFacts, gapGrace, gapKinds, gapsOf } from '../../src/rules/gaps.ts';

/** Closed at 0, and nothing since. */
const closed: GapFacts = {
  ...firstStates,
  epoch: 7,
  reason: null,
  closesAt: 0,
  collectingAt: null,
  agreedAt: null,
  undoneAt: null,
  endedAt: null,
};
const level1: GapFacts = { ...closed, phase: 'level1', level1: 'in_progress' };
const level2: GapFacts = { ...level1, phase: 'level2', level1: 'completed', level2: 'collecting', collectingAt: 1_000 };
const onchain: GapFacts = { ...level2, phase: 'onchain', level2: 'completed', agreedAt: 2_000 };
const complete: GapFacts = { ...onchain, phase: 'complete', onchain: 'confirmed', endedAt: 3_000 };
const noQuorum: GapFacts = { ...level2, phase: 'failed', level2: 'failed', reason: 'no_quorum', endedAt: 11_000 };
const refused: GapFacts = { ...onchain, phase: 'failed', onchain: 'failed', reason: 'reverted', endedAt: 4_000 };
const day = 86_400_000;

const open = (kind: EpochGap['kind'], openedAt: number, reason: string | null): EpochGap => ({
  ...{ epoch: 7, kind, openedAt, reason, resolvedAt: null },
});
const resolved = (kind: EpochGap['kind'], openedAt: number, resolvedAt: number): EpochGap => ({
  ...{ epoch: 7, kind, openedAt, resolvedAt, reason: null },
});

describe('a gap opens when the grace of its level is over', () => {
  const table: readonly (readonly [string, GapFacts, number, readonly EpochGap[]])[] = [
    ['the window is open', { ...closed, closesAt: day }, day - 1, []],
    ['level 1 has time', closed, 59_999, []],
    ['nobody checks', closed, 60_000, [open('missing_level1', 60_000, 'submissions_not_checked')]],
    ['nobody counts', level1, 60_000, [open('missing_level1', 60_000, 'parts_not_counted')]],
    ['level 2 has time from level 1 on', level2, 60_999, []],
    ['batches are missing', level2, 61_000, [open('missing_level2', 61_000, 'batches_not_received')]],
    ['the leader died', { ...level2, level2: 'aggregating' }, day, [open('missing_level2', 61_000, 'not_agreed')]],
    ['no quorum, but still in time', noQuorum, 60_999, []],
    ['no quorum', noQuorum, day, [open('missing_level2', 61_000, 'no_quorum')]],
    ['the chain has time from level 2 on', onchain, 301_999, []],
    ['nobody sends', onchain, day, [open('missing_onchain', 302_000, 'not_queued')]],
    ['it waits', { ...onchain, onchain: 'queued' }, day, [open('missing_onchain', 302_000, 'not_submitted')]],
    ['it is stuck', { ...onchain, onchain: 'submitted' }, day, [open('missing_onchain', 302_000, 'not_confirmed')]],
    ['the chain refused', refused, day, [open('missing_onchain', 302_000, 'reverted')]],
    ['all was in time', complete, day, []],
    ['it was late', { ...complete, endedAt: 400_000 }, day, [resolved('missing_onchain', 302_000, 400_000)]],
    [
      'a reorganisation undid it',
      { ...onchain, onchain: 'queued', undoneAt: 500_000 },
      day,
      [open('missing_onchain', 800_000, 'not_submitted')],
    ],
    [
      'level 1 was late, and level 2 was not, from there on',
      { ...level2, collectingAt: 100_000 },
      100_001,
      [resolved('missing_level1', 60_000, 100_000)],
    ],
    [
      'the chain carries what this node never found',
      { ...closed, phase: 'complete', onchain: 'confirmed', endedAt: 90_000 },
      day,
      [resolved('missing_level1', 60_000, 90_000)],
    ],
    [
      'the chain carries what failed here',
      { ...noQuorum, phase: 'complete', onchain: 'confirmed', reason: null, endedAt: 90_000 },
      day,
      [resolved('missing_level2', 61_000, 90_000)],
    ],
  ];
  test.each(table)('%s', (_, facts, now, gaps) => expect(gapsOf(facts, now)).toEqual(gaps));

  test('and the graces are those that are given', () => {
    const grace = { level1Ms: 1, level2Ms: 2, onchainMs: 3 };
    expect(gapsOf(closed, 1, grace)).toMatchObject([{ kind: 'missing_level1', openedAt: 1 }]);
    expect(gapsOf(level2, day, grace)).toMatchObject([{ openedAt: 1, resolvedAt: 1_000 }, { openedAt: 1_002 }]);
    expect(gapsOf(onchain, day, grace).map(({ kind }) => kind)).toEqual(gapKinds);
  });
});

function reasonAfter({ reason }: GapFacts, step: EpochStep): string | null {
  if (step === 'overtake') return reason;
  return step.startsWith('fail') || step === 'expire' ? step : null;
}

/** The epoch after a step, as its record has it: the times are set where the state is. */
function after(facts: GapFacts, step: EpochStep, now: number): GapFacts {
  const states = stepped(facts, step);
  if (states === null) return facts;
  const { phase, level2 } = states;
  return {
    ...facts,
    ...states,
    collectingAt: step === 'batch' || step === 'skip' ? now : facts.collectingAt,
    agreedAt: level2 === 'completed' ? (facts.agreedAt ?? now) : null,
    undoneAt: step === 'undo' ? now : facts.undoneAt,
    endedAt: isEnded(phase) ? (phase === facts.phase ? facts.endedAt : now) : null,
    reason: reasonAfter(facts, step),
  };
}

test(`whatever steps an epoch makes, and whenever, its gaps hold together (seed ${seed})`, () => {
  const random = new Random(seed);
  const steps = Object.keys(epochSteps) as EpochStep[];
  for (let run = 0; run < 3_000; run++) {
    let facts = closed;
    let now = 0;
    for (let i = 0; i < 12; i++) {
      now += random.below(150_000);
      facts = after(facts, steps[random.below(steps.length)] as EpochStep, now);
      const gaps = gapsOf(facts, now);
      // Nobody can ask too often, and what is open stays open until the epoch goes on.
      expect(gapsOf(facts, now)).toEqual(gaps);
      expect(gapsOf(facts, now + day)).toEqual(expect.arrayContaining(gaps));
      for (const { openedAt, resolvedAt, reason } of gaps) {
        expect(openedAt).toBeLessThanOrEqual(now);
        if (resolvedAt !== null) expect(resolvedAt).toBeGreaterThan(openedAt);
        expect(reason === null).toBe(resolvedAt !== null);
      }
      const missing = gapsOf(facts, now + day).filter(({ resolvedAt }) => resolvedAt === null);
      expect(missing.length === 0).toBe(facts.phase === 'complete');
    }
  }
  expect(gapGrace.onchainMs).toBeGreaterThan(gapGrace.level2Ms);
});
