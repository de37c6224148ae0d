import type { Entry, Place, PoolIndex, PoolNode } from 'mempool-core/backend';
import type { Mutant } from './mutant.ts';
import { placing } from './priority-pool.ts';

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

function placesAbove(index: PoolIndex, entry: Entry): Place[] {
  return parentsOf(index, entry).flatMap(({ place }) => place ?? []);
}

/** A fault in the place of what stands below others. */
function below(id: string, change: (place: Place, above: readonly Place[], entry: Entry) => Partial<Place>): Mutant {
  return placing(id, (place, entry, index) => {
    const above = placesAbove(index, entry);
    return above.length === 0 ? place : { ...place, ...change(place, above, entry) };
  });
}

const byPrice = (above: readonly Place[]): Place[] => above.toSorted((a, b) => (a.eff < b.eff ? -1 : 1));
const lowest = (above: readonly Place[]): bigint => byPrice(above)[0]?.eff ?? 0n;
const cheapest = (above: readonly Place[]): Place[] => above.filter(({ eff }) => eff === lowest(above));
const anchors = (above: readonly Place[]): number[] => above.map(({ anchor }) => anchor);

/** P1: the table of places. */
export const placeMutants: readonly Mutant[] = [
  placing('fees-ordered-upside-down', (place) => ({ ...place, eff: -place.eff - 1n })),
  placing('low-32-bits-of-the-fee-compared', (place) => ({ ...place, eff: BigInt.asUintN(32, place.eff) })),
  placing('fees-below-zero-compared-as-large-ones', (place) => ({
    ...place,
    eff: BigInt.asUintN(64, place.eff) >> 1n,
  })),
  placing('places-by-doubles', (place) => ({ ...place, eff: BigInt.asIntN(64, BigInt(Number(place.eff))) })),
  placing('equals-newest-first', (place) => ({ ...place, anchor: Number.MAX_SAFE_INTEGER - place.anchor })),
  placing('depth-from-one', (place) => ({ ...place, depth: place.depth + 1 })),
  placing('alone-anchored-at-nothing', (place) => (place.depth === 0 ? { ...place, anchor: 0 } : place)),
  placing('equals-by-their-own-seq-alone', (place) => ({ ...place, anchor: place.seq })),
  below('child-pays-for-its-own-place', (_, __, { seq, verdict }) => ({
    eff: verdict.priority,
    anchor: seq,
    depth: 0,
  })),
  below('poor-child-at-its-parents-price', (_, above) => ({
    eff: lowest(above),
    anchor: Math.max(...anchors(cheapest(above))),
  })),
  below('poor-child-at-its-parents-anchor', (place, above) =>
    place.eff < lowest(above) ? { anchor: Math.max(...anchors(cheapest(above))) } : {},
  ),
  below('equal-child-at-its-parents-anchor', (_, above, { verdict }) =>
    verdict.priority === lowest(above) ? { anchor: Math.max(...anchors(cheapest(above))) } : {},
  ),
  below('equal-child-at-its-own-seq', (_, above, { verdict, seq }) =>
    verdict.priority === lowest(above) ? { anchor: seq } : {},
  ),
  below('rich-child-at-its-own-seq', (place, above, { verdict, seq }) =>
    verdict.priority > lowest(above) ? { anchor: Math.max(seq, place.anchor) } : {},
  ),
  below('highest-parent-counts', (_, above, { verdict }) => {
    const highest = byPrice(above).at(-1);
    return highest !== undefined && verdict.priority > highest.eff ? { eff: highest.eff, anchor: highest.anchor } : {};
  }),
  below('anchor-of-the-first-parent', (_, above, { verdict }) =>
    verdict.priority > lowest(above) ? { anchor: Math.min(...anchors(cheapest(above))) } : {},
  ),
  below('anchor-of-any-parent', (_, above, { verdict }) =>
    verdict.priority > lowest(above) ? { anchor: Math.max(...anchors(above)) } : {},
  ),
  below('depth-of-the-cheapest-parent', (_, above) => ({
    depth: 1 + Math.min(...cheapest(above).map(({ depth }) => depth)),
  })),
  below('depth-is-one', () => ({ depth: 1 })),
  below('depth-is-nought', () => ({ depth: 0 })),
  below('depth-counts-parents-twice', (place, above) => ({ depth: place.depth + above.length - 1 })),
  below('poor-child-at-depth-nought', (place, above) => (place.eff < lowest(above) ? { depth: 0 } : {})),
  below('grandparents-do-not-count', (_, above, { verdict }) =>
    above.some(({ depth }) => depth > 0) ? { eff: verdict.priority } : {},
  ),
  placing('parked-stand-alone', (place, { seq, verdict }) =>
    place.ready ? place : { ...place, eff: verdict.priority, anchor: seq, depth: 0 },
  ),
  placing('parked-by-arrival', (place) => (place.ready ? place : { ...place, eff: 0n, anchor: place.seq })),
  placing('parked-among-the-ready-by-price', (place) => ({ ...place, ready: true })),
  placing('siblings-by-price', (place, { verdict }) =>
    place.depth > 0 ? { ...place, depth: place.depth * 100 - Number(verdict.priority % 100n) } : place,
  ),
];
