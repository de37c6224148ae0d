import type { KnownStage, LiveStage } from 'mempool-core';
import type { DumpedEntry, Limits, Load, WholeVerdict } from './entry.ts';

/** The parts of a live transaction that the order depends on. */
export interface Member {
  readonly hash: string;
  readonly seq: number;
  readonly stage: LiveStage;
  readonly bytes: number;
  readonly verdict: WholeVerdict;
  /** P20: held back. */
  readonly isHeld: boolean;
}

/** The live transactions, and the tags that the chain has satisfied. Each function here walks over all of them and caches nothing. */
export interface Graph {
  readonly members: readonly Member[];
  readonly satisfied: ReadonlySet<string>;
  /** P26: the limit `minPriority`. */
  readonly least: bigint;
}

type OrderKey = NonNullable<DumpedEntry['place']>;

export interface Ranked extends Member {
  readonly place: OrderKey;
}

export function providersOf({ members }: Graph, tag: string): Member[] {
  return members.filter(({ verdict }) => verdict.provides.includes(tag));
}

export function isMet(graph: Graph, tag: string): boolean {
  return graph.satisfied.has(tag) || providersOf(graph, tag).some(({ stage }) => stage !== 'Pending');
}

/** The tags that it requires and that are not met. */
function awaitedOf(graph: Graph, { verdict }: Member): string[] {
  return verdict.requires.filter((tag) => !isMet(graph, tag));
}

/** The Pending transactions that provide a tag which this one requires and which is not met; each once. */
export function parentsOf(graph: Graph, me: Member): Member[] {
  return [...new Set(awaitedOf(graph, me).flatMap((tag) => providersOf(graph, tag)))];
}

export function ancestorsOf(graph: Graph, member: Member): Member[] {
  const parents = parentsOf(graph, member);
  return [...new Set([...parents, ...parents.flatMap((parent) => ancestorsOf(graph, parent))])];
}

export function descendantsOf(graph: Graph, { hash }: Member): Member[] {
  const pending = graph.members.filter(({ stage }) => stage === 'Pending');
  return pending.filter((other) => ancestorsOf(graph, other).some((ancestor) => ancestor.hash === hash));
}

/** P26: its priority, or that of one that it depends on, is below the floor. */
export function isBelowFloor(graph: Graph, me: Member): boolean {
  return [me, ...ancestorsOf(graph, me)].some(({ verdict }) => verdict.priority < graph.least);
}

export function isAway({ stage }: { readonly stage: KnownStage }): boolean {
  return stage === 'Propagated' || stage === 'Acknowledged';
}

/** Ready: not held back, not below the floor, and each tag that it requires is met, or provided by a ready transaction. */
function isReady(graph: Graph, me: Member): boolean {
  if (me.isHeld || isBelowFloor(graph, me)) return false;
  return awaitedOf(graph, me).every((tag) => providersOf(graph, tag).some((provider) => isReady(graph, provider)));
}

/** P29: what it pays while the floor is where it is. */
export function paid({ least }: Graph, { verdict }: Member): bigint {
  const { priority, tip } = verdict;
  return tip === undefined || least + tip > priority ? priority : least + tip;
}

/** The contract's table of order keys, line by line. */
function placeOf(graph: Graph, member: Member): OrderKey {
  const own = paid(graph, member);
  const { seq } = member;
  const ready = isReady(graph, member);
  const parents = parentsOf(graph, member).map((parent) => placeOf(graph, parent));
  const lowest = parents.map(({ effectivePriority }) => effectivePriority).sort(ascending)[0];
  if (lowest === undefined) return { ready, effectivePriority: own, tieBreakSeq: seq, depth: 0 };
  const depth = 1 + Math.max(...parents.map((parent) => parent.depth));
  const tieBreakSeq = Math.max(
    ...parents.filter(({ effectivePriority }) => effectivePriority === lowest).map((parent) => parent.tieBreakSeq),
  );
  if (own < lowest) return { ready, effectivePriority: own, tieBreakSeq: seq, depth };
  if (own === lowest) return { ready, effectivePriority: own, tieBreakSeq: Math.max(seq, tieBreakSeq), depth };
  return { ready, effectivePriority: lowest, tieBreakSeq, depth };
}

/** The Pending transactions, from the best to the worst. */
export function orderOf(graph: Graph): Ranked[] {
  const pending = graph.members.filter(({ stage }) => stage === 'Pending');
  return pending.map((member) => ({ ...member, place: placeOf(graph, member) })).sort(inOrder);
}

function inOrder(a: Ranked, b: Ranked): number {
  if (a.place.ready !== b.place.ready) return a.place.ready ? -1 : 1;
  if (a.place.effectivePriority !== b.place.effectivePriority)
    return a.place.effectivePriority > b.place.effectivePriority ? -1 : 1;
  return a.place.tieBreakSeq - b.place.tieBreakSeq || a.place.depth - b.place.depth || a.seq - b.seq;
}

export function parkedIn(graph: Graph): Ranked[] {
  return orderOf(graph).filter(({ place }) => !place.ready);
}

/** P28: those that are not protected. */
function ordinary<One extends Member>(members: readonly One[]): One[] {
  return members.filter(({ verdict }) => verdict.protected !== true);
}

/** P28: the parked ones that need room. */
export function crowdIn(graph: Graph): Ranked[] {
  return ordinary(parkedIn(graph));
}

