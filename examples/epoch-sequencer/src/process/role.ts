import type { LeaderPart, Sequencer, SequencerOptions } from 'mempool-sequencer';
import type { ValidatorConfig } from './config.ts';

/** What a process of a validator is for. */
export const roles = ['gateway', 'dequeuer', 'finalizer', 'monitor', 'relayer'] as const;
export type Role = (typeof roles)[number];

/** Until when something is done. */
interface Until {
  readonly signal: AbortSignal;
}

/** The chain's side of a validator: keys, what the chain tells, and what goes there. */
export interface ChainSide
  extends Pick<SequencerOptions, 'domain' | 'validator' | 'sign' | 'verifyBatch' | 'verifySlot' | 'isSlot'> {
  /** Tells the leader's monitor what the chain says. */
  follow(sequencer: Sequencer, leadership: LeaderPart, until: Until): Promise<void>;
  /** Puts certified results on the chain. */
  relay(sequencer: Sequencer, part: Pick<Part, 'signal' | 'working'>): Promise<void>;
}

/** What a role works with. */
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
