import { describe, expect, it } from 'vitest';
import { defaultThresholds, dropped, finalized, live, type TxState } from '../../src/contract/lifecycle.ts';
import {
  bySeq,
  type Change,
  changeEvent,
  clampTick,
  isFinal,
  planBlock,
  planDrop,
  planMove,
  planReceive,
  planRollback,
} from '../../src/rules/change.ts';

const point = { slot: 1, hash: '00'.repeat(32) };
const none = { seen: [], unseen: [], aged: [] };

function summary(changes: readonly Change[]): string[] {
  return changes.map(({ after, counters }) => {
    const { confirmations, nonConfirmations } = counters;
    return `${after.hash} ${after.stage} ${confirmations}/${nonConfirmations}`;
  });
}

describe('a block (L5, L6)', () => {
  const tick = 10;
  const pending = live('a1', 1, 'Pending', 0);
  const fresh = live('a2', 2, 'Propagated', 9);
  const old = live('a3', 3, 'Acknowledged', 8);
  const deep = live('a4', 4, 'Confirmed', 5);
  const shallow = live('a5', 5, 'Confirmed', 6);

  it('confirms what it carries, from every live stage', () => {
    const seen = [pending, fresh, old];
    expect(summary(planBlock({ ...none, seen }, tick, defaultThresholds))).toEqual([
      'a1 Confirmed 1/0',
      'a2 Confirmed 1/0',
      'a3 Confirmed 1/0',
    ]);
  });

  it('gives a Confirmed transaction it names again one more confirmation and keeps its confirming block', () => {
    expect(planBlock({ ...none, seen: [shallow] }, tick, defaultThresholds)).toEqual([]);
    const [change] = planBlock({ ...none, seen: [deep] }, tick, defaultThresholds);
    expect(change?.after).toMatchObject({ stage: 'Finalized', tick: 5, confirmations: 6 });
  });

  it('sends back what the chain no longer carries, and leaves a Pending one alone', () => {
    const unseen = [pending, fresh, deep];
    expect(summary(planBlock({ ...none, unseen }, tick, defaultThresholds))).toEqual([
      'a2 Pending 0/0',
      'a4 Pending 0/0',
    ]);
  });

  it('saves from ageing what it carries or sends back', () => {
    const txStates = { seen: [old], unseen: [deep], aged: [old, deep] };
    expect(summary(planBlock(txStates, tick, defaultThresholds))).toEqual(['a3 Confirmed 1/0', 'a4 Pending 0/0']);
  });

  it('ends what is old enough and nothing else, by seq', () => {
    const aged = [shallow, deep, old, fresh, old];
    expect(summary(planBlock({ ...none, aged }, tick, defaultThresholds))).toEqual([
      'a3 Dropped 0/2',
      'a4 Finalized 6/0',
    ]);
  });

  it('counts a hash in both lists as seen', () => {
    const txStates = { seen: [fresh], unseen: [fresh], aged: [] };
    expect(summary(planBlock(txStates, tick, defaultThresholds))).toEqual(['a2 Confirmed 1/0']);
  });

  it('confirms and finalizes in one step where one confirmation is enough', () => {
    const once = { finalizeThreshold: 1, dropThreshold: 2 };
    const [change] = planBlock({ ...none, seen: [pending] }, tick, once);
    expect(change?.previous.stage).toBe('Pending');
    expect(summary(change === undefined ? [] : [change])).toEqual(['a1 Finalized 1/0']);
  });

  it('brings a Dropped transaction back at its seq; a Finalized one does not care (L7)', () => {
    const lost = dropped(live('a6', 6, 'Propagated', 3), 5, 'stale');
    const done = finalized(live('a7', 7, 'Confirmed', 1), 6);
    const [change, ...rest] = planBlock({ seen: [lost, done], unseen: [done], aged: [] }, tick, defaultThresholds);
    expect(change).toMatchObject({
      previous: { stage: 'Dropped', nonConfirmations: 2 },
      after: { seq: 6, stage: 'Confirmed', tick: 10, reason: null },
    });
    expect(rest).toEqual([]);
  });
});

