import type { MessageHead } from '../contract/batch.ts';
import type { EpochRecord, EpochStates, Level1State, Level2State, OnchainState, Phase } from '../contract/epoch.ts';

/** The phases in their order. */
export const phases: readonly Phase[] = ['submission', 'level1', 'level2', 'onchain', 'failed', 'complete'];
/** The states of level 1 in their order. */
export const level1States: readonly Level1State[] = ['pending', 'in_progress', 'completed', 'skipped', 'failed'];
/** The states of level 2 in their order. */
export const level2States: readonly Level2State[] = ['pending', 'collecting', 'aggregating', 'completed', 'failed'];
/** The states of the result on the chain in their order. */
export const onchainStates: readonly OnchainState[] = ['pending', 'queued', 'submitted', 'failed', 'confirmed'];

/** The names that the phases have in the key map of the original. */
export const phaseAliases: Readonly<Record<Phase, string>> = {
  submission: 'submission',
  level1: 'level1_finalization',
  level2: 'level2_aggregation',
  onchain: 'onchain_submission',
  complete: 'complete',
  failed: 'failed',
};

/** The names of the steps. */
export type EpochStep =
  | 'tally'
  | 'skip'
  | 'batch'
  | 'aggregate'
  | 'agree'
  | 'queue'
  | 'submit'
  | 'confirm'
  | 'undo'
  | 'failLevel1'
  | 'failLevel2'
  | 'failOnchain'
  | 'expire'
  | 'overtake';

/** A step of an epoch: the states in which it may begin, and the states that it sets. All other states stay. */
export interface EpochRow {
  readonly from: { readonly [Field in keyof EpochStates]?: readonly EpochStates[Field][] };
  readonly to: Partial<EpochStates>;
}

/** The state machine of an epoch. Only `undo`, for a reorganisation, goes back; `confirm` overrides a local failure. */
export const epochSteps: Readonly<Record<EpochStep, EpochRow>> = {
  /** The window is closed, and all that it let in is checked. */
  tally: { from: { phase: ['submission'] }, to: { phase: 'level1', level1: 'in_progress' } },
  /** There was nothing to count. */
  skip: {
    from: { phase: ['level1'], level1: ['in_progress'] },
    to: { phase: 'level2', level1: 'skipped', level2: 'collecting' },
  },
  /** All parts are counted, and the batch is made and signed. */
  batch: {
    from: { phase: ['level1'], level1: ['in_progress'] },
    to: { phase: 'level2', level1: 'completed', level2: 'collecting' },
  },
  /** The batches of all validators are here, or the time is over. */
  aggregate: { from: { phase: ['level2'], level2: ['collecting'] }, to: { level2: 'aggregating' } },
  agree: { from: { phase: ['level2'], level2: ['aggregating'] }, to: { phase: 'onchain', level2: 'completed' } },
  queue: { from: { phase: ['onchain'], onchain: ['pending'] }, to: { onchain: 'queued' } },
  submit: { from: { phase: ['onchain'], onchain: ['pending', 'queued'] }, to: { onchain: 'submitted' } },
  /** The chain carries it, whatever this node has found. */
  confirm: {
    from: { phase: ['submission', 'level1', 'level2', 'onchain', 'failed'] },
    to: { phase: 'complete', onchain: 'confirmed' },
  },
  /** A reorganisation took it off the chain. */
  undo: { from: { phase: ['complete'] }, to: { phase: 'onchain', onchain: 'queued' } },
  failLevel1: { from: { phase: ['submission', 'level1'] }, to: { phase: 'failed', level1: 'failed' } },
  failLevel2: { from: { phase: ['level2'] }, to: { phase: 'failed', level2: 'failed' } },
  failOnchain: { from: { phase: ['onchain'] }, to: { phase: 'failed', onchain: 'failed' } },
  /** No quorum endorsed one root in time, so nobody has anything to put on the chain. */
  expire: { from: { phase: ['onchain'], onchain: ['pending'] }, to: { phase: 'failed', onchain: 'failed' } },
  /** The chain carried the result before this validator had closed the window: its submissions are tallied only to end them. */
  overtake: { from: { phase: ['onchain', 'complete', 'failed'], level1: ['pending'] }, to: { level1: 'skipped' } },
};

/** Where an epoch begins. */
export const firstStates: EpochStates = {
  phase: 'submission',
  level1: 'pending',
  level2: 'pending',
  onchain: 'pending',
};

/** The states after a step; `null` if the epoch is not where the step begins. */
export function stepped(states: EpochStates, step: EpochStep): EpochStates | null {
  const { from, to } = epochSteps[step];
  const { phase, level1, level2, onchain } = states;
  return isIn(states, from) ? { phase, level1, level2, onchain, ...to } : null;
}

/** True if each field that is named has one of these states. */
export function isIn({ phase, level1, level2, onchain }: EpochStates, from: EpochRow['from']): boolean {
  return (
    (from.phase?.includes(phase) ?? true) &&
    (from.level1?.includes(level1) ?? true) &&
    (from.level2?.includes(level2) ?? true) &&
    (from.onchain?.includes(onchain) ?? true)
  );
}

/** True for a phase that nothing but the chain changes any more. */
export function isEnded(phase: Phase): boolean {
  return phase === 'complete' || phase === 'failed';
}

/** True if a validator's message changes nothing any more: of an epoch that has ended, and a batch when there is a certificate. */
export function isTooLate(message: MessageHead, { phase, onchain, certifiedAt }: EpochRecord): boolean {
  return isEnded(phase) || ('cid' in message && (certifiedAt !== null || onchain !== 'pending'));
}
