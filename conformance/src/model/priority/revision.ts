import { MempoolError } from 'mempool-core';
import { returnToPending, type TxState } from '../life.ts';
import * as pools from '../pool.ts';
import {
  type Limits,
  type ReviseOutcome,
  type Revision,
  type Sweep,
  type WholeVerdict,
  wholeVerdict,
} from './entry.ts';
import {
  ancestorsOf,
  closesCycle,
  countedOf,
  crowdIn,
  descendantsOf,
  fillOf,
  type Graph,
  isMet,
  leavingIn,
  type Member,
  orderOf,
  parkedIn,
  providersOf,
  worstParked,
} from './graph.ts';
import { roomFor, worstOf } from './room.ts';
import { drop, entryOf, graphOf, type PriorityState } from './state.ts';

/** Applies verdicts that were given again, one after the other. */
export function revise(state: PriorityState, revisions: readonly Revision[], height: number): ReviseOutcome[] {
  for (const revision of revisions) checkNames(state, revision);
  return revisions.map((revision) => reviseOne(state, revision, height));
}

/** The tags that it provides and its sender must stay the same. */
function checkNames(state: PriorityState, { hash, version, answer }: Revision): void {
  const entry = state.entries.get(hash);
  if ('code' in answer || entry === undefined || entry.version !== version) return;
  if (pools.currentLife(state.pool, hash)?.stage !== 'Pending') return;
  const { sender, provides } = wholeVerdict(answer);
  const isSame =
    sender === entry.verdict.sender && provides.toSorted().join() === entry.verdict.provides.toSorted().join();
  if (!isSame) throw new MempoolError('ERR_MEMPOOL_INVALID', 'a revision keeps provides and sender');
}

function reviseOne(state: PriorityState, { hash, version, answer }: Revision, height: number): ReviseOutcome {
  const graph = graphOf(state);
  const me = graph.members.find((member) => member.hash === hash);
  if (me === undefined || me.stage !== 'Pending') return { kind: 'skipped', hash };
  const entry = entryOf(state, hash);
  if (entry.version !== version) return { kind: 'superseded', hash, version: entry.version };
  if ('code' in answer) {
    const txState = state.pool.live.get(hash);
    if (txState !== undefined) drop(txState, 'invalid');
    return { kind: 'dropped', hash };
  }
  const verdict = wholeVerdict(answer);
  const place = placeFor(state, graph, me, verdict);
  if ('kind' in place) return place;
  for (const left of place.left) drop(state.pool.live.get(left.hash) as TxState, 'evicted');
  Object.assign(entry, { verdict, version: version + 1, checkedHeight: height });
  return { kind: 'revised', hash, version: version + 1 };
}

/** Those that leave for it, or why there is no place. */
function placeFor(
  { limits }: PriorityState,
  graph: Graph,
  me: Member,
  verdict: WholeVerdict,
): ReviseOutcome | { readonly left: readonly Member[] } {
  const { hash } = me;
  const revised = { ...me, verdict };
  const after = { ...graph, members: graph.members.map((member) => (member === me ? revised : member)) };
  if (verdict.gas > limits.maxTxGas) return { kind: 'limit', hash, limit: 'maxTxGas' };
  const others = countedOf(graph).filter((one) => one.verdict.protected);
  if (verdict.protected && !me.verdict.protected && others.length >= limits.maxProtected)
    return { kind: 'limit', hash, limit: 'maxProtected' };
  if (closesCycle(after, revised)) return { kind: 'cycle', hash };
  if (ancestorsOf(after, revised).length > limits.maxAncestors) return { kind: 'limit', hash, limit: 'maxAncestors' };
  const room = roomFor(graph, after, revised, { limits, evictions: 0, required: me.verdict.requires });
  if ('limit' in room) return { kind: 'limit', hash, limit: room.limit };
  const members = after.members.filter((one) => !room.left.some((left) => left.hash === one.hash));
  const [parkedBefore, parked] = [graph, { ...after, members }].map((each) => crowdIn(each).length) as [number, number];
  if (parked > parkedBefore && parked > limits.maxParked) return { kind: 'limit', hash, limit: 'maxParked' };
  return room;
}

interface CallTime {
  readonly now: number;
  readonly height: number;
}

interface Targets {
  readonly overLimits: boolean;
  readonly inflightTtlMs: number;
}

/**
 * First claims that ran out, then held transactions whose time has come, then what is in flight too long, then expired
 * ones; last, if asked, those over the limits.
 */
export function sweep(state: PriorityState, moment: CallTime, { overLimits, inflightTtlMs }: Targets): Sweep {
  const waited = waitingSeqs(state);
  const returned = endLeases(state, moment);
  const woken = wake(state, moment.now);
  const expired = [...dropOverdue(state, moment, inflightTtlMs), ...expire(state, moment, waited)];
  return {
    returned,
    woken,
    expired,
    evicted: overLimits && state.ordering === 'priority' ? evict(state) : [],
    more: false,
  };
}

/** P20: holds back no longer what was held until now. The earliest time comes first, then the lowest seq. */
export function wake(state: PriorityState, now: number): string[] {
  const due = [...state.pool.live.values()]
    .map((txState) => ({ txState, notBefore: txState.notBefore ?? Number.POSITIVE_INFINITY }))
    .filter(({ notBefore }) => notBefore <= now)
    .sort((a, b) => a.notBefore - b.notBefore || a.txState.seq - b.txState.seq);
  for (const { txState } of due) txState.notBefore = undefined;
  return due.map(({ txState }) => txState.hash);
}