/** Who may leave for others, in the order: not a protected one (P28). */
export function leavingIn(graph: Graph): Ranked[] {
  return ordinary(orderOf(graph));
}

/** P22: of the parked ones the lowest effective priority, of equals the sender with most of them, of equals the last. */
export function worstParked(graph: Graph): Ranked | undefined {
  const parked = crowdIn(graph);
  const lowest = parked.map(({ place }) => place.effectivePriority).sort(ascending)[0];
  const cheapest = parked.filter(({ place }) => place.effectivePriority === lowest);
  const most = Math.max(...cheapest.map((one) => parkedOf(parked, one).length));
  return cheapest.filter((one) => parkedOf(parked, one).length === most).at(-1);
}

/** Those of the same sender; without a sender all others without one. */
export function parkedOf(parked: readonly Ranked[], { verdict }: Member): Ranked[] {
  return parked.filter((one) => one.verdict.sender === verdict.sender);
}

export function ascending(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The tags that it would wait for, directly or not, if all live transactions were Pending. */
function askedBy(graph: Graph, me: Member): string[] {
  const others = graph.members.filter(({ hash }) => hash !== me.hash);
  const open = (tags: readonly string[]): string[] => tags.filter((tag) => !graph.satisfied.has(tag));
  const asked = new Set(open(me.verdict.requires));
  for (const tag of asked)
    for (const { verdict } of others.filter((other) => other.verdict.provides.includes(tag)))
      for (const next of open(verdict.requires)) asked.add(next);
  return [...asked];
}

/** Whether the transaction would be its own ancestor if all live transactions were Pending. */
export function closesCycle(graph: Graph, me: Member): boolean {
  return me.verdict.provides.some((tag) => askedBy(graph, me).includes(tag));
}

/** The transactions that it depends on, directly or not, if all live transactions were Pending. */
export function needsOf(graph: Graph, me: Member): Member[] {
  return [...new Set(askedBy(graph, me).flatMap((tag) => providersOf(graph, tag)))];
}

/** The transactions that limits count: Pending, Propagated and Acknowledged. */
export function countedOf({ members }: Graph): Member[] {
  return members.filter(({ stage }) => stage !== 'Confirmed');
}

function sumOf(members: readonly Member[], field: 'bytes' | 'gas'): number {
  return members.reduce((sum, { bytes, verdict }) => sum + (field === 'bytes' ? bytes : (verdict[field] ?? 0)), 0);
}

const lowest = -(2n ** 63n);
const highest = 2n ** 63n - 1n;

export function totalsOf(graph: Graph): Omit<Load, 'headroom' | 'floor' | 'ready' | 'belowFloor' | 'protected'> {
  const counted = countedOf(graph);
  return {
    transactions: counted.length,
    bytes: sumOf(counted, 'bytes'),
    gas: sumOf(counted, 'gas'),
    parked: orderOf(graph).filter(({ place }) => !place.ready).length,
  };
}

export function loadOf(graph: Graph, limits: Limits): Load {
  const totals = totalsOf(graph);
  const headroom = { transactions: limits.maxTxs - totals.transactions, bytes: limits.maxBytes - totals.bytes };
  const ready = orderOf(graph).filter(({ place }) => place.ready).length;
  const belowFloor = parkedIn(graph).filter((one) => isBelowFloor(graph, one)).length;
  const counted = countedOf(graph);
  const special = { protected: counted.length - ordinary(counted).length };
  return { ...totals, ...special, ready, belowFloor, headroom, floor: floorOf(graph, limits) };
}

interface Fill {
  readonly transactions: number;
  readonly bytes: number;
}

/** What limits count of the pool. */
export function fillOf(graph: Graph): Fill {
  const counted = countedOf(graph);
  return { transactions: counted.length, bytes: sumOf(counted, 'bytes') };
}

/**
 * The end of the order whose removal brings the pool within its limits. `null`: not even the whole order is enough.
 */
export function shortestEnd(order: readonly Ranked[], fill: Fill, { maxTxs, maxBytes }: Limits): Ranked[] | null {
  const end: Ranked[] = [];
  for (const next of [null, ...order.toReversed()]) {
    const isCrowded = fill.transactions - end.length > maxTxs || fill.bytes - sumOf(end, 'bytes') > maxBytes;
    if (!isCrowded) return end;
    if (next !== null) end.unshift(next);
  }
  const isEnough = fill.transactions - end.length <= maxTxs && fill.bytes - sumOf(end, 'bytes') <= maxBytes;
  return isEnough ? end : null;
}

/** What a ready transaction of one byte without parents needs to be admitted. */
export function floorOf(graph: Graph, limits: Limits): Load['floor'] {
  const { transactions, bytes } = fillOf(graph);
  const more = { transactions: transactions + 1, bytes: bytes + 1 };
  const end = shortestEnd(leavingIn(graph), more, limits);
  if (end === null) return { kind: 'closed' };
  if (end.length > 0 && (limits.eviction === 'none' || end.length > limits.maxEvictions)) return { kind: 'closed' };
  if (end.length === 0) return { kind: 'open' };
  const beaten = end.filter(({ place }) => place.ready).map(({ place }) => place.effectivePriority);
  const floor = beaten.reduce(
    (most, effectivePriority) => (effectivePriority + 1n > most ? effectivePriority + 1n : most),
    graph.least,
  );
  if (floor > highest) return { kind: 'closed' };
  return floor === lowest ? { kind: 'open' } : { kind: 'at-least', priority: floor };
}
