/**
 * The sort key of a Pending transaction in a priority pool. Ready sorts before parked. Then these decide, in this order:
 * higher effective priority, lower tie-break seq, lower depth, lower seq. The key depends only on the transaction and its
 * Pending ancestors. `docs/order.md` derives it.
 */
export interface OrderKey {
  /** True if the transaction is ready, false if it is parked. */
  readonly ready: boolean;
  /** The lowest priority among the transaction and its Pending ancestors. */
  readonly effectivePriority: bigint;
  /**
   * Decides between equal effective priorities: the lower value sorts first. It is the transaction's own seq, or the seq of
   * an ancestor that it must follow.
   */
  readonly tieBreakSeq: number;
  /** 0 without a Pending parent, else one more than the deepest parent. */
  readonly depth: number;
  readonly seq: number;
}

/** Compares two keys: negative if `a` sorts first. */
export function compareOrderKeys(a: OrderKey, b: OrderKey): number {
  if (a.ready !== b.ready) return a.ready ? -1 : 1;
  if (a.effectivePriority !== b.effectivePriority) return a.effectivePriority > b.effectivePriority ? -1 : 1;
  return a.tieBreakSeq - b.tieBreakSeq || a.depth - b.depth || a.seq - b.seq;
}

/** Added to the rank of parked keys: they sort after every ready key. */
const parkedRank = 2 ** 66;

/**
 * Returns a number that never decreases along the order. Keys whose difference a double cannot represent share a number.
 * `offset` is subtracted from all effective priorities.
 */
export function roughRank({ ready, effectivePriority }: OrderKey, offset: bigint = 0n): number {
  const rank = Number(offset === 0n ? effectivePriority : effectivePriority - offset);
  return ready ? -rank : parkedRank - rank;
}

/**
 * Returns the key of a transaction with these Pending parents. It sorts after each parent. If each sender's transactions
 * form a chain, the order is that of a merge that always takes the best next transaction among all senders.
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

/** Returns the key as text of fixed width that sorts as the key does. It serves as an index in any store, and as a cursor. */
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

/** Decodes a text made by `encodeOrderKey`. Returns `null` for any other text. */
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