describe('a roll-back (L9)', () => {
  it('sends back Confirmed and Finalized transactions at their place, by seq', () => {
    const txStates = [live('b2', 9, 'Confirmed', 8), finalized(live('b1', 4, 'Confirmed', 7), 12)];
    const changes = planRollback(txStates, 12, 6);
    expect(summary(changes)).toEqual(['b1 Pending 0/0', 'b2 Pending 0/0']);
    expect(changes.map(({ previous }) => `${previous.stage} ${previous.confirmations}`)).toEqual([
      'Finalized 6',
      'Confirmed 5',
    ]);
  });

  it('ages nothing twice in a switch of one block: what waited for one block has waited for one', () => {
    const waiting = live('b3', 1, 'Propagated', 10);
    const afterUndone = clampTick(waiting, 10);
    expect(planBlock({ ...none, aged: [afterUndone] }, 11, defaultThresholds)).toEqual([]);
  });

  it('lets one marked in flight after the target count from the target', () => {
    expect(clampTick(live('b4', 1, 'Propagated', 12), 9).tick).toBe(9);
    expect(clampTick(live('b4', 1, 'Propagated', 7), 9).tick).toBe(7);
  });
});

describe('receiving (L1, L2, L13)', () => {
  it('begins a life, a second one after Dropped, and none for a hash that is live or Finalized', () => {
    const txStates: Record<string, TxState | null> = {
      unknown: null,
      dropped: dropped(live('c1', 1, 'Pending', 0), 3, 'no'),
      pending: live('c1', 1, 'Pending', 0),
      confirmed: live('c1', 1, 'Confirmed', 2),
      finalized: finalized(live('c1', 1, 'Confirmed', 1), 6),
    };
    const seqs = Object.entries(txStates).map(([name, txState]) => [
      name,
      planReceive(txState, 'c1', 7, 3, null)?.after.seq,
    ]);
    expect(Object.fromEntries(seqs)).toEqual({
      unknown: 7,
      dropped: 7,
      pending: undefined,
      confirmed: undefined,
      finalized: undefined,
    });
  });

  it('begins as Confirmed where a counting block carried the hash', () => {
    const change = planReceive(null, 'c2', 7, 10, 8);
    expect(change).toMatchObject({ after: { stage: 'Confirmed', tick: 8 }, counters: { confirmations: 3 } });
  });
});

describe('moves and drops (L3, L4, L10)', () => {
  it('go in flight at the present tick, keep it when acknowledged, and lose it when released', () => {
    const marked = planMove('markInflight', live('d1', 1, 'Pending', 0), 5)?.after;
    const acknowledged = planMove('markAcknowledged', marked as TxState, 8)?.after;
    const released = planMove('release', acknowledged as TxState, 8)?.after;
    expect([marked, acknowledged, released].map((txState) => [txState?.stage, txState?.tick, txState?.seq])).toEqual([
      ['Propagated', 5, 1],
      ['Acknowledged', 5, 1],
      ['Pending', 0, 1],
    ]);
  });

  it('drop freezes the counters; a Confirmed one is not dropped', () => {
    expect(planDrop(live('d2', 1, 'Propagated', 5), 'why', 6)?.after).toMatchObject({
      stage: 'Dropped',
      nonConfirmations: 1,
      reason: 'why',
    });
    expect(planDrop(live('d3', 1, 'Confirmed', 5), 'why', 6)).toBeNull();
  });

  it('only final stages make log entries', () => {
    const kept = planMove('markInflight', live('d4', 1, 'Pending', 0), 5);
    const ended = planDrop(live('d4', 1, 'Pending', 0), 'why', 5);
    expect([kept, ended].map((change) => change !== null && isFinal(change))).toEqual([false, true]);
  });
});

describe('events of changes (E1)', () => {
  it('call a return to Pending RolledBack, but a new life after Dropped Pending', () => {
    const returned = planMove('release', live('e1', 1, 'Propagated', 3), 4) as Change;
    const again = planReceive(dropped(live('e1', 1, 'Pending', 0), 3, 'no'), 'e1', 2, 4, null) as Change;
    expect(changeEvent(1, returned, null)).toMatchObject({ stage: 'RolledBack', previous: { nonConfirmations: 1 } });
    expect(changeEvent(2, again, null)).toMatchObject({ stage: 'Pending', previous: { stage: 'Dropped' } });
  });

  it('carry the confirming block and the state before', () => {
    const [change] = planBlock({ ...none, seen: [live('e2', 3, 'Acknowledged', 8)] }, 9, defaultThresholds);
    expect(changeEvent(5, change as Change, point)).toEqual({
      kind: 'transaction',
      eventSeq: 5,
      hash: 'e2',
      seq: 3,
      stage: 'Confirmed',
      previous: { stage: 'Acknowledged', confirmations: 0, nonConfirmations: 0 },
      confirmations: 1,
      nonConfirmations: 0,
      point,
      reason: null,
    });
  });

  it('come by seq', () => {
    const changes = [3, 1, 2].map((seq) => planReceive(null, 'e3', seq, 0, null) as Change);
    expect(bySeq(changes).map(({ after }) => after.seq)).toEqual([1, 2, 3]);
  });
});
