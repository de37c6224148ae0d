import type { Entry, Place, PoolIndex, PoolNode } from 'mempool-core/backend';
import type { Mutant } from './mutant.ts';
import { priority } from './priority-pool.ts';

/** The Pending ones that one waits for, once for each tag of theirs that it requires. */
export function parentsOf(index: PoolIndex, { verdict }: Entry): PoolNode[] {
  return unmetOf(index, verdict.requires).flatMap((tag) => [...index.providers.of(tag)]);
}

export function unmetOf(index: PoolIndex, tags: readonly string[]): string[] {
  return tags.filter((tag) => {
    const providers = [...index.providers.of(tag)];
    return !index.satisfied.has(tag) && providers.every(({ stage }) => stage === 'Pending');
  });
}

/** What stands below others, beside those: the parents' places, and of these the cheapest. */
interface Below {
  readonly place: Place;
  readonly above: readonly Place[];
  readonly cheapest: readonly Place[];
  readonly low: bigint;
  readonly own: bigint;
  readonly seq: number;
}

/** A fault in the place of what stands below others. */
function below(id: string, change: (at: Below) => Partial<Place> | false): Mutant {
  return priority.places(id, (place, entry, index) => {
    const above = parentsOf(index, entry).flatMap((parent) => parent.place ?? []);
    const [low = 0n] = above.map(({ eff }) => eff).sort((a, b) => (a < b ? -1 : 1));
    const cheapest = above.filter(({ eff }) => eff === low);
    return above.length > 0 && change({ place, above, cheapest, low, own: entry.verdict.priority, seq: entry.seq });
  });
}

const last = (places: readonly Place[]): number => Math.max(...places.map(({ anchor }) => anchor));
const first = (places: readonly Place[]): number => Math.min(...places.map(({ anchor }) => anchor));

/** P1: the table of places. */
export const placeMutants: readonly Mutant[] = [
  priority.places('fees-ordered-upside-down', ({ eff }) => ({ eff: -eff - 1n })),
  priority.places('low-32-bits-of-the-fee-compared', ({ eff }) => ({ eff: BigInt.asUintN(32, eff) })),
  priority.places('fees-below-zero-compared-as-large-ones', ({ eff }) => ({ eff: BigInt.asUintN(64, eff) >> 1n })),
  priority.places('places-by-doubles', ({ eff }) => ({ eff: BigInt.asIntN(64, BigInt(Number(eff))) })),
  priority.places('equals-newest-first', ({ anchor }) => ({ anchor: Number.MAX_SAFE_INTEGER - anchor })),
  priority.places('depth-from-one', ({ depth }) => ({ depth: depth + 1 })),
  priority.places('alone-anchored-at-nothing', ({ depth }) => depth === 0 && { anchor: 0 }),
  priority.places('equals-by-their-own-seq-alone', ({ seq }) => ({ anchor: seq })),
  below('child-pays-for-its-own-place', ({ own, seq }) => ({ eff: own, anchor: seq, depth: 0 })),
  below('poor-child-at-its-parents-price', ({ low, cheapest }) => ({ eff: low, anchor: last(cheapest) })),
  below(
    'poor-child-at-its-parents-anchor',
    ({ place, low, cheapest }) => place.eff < low && { anchor: last(cheapest) },
  ),
  below('equal-child-at-its-parents-anchor', ({ own, low, cheapest }) => own === low && { anchor: last(cheapest) }),
  below('equal-child-at-its-own-seq', ({ own, low, seq }) => own === low && { anchor: seq }),
  below(
    'rich-child-at-its-own-seq',
    ({ own, low, seq, place }) => own > low && { anchor: Math.max(seq, place.anchor) },
  ),
  below('highest-parent-counts', ({ above, own }) => {
    const highest = above.toSorted((a, b) => (a.eff < b.eff ? -1 : 1)).at(-1);
    return highest !== undefined && own > highest.eff && { eff: highest.eff, anchor: highest.anchor };
  }),
  below('anchor-of-the-first-parent', ({ own, low, cheapest }) => own > low && { anchor: first(cheapest) }),
  below('anchor-of-any-parent', ({ own, low, above }) => own > low && { anchor: last(above) }),
  below('depth-of-the-cheapest-parent', ({ cheapest }) => ({
    depth: 1 + Math.min(...cheapest.map(({ depth }) => depth)),
  })),
  below('depth-is-one', () => ({ depth: 1 })),
  below('depth-is-nought', () => ({ depth: 0 })),
  below('depth-counts-parents-twice', ({ place, above }) => ({ depth: place.depth + above.length - 1 })),
  below('poor-child-at-depth-nought', ({ place, low }) => place.eff < low && { depth: 0 }),
  below('grandparents-do-not-count', ({ above, own }) => above.some(({ depth }) => depth > 0) && { eff: own }),
  priority.places(
    'parked-stand-alone',
    ({ ready }, { seq, verdict }) => !ready && { eff: verdict.priority, anchor: seq, depth: 0 },
  ),
  priority.places('parked-by-arrival', ({ ready, seq }) => !ready && { eff: 0n, anchor: seq }),
  priority.places('parked-among-the-ready-by-price', () => ({ ready: true })),
  priority.places(
    'siblings-by-price',
    ({ depth }, { verdict }) => depth > 0 && { depth: depth * 100 - Number(verdict.priority % 100n) },
  ),
];
