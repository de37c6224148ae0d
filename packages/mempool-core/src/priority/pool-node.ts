import type { OrderKey } from '../contract/order-key.ts';
import { type Entry, heldUntil, parkedSince } from '../contract/pool-entry.ts';
import { isLive, type KnownStage } from '../contract/transaction.ts';
import { isLostEntry } from '../rules/damage.ts';

/** The state of a transaction in the index. */
export interface Standing {
  readonly entry: Entry;
  readonly stage: KnownStage;
  /** The order key. `null` unless Pending, and until the index is settled. */
  readonly place: OrderKey | null;
}

/** A transaction in the index. */
export interface PoolNode extends Standing {
  readonly hash: string;
  /** That of the entry. */
  readonly seq: number;
}

/** A Pending transaction that has its order key. */
export type PlacedNode = PoolNode & { readonly place: OrderKey };

/** No transaction. */
export const nobody: ReadonlySet<PoolNode> = new Set();

/** A transaction that is in no index. */
export function newNode(entry: Entry, stage: KnownStage): PoolNode {
  const { hash, seq } = entry;
  return { hash, seq, entry, stage, place: null };
}

/** True if the limits count a transaction in this stage. */
export function isCounted(stage: KnownStage): boolean {
  return stage === 'Pending' || stage === 'Propagated' || stage === 'Acknowledged';
}

/** True for a transaction in flight. */
export function isOut(stage: KnownStage): boolean {
  return stage === 'Propagated' || stage === 'Acknowledged';
}

/** True if the transaction may be sent to peers. */
export function isGossipable({ stage, place }: Pick<PoolNode, 'stage' | 'place'>): boolean {
  return stage === 'Pending' ? place?.ready === true : isOut(stage);
}

/** True if it is Pending and waits for a parent, or is held back. */
export function isParked({ place }: Pick<PoolNode, 'place'>): boolean {
  return place?.ready === false;
}

/** False for a protected one: nothing takes its place (P28). */
export function mayLeave({ entry }: Pick<PoolNode, 'entry'>): boolean {
  return !entry.verdict.protected;
}

export function isReady({ place }: PoolNode): boolean {
  return place?.ready === true;
}

export function isPlaced(node: PoolNode): node is PlacedNode {
  return node.place !== null;
}

/** The meaning of a provider in this stage for the transactions that require its tags. */
export function providing(stage: KnownStage): 'something to wait for' | 'done' | 'nothing' {
  if (!isLive(stage)) return 'nothing';
  return stage === 'Pending' ? 'something to wait for' : 'done';
}

/** Transactions that need a new order key, and tags whose dependents need one. */
export interface Unsettled {
  readonly nodes: Set<PoolNode>;
  readonly tags: Set<string>;
}

/** True if both have the same verdict, of the same life of the hash. */
export function sayTheSame(a: Entry, b: Entry): boolean {
  return a.seq === b.seq && a.version === b.version && isLostEntry(a) === isLostEntry(b);
}

/** P20, P22: only a Pending transaction is held back or parked. */
export function waitingNoMore(entry: Entry): Entry {
  const free = entry.notBefore === undefined ? entry : heldUntil(entry, undefined);
  return free.parkedAt === undefined ? free : parkedSince(free, undefined);
}