function endLeases(state: PriorityState, { now }: CallTime): string[] {
  const propagated = [...state.pool.live.values()].filter(({ stage }) => stage === 'Propagated');
  const ended = propagated
    .map((txState) => ({ txState, untilMs: entryOf(state, txState.hash).claim?.untilMs ?? Number.POSITIVE_INFINITY }))
    .filter(({ untilMs }) => untilMs < now)
    .sort((a, b) => a.untilMs - b.untilMs || a.txState.seq - b.txState.seq);
  for (const { txState } of ended) returnToPending(txState, 'claim-ended');
  return ended.map(({ txState }) => txState.hash);
}

/** L14. */
function dropOverdue({ pool }: PriorityState, { now }: CallTime, inflightTtlMs: number): string[] {
  const overdue = pools.bySending(pool).filter(({ times }) => now - (times.sentAt ?? now) > inflightTtlMs);
  for (const txState of overdue) Object.assign(txState, { stage: 'Dropped', reason: 'stale', cause: 'expired' });
  return overdue.map(({ hash }) => hash);
}

/** P22: those that have waited parked, not held back, since before the call. */
function waitingSeqs(state: PriorityState): ReadonlySet<number> {
  return new Set(parkedIn(graphOf(state)).flatMap(({ seq, isHeld }) => (isHeld ? [] : seq)));
}

function expire(state: PriorityState, moment: CallTime, waited: ReadonlySet<number>): string[] {
  const waiting = [...state.pool.live.values()].filter(({ stage }) => stage === 'Pending');
  const expired = waiting.filter(({ hash }) => isExpired(state, hash, moment, waited)).sort((a, b) => a.seq - b.seq);
  for (const txState of expired) drop(txState, 'expired');
  return expired.map(({ hash }) => hash);
}

function isExpired(
  state: PriorityState,
  hash: string,
  { now, height }: CallTime,
  waited: ReadonlySet<number>,
): boolean {
  const { verdict, admittedAt, admittedHeight, parkedAt } = entryOf(state, hash);
  const { ttlMs, ttlBlocks, parkedTtlMs }: Limits = state.limits;
  const isParked = parkedIn(graphOf(state)).some((one) => one.hash === hash && !one.isHeld && waited.has(one.seq));
  return (
    (isParked && now - (parkedAt ?? admittedAt) > parkedTtlMs) ||
    (verdict.expiresAt ?? now) < now ||
    (verdict.expiresAtHeight !== null && verdict.expiresAtHeight <= height) ||
    now - admittedAt > ttlMs ||
    height - admittedHeight > ttlBlocks
  );
}

/** For one limit after the other: parked ones (P22), then the last of the order that helps; all if less is not enough. */
function evict(state: PriorityState): string[] {
  const gone: string[] = [];
  const leave = (one: Member | undefined): boolean => {
    if (one === undefined) return false;
    drop(state.pool.live.get(one.hash) as TxState, 'evicted');
    gone.push(one.hash);
    return true;
  };
  const { maxPerSender, maxAncestors, maxDescendants } = state.limits;
  const thin = (most: number, crowd: (graph: Graph) => readonly Member[]): void => {
    for (;;) {
      const graph = graphOf(state);
      const members = crowd(graph);
      const isIn = (one: Member): boolean => members.some(({ hash }) => hash === one.hash);
      if (members.length <= most || !leave(worstOf(crowdIn(graph).filter(isIn)))) return;
    }
  };
  const backwards = parkedIn(graphOf(state)).toReversed();
  for (const name of new Set(backwards.map(({ verdict }) => verdict.sender)))
    if (name !== '') thin(maxPerSender, (graph) => countedOf(graph).filter(({ verdict }) => verdict.sender === name));
  const isTooDeep = (one: Member): boolean => ancestorsOf(graphOf(state), one).length > maxAncestors;
  while (leave(crowdIn(graphOf(state)).findLast(isTooDeep)));
  for (const each of orderOf(graphOf(state)).toReversed()) thin(maxDescendants, (graph) => descendantsOf(graph, each));
  for (const tag of parkedIn(graphOf(state))
    .toReversed()
    .flatMap(({ verdict }) => verdict.requires))
    if (!isMet(graphOf(state), tag) && providersOf(graphOf(state), tag).length === 0)
      thin(maxDescendants, ({ members }) => members.filter((one) => waitsFor(one, tag)));
  while (leave(nextOver(state)));
  return gone;
}

function waitsFor({ stage, verdict }: Member, tag: string): boolean {
  return stage === 'Pending' && verdict.requires.includes(tag);
}

function nextOver(state: PriorityState): Member | undefined {
  const { limits } = state;
  const graph = graphOf(state);
  if (crowdIn(graph).length > limits.maxParked) {
    const worst = worstParked(graph);
    if (worst !== undefined) return worst;
  }
  const { transactions, bytes } = fillOf(graph);
  const order = leavingIn(graph);
  return transactions > limits.maxTxs || bytes > limits.maxBytes ? order.at(-1) : undefined;
}
