import type { KnownStage } from '../transaction.ts';
import type { Entry } from './entry.ts';
import type { Place } from './place.ts';

/** A transaction in the index: what is kept of it, the stage it is in, and where it stands. */
export interface PoolNode {
  readonly hash: string;
  entry: Entry;
  stage: KnownStage;
  /** `null` unless Pending; and of a Pending one until it is placed. */
  place: Place | null;
}

export type PlacedNode = PoolNode & { place: Place };

/** Whether the limits count it. */
export function isCounted(stage: KnownStage): boolean {
  return stage === 'Pending' || stage === 'Propagated' || stage === 'Acknowledged';
}

/** Whether peers may hear of it. */
export function isGossipable({ stage, place }: Pick<PoolNode, 'stage' | 'place'>): boolean {
  return stage === 'Pending' ? place?.ready === true : stage === 'Propagated' || stage === 'Acknowledged';
}

export function isReady({ place }: PoolNode): boolean {
  return place?.ready === true;
}
