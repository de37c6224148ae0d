import type { Entry } from '../contract/pool-entry.ts';
import type { AdmissionRefusal } from '../contract/pool-verbs.ts';
import { floorOf } from './eviction.ts';
import type { PoolIndex } from './pool-index.ts';
import { isCounted, type PoolNode } from './pool-node.ts';

// What refuses a newcomer before it is in the index (P3).

/** By what its verdict alone asks for. Protected ones that it would replace make room for a protected one (P28). */
export function refusedByVerdict(
  { limits, totals }: PoolIndex,
  { hash, verdict }: Entry,
  replaced: readonly PoolNode[] = [],
): AdmissionRefusal | null {
  if (verdict.gas > limits.maxTxGas) return { kind: 'limit', hash, limit: 'maxTxGas' };
  if (!verdict.protected) return null;
  const leaving = replaced.filter(({ stage, entry }) => isCounted(stage) && entry.verdict.protected).length;
  return totals.protected - leaving < limits.maxProtected ? null : { kind: 'limit', hash, limit: 'maxProtected' };
}

/** The live transactions that provide a tag of a newcomer, by seq. */
export function rivalsOf({ providers }: PoolIndex, { verdict }: Entry): readonly PoolNode[] {
  const rivals = new Set(verdict.provides.flatMap((tag) => [...providers.of(tag)]));
  return [...rivals].sort((a, b) => a.seq - b.seq);
}

/** By a rival that nothing replaces, or by the chain. */
export function refusedByTags(
  { satisfied }: PoolIndex,
  { hash, verdict }: Entry,
  firm: PoolNode | undefined,
): AdmissionRefusal | null {
  if (firm !== undefined) return { kind: 'conflict', hash, with: firm.hash };
  return verdict.provides.some((tag) => satisfied.has(tag)) ? { kind: 'conflict', hash, with: null } : null;
}

/** The limit of its sender that one more transaction would exceed, and by how many; `null` if there is room. */
export function exceededBySender(
  { limits, totals }: PoolIndex,
  { verdict }: Pick<Entry, 'verdict'>,
): { readonly limit: number; readonly excess: number } | null {
  if (verdict.sender === '') return null;
  const own = verdict.senderLimit ?? Number.POSITIVE_INFINITY;
  // P28: a protected one is exempt from the pool's limit, but not from that of its own verdict.
  const limit = verdict.protected ? own : Math.min(own, limits.maxPerSender);
  const excess = (totals.senders.get(verdict.sender) ?? 0) + 1 - limit;
  return excess > 0 ? { limit, excess } : null;
}

/** Adds the floor to a refusal of a full pool. Call it when the attempt is undone. */
export function withFloor(index: PoolIndex, refusal: AdmissionRefusal): AdmissionRefusal {
  return refusal.kind === 'full' ? { ...refusal, floor: floorOf(index) } : refusal;
}
