import { expect, test } from 'vitest';
import { type Answers, differencesOf } from '../src/demo/monitor.ts';
import type { Recount } from '../src/demo/recount.ts';

const states = { level1: 'completed', level2: 'completed', reason: null, validators: ['a', 'b'] } as const;
const counts = { received: 5, pending: 0, checking: 0, missed: 0 };
const complete: Recount = {
  ...{ ...states, epoch: 1, phase: 'complete', onchain: 'confirmed', root: 'r', batches: ['a', 'b'], included: ['a'] },
  submissions: { ...counts, counted: 3, finalized: 3, dropped: { late: 1, rejected: 1 } },
};
const failed: Recount = {
  ...{ ...states, epoch: 2, phase: 'failed', onchain: 'pending', root: null, batches: ['a'], included: null },
  submissions: { ...counts, counted: 4, finalized: 0, dropped: { late: 1 } },
};
const recounts = [complete, failed];
const gapOf = (epoch: number, resolvedAt: number | null) => ({
  epoch,
  kind: 'missing_onchain',
  openedAt: 1,
  resolvedAt,
});

const right: Answers = {
  timeline: [failed, complete].map((each) => ({ ...each, alias: 'more than is compared' })),
  statuses: [{ ...failed }, { ...complete }],
  gaps: [gapOf(2, null), gapOf(1, 2)],
  summary: {
    ...{ active: 0, openGaps: 1 },
    lastDay: { epochs: 2, complete: 1, failed: 1, received: 10, counted: 7, dropped: { rejected: 1, late: 2 } },
    validators: [
      { validator: 'a', epochs: 2, batches: 2, agreements: 1, included: 1, participation: 1, inclusion: 1 },
      { validator: 'b', epochs: 2, batches: 1, agreements: 1, included: 0, participation: 0.5, inclusion: 0 },
    ],
  },
};
const counted = (change: object) => [
  { ...failed },
  { ...complete, submissions: { ...complete.submissions, ...change } },
];

test('a monitor that tells what was recounted has no differences', () => {
  expect(differencesOf(right, recounts)).toEqual([]);
});

test.each<[string, Partial<Answers>]>([
  ['timeline of epoch 1: submissions', { timeline: counted({ counted: 2 }) }],
  ['timeline of epoch 1: submissions', { timeline: counted({ dropped: { late: 2 } }) }],
  ['status of epoch 1: submissions', { statuses: counted({ missed: 1 }) }],
  ['status of epoch 2: phase', { statuses: [{ ...failed, phase: 'level2' }] }],
  ['timeline of epoch 1: root', { timeline: [{ ...failed }, { ...complete, root: 's' }] }],
  ['timeline of epoch 2: included', { timeline: [{ ...failed, included: ['a'] }, { ...complete }] }],
  ['epoch 2 is not told', { timeline: [{ ...complete }] }],
  ['timeline: there is no epoch 3', { timeline: [...right.timeline, { ...complete, epoch: 3 }] }],
  ['epoch 1 is complete, and missing_onchain is open', { gaps: [gapOf(1, null)] }],
  ['summary: openGaps', { gaps: [] }],
  ['summary: lastDay', { summary: { ...right.summary, lastDay: {} } }],
  ['summary: validators', { summary: { ...right.summary, validators: [] } }],
])('a difference is found: %s', (where, change) => {
  const found = differencesOf({ ...right, ...change }, recounts);
  expect(found).toHaveLength(1);
  expect(found[0]).toContain(where);
});
