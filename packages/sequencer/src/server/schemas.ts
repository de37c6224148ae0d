import { z } from 'mempool-server/extension';
import { moments } from '../board/epoch-views.ts';
import { gapKinds } from '../rules/gaps.ts';
import { level1States, level2States, onchainStates, phases } from '../rules/phases.ts';

// The schemas of the answers about epochs.

const time = z.int().openapi({ description: 'Milliseconds since 1970.' });
const count = z.int().min(0);
const names = z.array(z.string());
const share = z.number().min(0).max(1).nullable();
const dropped = z.record(z.string(), count).openapi({ description: 'Refused submissions by reason.' });

export const generatedAt: z.ZodType = z
  .int()
  .openapi({ description: 'When the server read what the answer tells, in milliseconds since 1970.' });

const submissions = z
  .object({
    ...{ received: count, pending: count, checking: count, counted: count, finalized: count },
    dropped,
    missed: count.openapi({ description: 'Events that were trimmed before they were counted.' }),
  })
  .openapi('SubmissionCounts');

const states = {
  epoch: count,
  phase: z.enum(phases),
  alias: z.string().openapi({ description: 'The phase in the key map of the original.' }),
  level1: z.enum(level1States),
  level2: z.enum(level2States),
  onchain: z.enum(onchainStates),
  reason: z.string().nullable(),
  root: z.string().nullable(),
  ...{ openedAt: time, closesAt: time, collectingAt: time.nullable(), agreedAt: time.nullable() },
  ...{ undoneAt: time.nullable(), endedAt: time.nullable() },
  ...{ validators: names, batches: names, included: names.nullable() },
};

export const epoch: z.ZodType = z
  .object({ ...states, projects: count.nullable(), leftOut: count.nullable(), submissions })
  .openapi('Epoch');

export const gap: z.ZodType = z
  .object({
    epoch: count,
    kind: z.enum(gapKinds),
    openedAt: time,
    resolvedAt: time.nullable(),
    reason: z.string().nullable(),
  })
  .openapi('EpochGap');

export const status: z.ZodType = z
  .looseObject({
    ...states,
    transaction: z.string().nullable(),
    submissions: submissions.nullable(),
    gaps: z.array(gap),
    pool: z.object({ pending: count, propagated: count, acknowledged: count, confirmed: count, logged: count }),
  })
  .openapi('EpochStatus');

export const submission: z.ZodType = z
  .object({
    ...{ hash: z.string(), stage: z.string(), reason: z.union([z.string(), z.object({ app: z.string() })]).nullable() },
    ...{ slot: z.int().nullable(), peer: z.string().nullable(), at: time.nullable() },
    ...{ project: z.string().nullable(), cid: z.string().nullable() },
  })
  .openapi('Submission');

export const batch: z.ZodType = z
  .object({
    ...{ epoch: count, root: z.string().nullable(), projects: count.nullable(), leftOut: count.nullable() },
    ...{ validators: names, agreedAt: time.nullable(), onchain: z.enum(onchainStates) },
  })
  .openapi('FinalizedBatch');

const totals = { epochs: count, complete: count, failed: count, received: count, counted: count, dropped };

const participation = z
  .object({
    ...{ validator: z.string(), epochs: count, batches: count, agreements: count, included: count },
    ...{ participation: share, inclusion: share },
  })
  .openapi('Participation');

export const period: z.ZodType = z
  .object({ from: time, to: time, ...totals, validators: z.array(participation) })
  .openapi('EpochPeriod');

export const moment: z.ZodType = z
  .object({ at: time, epoch: count, what: z.enum(moments), detail: z.string().nullable() })
  .openapi('EpochMoment');

export const worker: z.ZodType = z
  .object({ name: z.string(), leads: z.boolean(), alive: z.boolean(), seenAt: z.int() })
  .openapi('EpochWorker');
export const queue: z.ZodType = z.object({ name: z.string(), pending: count, taken: count }).openapi('Queue');

export const summary: z.ZodType = z
  .object({
    ...{ protocol: z.string(), market: z.string(), current: epoch.nullable(), active: count, openGaps: count },
    ...{ lastDay: z.object(totals), validators: z.array(participation), generatedAt },
  })
  .openapi('EpochSummary');
