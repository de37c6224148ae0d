import assert from 'node:assert/strict';
import type { DumpedEntry, Place, PoolDump } from './priority.ts';

const counted: ReadonlySet<string> = new Set(['Pending', 'Propagated', 'Acknowledged']);
const live: ReadonlySet<string> = new Set([...counted, 'Confirmed']);

/** The parts of a dump that follow from its entries, its satisfied tags and nothing else. */
type Derived = Pick<PoolDump, 'totals' | 'order' | 'providers' | 'dependents' | 'senders' | 'claims' | 'gossip'>;

/** Every index of the pool agrees with its entries. @throws AssertionError */
export function assertConsistent(dump: PoolDump): void {
  const { totals, order, providers, dependents, senders, claims, gossip } = dump;
  const told: Derived = { totals, order, providers, dependents, senders, claims, gossip };
  const places = placesOf(dump);
  const toldPlaces = dump.entries.filter(({ place }) => place !== null).map(({ hash, place }) => [hash, place]);
  assert.deepEqual(toldPlaces, [...places].sort(byFirst));
  assert.deepEqual(told, derived(dump, places));
}

function byFirst([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

/** Order keys by the contract's table, computed from the entries alone. */
function placesOf({ entries, satisfied, limits }: PoolDump): Map<string, Place> {
  const providers = grouped(entries.filter(isLive), ({ provides }) => provides);
  const met = new Set(satisfied.map(([tag]) => tag));
  for (const [tag, all] of providers) if (all.some(({ stage }) => stage !== 'Pending')) met.add(tag);
  const places = new Map<string, Place>();
  const under = new Set<string>();
  const visit = (entry: DumpedEntry): Place => {
    const known = places.get(entry.hash);
    if (known !== undefined) return known;
    assert.ok(!under.has(entry.hash), `${entry.hash} waits for itself`);
    under.add(entry.hash);
    const needed = entry.requires.filter((tag) => !met.has(tag)).map((tag) => providers.get(tag)?.[0]);
    const parents = [...new Set(needed.filter((parent) => parent !== undefined))].map(visit);
    const ready = needed.every((parent) => parent !== undefined && visit(parent).ready);
    const place = { ready, ...orderKeyBelow({ seq: entry.seq, priority: paidAt(limits.minPriority, entry) }, parents) };
    places.set(entry.hash, place);
    return place;
  };
  for (const entry of entries) if (entry.stage === 'Pending') visit(entry);
  return places;
}

/** P29. */
function paidAt(floor: bigint, { priority, tip }: DumpedEntry): bigint {
  return tip === undefined ? priority : lowest([priority, floor + tip]);
}

type Paying = Pick<DumpedEntry, 'priority' | 'seq'>;

function orderKeyBelow({ priority, seq }: Paying, parents: readonly Place[]): Omit<Place, 'ready'> {
  if (parents.length === 0) return { effectivePriority: priority, tieBreakSeq: seq, depth: 0 };
  const depth = 1 + Math.max(...parents.map((parent) => parent.depth));
  const effectivePriority = lowest(parents.map((parent) => parent.effectivePriority));
  const tieBreakSeq = Math.max(
    ...parents.filter((parent) => parent.effectivePriority === effectivePriority).map((parent) => parent.tieBreakSeq),
  );
  if (priority < effectivePriority) return { effectivePriority: priority, tieBreakSeq: seq, depth };
  return {
    effectivePriority,
    tieBreakSeq: priority === effectivePriority ? Math.max(seq, tieBreakSeq) : tieBreakSeq,
    depth,
  };
}

/** The least bigint: `Math.min` does not take bigints. */
function lowest(values: readonly bigint[]): bigint {
  const [low = 0n] = values.toSorted((a, b) => (a < b ? -1 : 1));
  return low;
}

function derived({ entries }: PoolDump, places: ReadonlyMap<string, Place>): Derived {
  const inside = entries.filter(({ stage }) => counted.has(stage));
  const sum = (of: (entry: DumpedEntry) => number): number => inside.reduce((total, entry) => total + of(entry), 0);
  const isParked = ({ hash }: DumpedEntry): boolean => places.get(hash)?.ready === false;
  return {
    totals: {
      transactions: inside.length,
      bytes: sum(({ bytes }) => bytes),
      gas: sum(({ gas }) => gas),
      parked: inside.filter(isParked).length,
    },
    order: ordered(inside, places),
    providers: listed(grouped(entries.filter(isLive), ({ provides }) => provides)),
    dependents: listed(grouped(entries.filter(isLive), ({ requires }) => requires)),
    senders: [...grouped(inside, ({ sender }) => (sender === '' ? [] : [sender]))]
      .map(([sender, all]) => [sender, all.length] as const)
      .sort(byFirst),
    claims: listed(grouped(entries, ({ claim }) => (claim === null ? [] : [claim.id]))),
    gossip: inside
      .filter((entry) => !isParked(entry))
      .sort((a, b) => a.gossipSeq - b.gossipSeq)
      .map(({ hash }) => hash),
  };
}

/** Ready first, then higher effective priority, lower tie-break seq, lower depth, lower seq. */
function ordered(inside: readonly DumpedEntry[], places: ReadonlyMap<string, Place>): string[] {
  const placed = inside.flatMap((entry) => {
    const place = places.get(entry.hash);
    return place === undefined ? [] : [{ ...place, hash: entry.hash, seq: entry.seq }];
  });
  placed.sort((a, b) => {
    if (a.ready !== b.ready) return a.ready ? -1 : 1;
    if (a.effectivePriority !== b.effectivePriority) return a.effectivePriority > b.effectivePriority ? -1 : 1;
    return a.tieBreakSeq - b.tieBreakSeq || a.depth - b.depth || a.seq - b.seq;
  });
  return placed.map(({ hash }) => hash);
}

function grouped(
  entries: readonly DumpedEntry[],
  keys: (entry: DumpedEntry) => readonly string[],
): Map<string, DumpedEntry[]> {
  const groups = new Map<string, DumpedEntry[]>();
  for (const entry of entries) for (const key of keys(entry)) groups.set(key, [...(groups.get(key) ?? []), entry]);
  return groups;
}

function listed(groups: ReadonlyMap<string, readonly DumpedEntry[]>): (readonly [string, string[]])[] {
  return [...groups].map(([key, all]) => [key, all.map(({ hash }) => hash).sort()] as const).sort(byFirst);
}

function isLive({ stage }: DumpedEntry): boolean {
  return live.has(stage);
}
