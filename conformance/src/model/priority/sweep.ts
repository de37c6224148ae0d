import { returnToPending } from '../life.ts';
import type { Limits, Sweep } from './entry.ts';
import { orderOf } from './graph.ts';
import { shortestEnd, totalsOf } from './load.ts';
import { drop, entryOf, graphOf, type PriorityState } from './state.ts';

interface CallTime {
  readonly now: number;
  readonly height: number;
}

/** Leases that ran out, then what waited too long, then what is over the limits. */
export function sweep(state: PriorityState, moment: CallTime): Sweep {
  const returned = endLeases(state, moment);
  const expired = expire(state, moment);
  return { returned, expired, evicted: evict(state), more: false };
}

function endLeases(state: PriorityState, { now }: CallTime): string[] {
  const propagated = [...state.pool.live.values()].filter(({ stage }) => stage === 'Propagated');
  const ended = propagated
    .map((txState) => ({ txState, untilMs: entryOf(state, txState.hash).lease?.untilMs ?? Number.POSITIVE_INFINITY }))
    .filter(({ untilMs }) => untilMs < now)
    .sort((a, b) => a.untilMs - b.untilMs || a.txState.seq - b.txState.seq);
  for (const { txState } of ended) returnToPending(txState);
  return ended.map(({ txState }) => txState.hash);
}

function expire(state: PriorityState, moment: CallTime): string[] {
  const waiting = [...state.pool.live.values()].filter(({ stage }) => stage === 'Pending');
  const expired = waiting.filter(({ hash }) => isExpired(state, hash, moment)).sort((a, b) => a.seq - b.seq);
  for (const txState of expired) drop(txState, 'expired');
  return expired.map(({ hash }) => hash);
}

function isExpired(state: PriorityState, hash: string, { now, height }: CallTime): boolean {
  const { verdict, admittedAt, admittedHeight } = entryOf(state, hash);
  const { ttlMs, ttlBlocks }: Limits = state.limits;
  return (
    (verdict.expiresAt ?? now) < now ||
    (verdict.expiresAtHeight ?? height) < height ||
    now - admittedAt > ttlMs ||
    height - admittedHeight > ttlBlocks
  );
}

/** From the end of the order; all of it where that is not enough. */
function evict(state: PriorityState): string[] {
  const graph = graphOf(state);
  const order = orderOf(graph);
  const end = shortestEnd(order, totalsOf(graph), state.limits) ?? order;
  const victims = end.map(({ hash }) => hash).reverse();
  for (const hash of victims) {
    const txState = state.pool.live.get(hash);
    if (txState !== undefined) drop(txState, 'evicted');
  }
  return victims;
}
