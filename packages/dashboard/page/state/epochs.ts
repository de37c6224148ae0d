import type { EpochGap, Phase } from 'mempool-sequencer';
import type { EpochWorker, ShownEpoch } from 'mempool-sequencer/server';
import type { WireSummary } from '../wire/answers.ts';

/** The page's data about epochs. */
export interface EpochsView {
  /** `null`: the server watches none, or it was not read yet. */
  readonly summary: WireSummary | null;
  /** Newest first. */
  readonly gaps: readonly EpochGap[];
  /** The living first. */
  readonly workers: readonly EpochWorker[];
  /** The last epochs, newest first. */
  readonly recent: readonly ShownEpoch[];
  /** How far the clock of the server is ahead of this browser's, in milliseconds. */
  readonly aheadMs: number;
}

export const noEpochs: EpochsView = {
  summary: null,
  gaps: [],
  workers: [],
  recent: [],
  aheadMs: Number.NEGATIVE_INFINITY,
};

/** How many of the last gaps and epochs are shown. */
export const shownGaps = 8;
export const shownEpochs = 8;

/** A phase of the way of an epoch. */
export interface PhaseStep {
  readonly phase: Phase;
  readonly name: string;
  readonly state: 'past' | 'present' | 'failed' | 'future';
}

const steps = [
  ['submission', 'Submission'],
  ['level1', 'Own result'],
  ['level2', 'Agreement'],
  ['onchain', 'On chain'],
  ['complete', 'Complete'],
] as const satisfies readonly (readonly [Phase, string])[];

/** The phases of an epoch, in order, and where it is among them. */
export function phaseSteps(epoch: Pick<ShownEpoch, 'phase' | 'level1' | 'level2' | 'onchain'>): PhaseStep[] {
  const isFailed = epoch.phase === 'failed';
  const reached = isFailed ? failedPhase(epoch) : epoch.phase;
  const place = steps.findIndex(([phase]) => phase === reached);
  return steps.map(([phase, name], i) => {
    if (i < place) return { phase, name, state: 'past' };
    if (i > place) return { phase, name, state: 'future' };
    return { phase, name, state: isFailed ? 'failed' : 'present' };
  });
}

function failedPhase({ level1, level2 }: Pick<ShownEpoch, 'level1' | 'level2'>): Phase {
  if (level1 === 'failed') return 'level1';
  return level2 === 'failed' ? 'level2' : 'onchain';
}

/** How long the window is open yet, in milliseconds; `null`: it is closed. */
export function windowLeft({ closesAt }: Pick<ShownEpoch, 'closesAt'>, now: number): number | null {
  return now < closesAt ? closesAt - now : null;
}

/** The read time tells the server's clock, a little late: so the latest estimate is the best. */
export function aheadAfter(before: number, generatedAt: number, now: number): number {
  return Math.max(before, generatedAt - now);
}
