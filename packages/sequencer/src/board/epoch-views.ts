import { type EpochGap, gapKinds } from '../rules/gaps.ts';
import { phaseAliases } from '../rules/phases.ts';
import type { EpochRow } from './epoch-row.ts';
import type { SubmissionCounts } from './submission-counts.ts';

/** An epoch in the answers. */
export interface ShownEpoch extends Omit<EpochRow, 'counts' | 'isSettled'> {
  /** The name of the phase in the key map of the original. */
  readonly alias: string;
  readonly submissions: ShownSubmissions;
}

/** The submissions of an epoch, by where they are. */
export type ShownSubmissions = Omit<SubmissionCounts, 'cursor'>;

export function shownEpoch({ counts, isSettled: _, ...row }: EpochRow): ShownEpoch {
  return { ...row, alias: phaseAliases[row.phase], submissions: shownCounts(counts) };
}

export function shownCounts({ cursor: _, ...counts }: SubmissionCounts): ShownSubmissions {
  return counts;
}

/** The kinds of moments of an epoch. */
export const moments = [
  'opened',
  'closed',
  'counted',
  'agreed',
  'undone',
  'complete',
  'failed',
  'gap-opened',
  'gap-resolved',
] as const;

/** Something that happened to an epoch. */
export interface Moment {
  readonly at: number;
  readonly epoch: number;
  readonly what: (typeof moments)[number];
  /** The kind of a gap, the reason of a failure; else `null`. */
  readonly detail: string | null;
}

/** The moments of an epoch until now, oldest first. They follow from the row, so every server returns the same. */
export function momentsOf(row: EpochRow, gaps: readonly EpochGap[], now: number): Moment[] {
  const { epoch, openedAt, closesAt, collectingAt, agreedAt, undoneAt, endedAt, phase, reason } = row;
  const moment = (what: Moment['what'], at: number | null, detail: string | null = null): Moment[] =>
    at === null || at > now ? [] : [{ at, epoch, what, detail }];
  const found = [
    ...moment('opened', openedAt),
    ...moment('closed', closesAt),
    ...moment('counted', collectingAt),
    ...moment('agreed', agreedAt),
    ...moment('undone', undoneAt),
    ...(phase === 'complete' || phase === 'failed' ? moment(phase, endedAt, reason) : []),
    ...gaps.flatMap(({ kind, openedAt, resolvedAt }) => [
      ...moment('gap-opened', openedAt, kind),
      ...moment('gap-resolved', resolvedAt, kind),
    ]),
  ];
  return found.sort((a, b) => compareKeys(momentKey(a), momentKey(b)));
}

/** A place in a list that is sorted by it. */
export type Key = readonly number[];

export const momentKey = ({ at, epoch, what, detail }: Moment): Key => [
  at,
  epoch,
  moments.indexOf(what),
  (gapKinds as readonly (string | null)[]).indexOf(detail) + 1,
];
export const epochKey = ({ epoch }: { readonly epoch: number }): Key => [epoch];
export const gapKey = ({ openedAt, epoch, kind }: EpochGap): Key => [openedAt, epoch, gapKinds.indexOf(kind)];

export function compareKeys(a: Key, b: Key): number {
  for (const [i, value] of a.entries()) {
    const difference = value - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
