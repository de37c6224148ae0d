import type { LeaderPart, Sequencer, SequencerOptions } from 'mempool-sequencer';
import type { ValidatorConfig } from './config.ts';

/** The role of a process of a validator. */
export const roles = ['gateway', 'dequeuer', 'finalizer', 'monitor', 'relayer'] as const;
export type Role = (typeof roles)[number];

/** Until when something is done. */
interface Until {
  readonly signal: AbortSignal;
}

/** The chain's side of a validator: keys, events of the chain, and transactions to it. */
export interface ChainSide
  extends Pick<SequencerOptions, 'domain' | 'validator' | 'sign' | 'verifyBatch' | 'verifySlot' | 'isSlot'> {
  /** Reports the chain's events to the leader's monitor. */
  follow(sequencer: Sequencer, leadership: LeaderPart, until: Until): Promise<void>;
  /** Puts certified results on the chain. */
  relay(sequencer: Sequencer, part: Pick<Part, 'signal' | 'working'>): Promise<void>;
}

/** The parts that a role uses. */
export interface Part extends Until {
  readonly config: ValidatorConfig;
  /** Of this process in claims and elections: no two living processes of a validator have the same. */
  readonly name: string;
  readonly sequencer: Sequencer;
  readonly chain: ChainSide;
  /** The role calls it when it does its work. */
  readonly working: () => void;
  /** Milliseconds since 1970; default `Date.now`. */
  readonly now?: (() => number) | undefined;
}
