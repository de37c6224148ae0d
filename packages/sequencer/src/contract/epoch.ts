/** The phases of an epoch. */
export type Phase = 'submission' | 'level1' | 'level2' | 'onchain' | 'complete' | 'failed';
/** The validator's own result. */
export type Level1State = 'pending' | 'in_progress' | 'completed' | 'failed' | 'skipped';
/** The result of all validators. */
export type Level2State = 'pending' | 'collecting' | 'aggregating' | 'completed' | 'failed';
/** The result on the chain. */
export type OnchainState = 'pending' | 'queued' | 'submitted' | 'confirmed' | 'failed';

/** Where an epoch is: its phase, and the state of each level. */
export interface EpochStates {
  readonly phase: Phase;
  readonly level1: Level1State;
  readonly level2: Level2State;
  readonly onchain: OnchainState;
}

/** The record of an epoch, one per namespace. It is changed by compare-and-set, and most fields by the leader only. */
export interface EpochRecord extends EpochStates {
  readonly epoch: number;
  /** Milliseconds since 1970. */
  readonly openedAt: number;
  /** When the window closes: a submission counts if the store received it before, by the store's clock. */
  readonly closesAt: number;
  /** When the leader closed the window, by the store's clock; `null` before. */
  readonly closedAt: number | null;
  /** All validators of the epoch, sorted, with this one if it is among them. */
  readonly validators: readonly string[];
  /** Why the epoch failed, or why level 1 was skipped; `null` if neither. */
  readonly reason: string | null;
  /** `null` before the tally. */
  readonly tally: TallyFacts | null;
  /** The root of this validator's batch; `null` before. */
  readonly localRoot: string | null;
  /** When the wait for other validators' batches began; `null` before. */
  readonly collectingAt: number | null;
  /** When level 2 found a result; `null` before. */
  readonly agreedAt: number | null;
  /** When a quorum's signatures of one root were here; `null` before. */
  readonly certifiedAt: number | null;
  /** When a reorganisation last took the result off the chain; `null` if none did. */
  readonly undoneAt: number | null;
  /** The root that the validators agree on, then that of the certificate, then that which the chain carries; `null` before. */
  readonly root: string | null;
  /** The chain's id of the transaction that carries it; `null` before. */
  readonly transaction: string | null;
  /** When it became final on the chain; `null` before. */
  readonly finalizedAt: number | null;
  /** When it became complete or failed; `null` before. */
  readonly endedAt: number | null;
}

/** The result of the tally. */
export interface TallyFacts {
  /** Submissions that were counted. */
  readonly counted: number;
  /** Submissions that were dropped as `equivocation`. */
  readonly equivocating: number;
  /** Slots with at least one vote that counts. */
  readonly slots: number;
  readonly projects: number;
  /** Parts of at most 20 projects. */
  readonly parts: number;
}
