/**
 * Where a Pending transaction stands in the one order of a priority pool: ready before parked, higher `eff`, lower anchor,
 * lower depth, lower seq. Plain values that depend on it and its Pending ancestors alone.
 */
export interface OrderKey {
  readonly ready: boolean;
  /** The lowest priority among the transaction and its Pending ancestors. */
  readonly effectivePriority: bigint;
  /** Seq of the one whose place it follows at an equal `eff`. */
  readonly tieBreakSeq: number;
  /** 0 without a Pending parent, else one more than the deepest of them. */
  readonly depth: number;
  readonly seq: number;
}

/** Negative where `a` goes first. */
export function compareOrderKeys(a: OrderKey, b: OrderKey): number {
  if (a.ready !== b.ready) return a.ready ? -1 : 1;
  if (a.effectivePriority !== b.effectivePriority) return a.effectivePriority > b.effectivePriority ? -1 : 1;
  return a.tieBreakSeq - b.tieBreakSeq || a.depth - b.depth || a.seq - b.seq;
}

/** Behind every ready place. */
const parkedRank = 2 ** 66;

/** A number that never falls along the order; the same for places that a double cannot tell apart. */
export function roughRank({ ready, effectivePriority }: OrderKey): number {
  return ready ? -Number(effectivePriority) : parkedRank - Number(effectivePriority);
}

/**
 * The place of a transaction below its Pending parents: after each of them, and, for chains, where a walk that always takes
 * the best head among the senders would take it.
 */
export function orderKeyBelow(parents: readonly OrderKey[], priority: bigint, seq: number, ready: boolean): OrderKey {
  if (parents.length === 0) return { ready, effectivePriority: priority, tieBreakSeq: seq, depth: 0, seq };
  let { effectivePriority, tieBreakSeq } = parents[0] as OrderKey;
  let deepest = 0;
  for (const parent of parents) {
    deepest = Math.max(deepest, parent.depth);
    if (parent.effectivePriority < effectivePriority) ({ effectivePriority, tieBreakSeq } = parent);
    else if (parent.effectivePriority === effectivePriority) tieBreakSeq = Math.max(tieBreakSeq, parent.tieBreakSeq);
  }
  const depth = deepest + 1;
  if (priority < effectivePriority) return { ready, effectivePriority: priority, tieBreakSeq: seq, depth, seq };
  if (priority === effectivePriority)
    return { ready, effectivePriority, tieBreakSeq: Math.max(seq, tieBreakSeq), depth, seq };
  return { ready, effectivePriority, tieBreakSeq, depth, seq };
}

const bias = 2n ** 63n;
const digits = { effectivePriority: 16, seq: 14, depth: 8 } as const;

/** A place as text of one width, which compares as the place does: for an index of any store, and as a cursor. */
export function encodeOrderKey({ ready, effectivePriority, tieBreakSeq, depth, seq }: OrderKey): string {
  const inverted = bias - 1n - effectivePriority;
  return [
    ready ? '0' : '1',
    inverted.toString(16).padStart(digits.effectivePriority, '0'),
    tieBreakSeq.toString(16).padStart(digits.seq, '0'),
    depth.toString(16).padStart(digits.depth, '0'),
    seq.toString(16).padStart(digits.seq, '0'),
  ].join('');
}

/** `null` for text that no place has. */
export function decodeOrderKey(key: string): OrderKey | null {
  if (!/^[01][0-9a-f]{52}$/.test(key)) return null;
  const part = (from: number, length: number): number => Number.parseInt(key.slice(from, from + length), 16);
  const effectivePriority = bias - 1n - BigInt(`0x${key.slice(1, 17)}`);
  const place = {
    ready: key[0] === '0',
    effectivePriority,
    tieBreakSeq: part(17, 14),
    depth: part(31, 8),
    seq: part(39, 14),
  };
  return Number.isSafeInteger(place.tieBreakSeq) && Number.isSafeInteger(place.seq) ? place : null;
}
