import type { DriverGossipPage } from '../contract/driver-page.ts';
import { encodeOrderKey, type OrderKey } from '../contract/order-key.ts';
import { maxPageBytes } from '../contract/page-rules.ts';
import type { CheckedBudget, CheckedGossipQuery } from '../contract/pool-driver.ts';
import type { Candidate, GossipItem, RankedCandidate, StaleTransaction } from '../contract/pool-verbs.ts';
import { priorityAt } from '../contract/verdict.ts';
import { isLostEntry } from '../rules/damage.ts';
import { parentsOf } from './placement.ts';
import type { PoolIndex } from './pool-index.ts';
import { isReady, type PoolNode } from './pool-node.ts';

/** Returns the candidate of a transaction, with its priority at the present floor. */
export function candidateOf({ limits }: PoolIndex, { hash, entry }: PoolNode): Candidate {
  const { seq, bytes, verdict } = entry;
  return { hash, seq, bytes, gas: verdict.gas, priority: priorityAt(verdict, limits.minPriority) };
}

/**
 * The best ready transactions that fit into the budget. Ends at the first that does not fit, or skips up to `skip` of
 * those and all their descendants.
 */
export function reapFrom(index: PoolIndex, budget: CheckedBudget): Candidate[] {
  const { maxTxs, maxBytes, maxGas, skip, overheadBytes } = budget;
  const { minPriority: floor } = index.limits;
  const reaped: Candidate[] = [];
  // Counts up in whole numbers: the rest of an unlimited budget would be `Infinity`, a new number object each time.
  let [usedBytes, usedGas, misfits] = [0, 0, 0];
  const passed = new Set<PoolNode>();
  if (maxTxs === 0) return reaped;
  // Ready ones are the beginning of the order.
  let ready = index.order.length - index.parked.length;
  index.order.walk((node) => {
    if (ready-- === 0) return false;
    if (passed.size > 0 && waitsForOneOf(index, node, passed)) return passed.add(node).size > 0;
    const { hash, seq, bytes, verdict } = node.entry;
    const needed = usedBytes + bytes + overheadBytes;
    if (needed > maxBytes || usedGas + verdict.gas > maxGas) {
      passed.add(node);
      misfits += 1;
      return misfits <= skip;
    }
    usedBytes = needed;
    usedGas += verdict.gas;
    return reaped.push({ hash, seq, bytes, gas: verdict.gas, priority: priorityAt(verdict, floor) }) < maxTxs;
  });
  return reaped;
}

function waitsForOneOf(index: PoolIndex, node: PoolNode, passed: ReadonlySet<PoolNode>): boolean {
  for (const parent of parentsOf(index, node)) if (passed.has(parent)) return true;
  return false;
}

/** The ready transactions after an order key, the best first. */
export function bestOf(index: PoolIndex, after: OrderKey | null, limit: number): RankedCandidate[] {
  const { order } = index;
  const found: RankedCandidate[] = [];
  for (const node of after === null ? order : order.after({ place: after })) {
    if (!node.place.ready || found.length >= limit) break;
    found.push({ ...candidateOf(index, node), key: encodeOrderKey(node.place), parents: parentHashes(index, node) });
  }
  return found;
}

/** P25: by seq. The order in the index differs between nodes. */
function parentHashes(index: PoolIndex, node: PoolNode): string[] {
  if (node.place?.depth === 0) return [];
  return [...parentsOf(index, node)].sort((a, b) => a.seq - b.seq).map(({ hash }) => hash);
}

/** The transactions under a claim, by seq. */
export function claimedBy(index: PoolIndex, claimId: string): Candidate[] {
  const nodes = [...index.claims.of(claimId)].sort((a, b) => a.seq - b.seq);
  return nodes.map((node) => candidateOf(index, node));
}

/** The Pending transactions with a verdict from below `height`, the oldest verdict first. */
export function staleIn({ ages }: PoolIndex, height: number, limit: number): StaleTransaction[] {
  const found: StaleTransaction[] = [];
  for (const { hash, entry } of ages.checked) {
    const { seq, version, checkedHeight } = entry;
    if (checkedHeight >= height || found.length >= limit) break;
    found.push({ hash, seq, version, checkedHeight });
  }
  return found;
}

/** The hashes of the Pending transactions given that are ready, in their order. */
export function readyOf(index: PoolIndex, pending: Iterable<{ readonly hash: string }>, limit: number): string[] {
  const found: string[] = [];
  if (index.parked.length === index.order.length) return found;
  for (const { hash } of pending) {
    if (found.length >= limit) break;
    const node = index.node(hash);
    if (node !== undefined && isReady(node)) found.push(hash);
  }
  return found;
}

/** The hashes of parked transactions with a greater seq, by seq. */
export function parkedAfter({ parked }: PoolIndex, after: number, limit: number): string[] {
  const found: string[] = [];
  for (const { hash, entry } of parked.after({ seq: after })) {
    if (found.length >= limit) break;
    if (isLostEntry(entry)) continue;
    found.push(hash);
  }
  return found;
}

/** The items of a gossip page, before the payloads are fetched. */
export interface GossipChoice {
  readonly items: readonly Omit<GossipItem, 'payload' | 'payloadType'>[];
  readonly next: number;
  readonly epoch: string;
}

/** The parts of a pool that `gossipAfter` needs. */
interface GossipPool {
  readonly index: PoolIndex;
  readonly memory: { readonly epoch: string };
}

/** Returns the transactions that became ready after the cursor and that may be sent to the peer `except`. */
export function gossipAfter({ index, memory }: GossipPool, query: CheckedGossipQuery): GossipChoice {
  const { after, limit, except, hashesOnly } = query;
  const items: GossipChoice['items'][number][] = [];
  const { minPriority: floor } = index.limits;
  let next = after;
  let bytes = 0;
  for (const { hash, entry } of index.ages.gossip.after(after)) {
    if (items.length >= limit) break;
    const { seq, gossipSeq, verdict, sources } = entry;
    const isToTell = verdict.propagate && (except === null || !sources.includes(except));
    if (isToTell && !hashesOnly) bytes += entry.bytes;
    if (bytes > maxPageBytes && items.length > 0) break;
    next = gossipSeq;
    if (!isToTell) continue;
    const priority = priorityAt(verdict, floor);
    items.push({ hash, seq, gossipSeq, bytes: entry.bytes, gas: verdict.gas, priority });
  }
  return { items, next, epoch: memory.epoch };
}

export function gossipWithoutPayloads({ items, ...rest }: GossipChoice): DriverGossipPage {
  return { items: items.map((item) => ({ ...item, payload: null, payloadType: null })), ...rest };
}
