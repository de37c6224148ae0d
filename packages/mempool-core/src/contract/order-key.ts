/**
 * Where a Pending transaction stands in the one order of a priority pool: ready before parked, higher `eff`, lower anchor,
 * lower depth, lower seq. Plain values that depend on it and its Pending ancestors alone.
 */
export interface Place {
  readonly ready: boolean;
  /** The lowest priority among the transaction and its Pending ancestors. */
  readonly eff: bigint;
  /** Seq of the one whose place it follows at an equal `eff`. */
  readonly anchor: number;
  /** 0 without a Pending parent, else one more than the deepest of them. */
  readonly depth: number;
  readonly seq: number;
}

/** Negative where `a` goes first. */
export function comparePlaces(a: Place, b: Place): number {
  if (a.ready !== b.ready) return a.ready ? -1 : 1;
  if (a.eff !== b.eff) return a.eff > b.eff ? -1 : 1;
  return a.anchor - b.anchor || a.depth - b.depth || a.seq - b.seq;
}

/** Behind every ready place. */
const parkedRank = 2 ** 66;

/** A number that never falls along the order; the same for places that a double cannot tell apart. */
export function roughRank({ ready, eff }: Place): number {
  return ready ? -Number(eff) : parkedRank - Number(eff);
}

/**
 * The place of a transaction below its Pending parents: after each of them, and, for chains, where a walk that always takes
 * the best head among the senders would take it.
 */
export function placeBelow(parents: readonly Place[], priority: bigint, seq: number, ready: boolean): Place {
  if (parents.length === 0) return { ready, eff: priority, anchor: seq, depth: 0, seq };
  let { eff, anchor } = parents[0] as Place;
  let deepest = 0;
  for (const parent of parents) {
    deepest = Math.max(deepest, parent.depth);
    if (parent.eff < eff) ({ eff, anchor } = parent);
    else if (parent.eff === eff) anchor = Math.max(anchor, parent.anchor);
  }
  const depth = deepest + 1;
  if (priority < eff) return { ready, eff: priority, anchor: seq, depth, seq };
  if (priority === eff) return { ready, eff, anchor: Math.max(seq, anchor), depth, seq };
  return { ready, eff, anchor, depth, seq };
}

const bias = 2n ** 63n;
const digits = { eff: 16, seq: 14, depth: 8 } as const;

/** A place as text of one width, which compares as the place does: for an index of any store, and as a cursor. */
export function encodePlace({ ready, eff, anchor, depth, seq }: Place): string {
  const inverted = bias - 1n - eff;
  return [
    ready ? '0' : '1',
    inverted.toString(16).padStart(digits.eff, '0'),
    anchor.toString(16).padStart(digits.seq, '0'),
    depth.toString(16).padStart(digits.depth, '0'),
    seq.toString(16).padStart(digits.seq, '0'),
  ].join('');
}

/** `null` for text that no place has. */
export function decodePlace(key: string): Place | null {
  if (!/^[01][0-9a-f]{52}$/.test(key)) return null;
  const part = (from: number, length: number): number => Number.parseInt(key.slice(from, from + length), 16);
  const eff = bias - 1n - BigInt(`0x${key.slice(1, 17)}`);
  const place = { ready: key[0] === '0', eff, anchor: part(17, 14), depth: part(31, 8), seq: part(39, 14) };
  return Number.isSafeInteger(place.anchor) && Number.isSafeInteger(place.seq) ? place : null;
}
