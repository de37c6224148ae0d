import type { OrderKey } from '../contract/order-key.ts';
import type { Entry } from '../contract/pool-entry.ts';
import { isLive, type KnownStage } from '../contract/transaction.ts';

/** A transaction in the index: what is kept of it, the stage it is in, and where it stands. */
export interface PoolNode {
  readonly hash: string;
  /** 0 once it is not in the index any more. */
  seq: number;
  entry: Entry;
  stage: KnownStage;
  /** `null` unless Pending; and of a Pending one until it is placed. */
  place: OrderKey | null;
  /** The last call and the last attempt that touched it. */
  call: number;
  attempt: number;
}

export type PlacedNode = PoolNode & { place: OrderKey };

/** What a transaction was before a call; `null`: not there. */
export type Before = Pick<PoolNode, 'entry' | 'stage' | 'place'> | null;

/** A transaction that a call has touched. */
export interface UndoEntry {
  readonly node: PoolNode;
  readonly before: Before;
}

export function newNode(entry: Entry, stage: KnownStage): PoolNode {
  return { hash: entry.hash, seq: entry.seq, entry, stage, place: null, call: 0, attempt: 0 };
}

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

export function isPlaced(node: PoolNode): node is PlacedNode {
  return node.place !== null;
}

/** What one in this stage is to those that require its tags. */
export function providing(stage: KnownStage): 'something to wait for' | 'done' | 'nothing' {
  if (!isLive(stage)) return 'nothing';
  return stage === 'Pending' ? 'something to wait for' : 'done';
}

/** What has to be placed anew, and the tags whose dependents have to be. */
export interface Unsettled {
  readonly nodes: Set<PoolNode>;
  readonly tags: Set<string>;
}
