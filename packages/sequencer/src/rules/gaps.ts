import type { EpochRecord } from '../contract/epoch.ts';

/** The parts that an epoch may lack. */
export const gapKinds = ['missing_level1', 'missing_level2', 'missing_onchain'] as const;

/** One of `gapKinds`. */
export type GapKind = (typeof gapKinds)[number];

/** How long each level may take before it is missing, in milliseconds. */
export interface GapGrace {
  /** From the close of the window. */
  readonly level1Ms: number;
  /** From this validator's own result. */
  readonly level2Ms: number;
  /** From the result of all validators, or from the reorganisation that undid it. */
  readonly onchainMs: number;
}

/** The graces of who gives none. */
export const gapGrace: GapGrace = { level1Ms: 60_000, level2Ms: 60_000, onchainMs: 300_000 };

/** A level of an epoch that is or was missing after its grace. */
export interface EpochGap {
  readonly epoch: number;
  readonly kind: GapKind;
  /** When the grace was over. */
  readonly openedAt: number;
  /** When the level was done, or the chain carried the epoch; `null`: it is missing. */
  readonly resolvedAt: number | null;
  /** The reason of a failure, else of the wait; `null` if nothing is missing any more. */
  readonly reason: string | null;
}

/** The facts from which the gaps of an epoch follow. */
export type GapFacts = Pick<
  EpochRecord,
  | 'epoch'
  | 'phase'
  | 'level1'
  | 'level2'
  | 'onchain'
  | 'reason'
  | 'closesAt'
  | 'collectingAt'
  | 'agreedAt'
  | 'undoneAt'
  | 'endedAt'
>;

/** A level: from when it is waited for, and when it was done. */
interface Awaited {
  readonly kind: GapKind;
  readonly from: number | null;
  readonly graceMs: number;
  readonly doneAt: number | null;
  readonly reason: string | null;
}

/**
 * The gaps of an epoch, in the order of its levels. They follow from the epoch's record alone, so that whoever asks, and however
 * often, gets the same. A level is waited for when the one before it is done.
 */
export function gapsOf(facts: GapFacts, now: number, grace: GapGrace = gapGrace): EpochGap[] {
  return awaited(facts, grace).flatMap(({ kind, from, graceMs, doneAt, reason }) => {
    const openedAt = from === null ? Number.POSITIVE_INFINITY : from + graceMs;
    if (openedAt > now || (doneAt !== null && doneAt <= openedAt)) return [];
    return [{ epoch: facts.epoch, kind, openedAt, resolvedAt: doneAt, reason: doneAt === null ? reason : null }];
  });
}

function awaited(facts: GapFacts, { level1Ms, level2Ms, onchainMs }: GapGrace): readonly Awaited[] {
  const { closesAt, collectingAt, agreedAt, undoneAt } = facts;
  const carriedAt = facts.phase === 'complete' ? facts.endedAt : null;
  // A root that the chain carries, or carried before a reorganisation, needs no result of this node any more.
  const overriddenAt = carriedAt ?? undoneAt;
  return [
    {
      kind: 'missing_level1',
      from: closesAt,
      graceMs: level1Ms,
      doneAt: collectingAt ?? overriddenAt,
      reason: level1Reason(facts),
    },
    {
      kind: 'missing_level2',
      from: collectingAt,
      graceMs: level2Ms,
      doneAt: agreedAt ?? overriddenAt,
      reason: level2Reason(facts),
    },
    {
      kind: 'missing_onchain',
      from: undoneAt ?? agreedAt,
      graceMs: onchainMs,
      doneAt: carriedAt,
      reason: onchainReason(facts),
    },
  ];
}

function level1Reason({ phase, level1, reason }: GapFacts): string | null {
  if (level1 === 'failed') return reason;
  return phase === 'submission' ? 'submissions_not_checked' : 'parts_not_counted';
}

function level2Reason({ level2, reason }: GapFacts): string | null {
  if (level2 === 'failed') return reason;
  return level2 === 'collecting' ? 'batches_not_received' : 'not_agreed';
}

const onchainReasons = { pending: 'not_queued', queued: 'not_submitted', submitted: 'not_confirmed' } as const;

function onchainReason({ onchain, reason }: GapFacts): string | null {
  return onchain === 'failed' || onchain === 'confirmed' ? reason : onchainReasons[onchain];
}
