import type { PoolDump } from '../contract/dump.ts';
import type { TxState } from '../contract/lifecycle.ts';
import { fifoLimits, type Ordering } from '../contract/limits.ts';
import type { Transaction } from '../contract/transaction.ts';
import type { PoolPart } from '../contract/transfer.ts';
import type { MemoryPool } from '../memory/memory-pool.ts';
import { lotsOf } from '../rules/fifo-claims.ts';
import { dumpOf } from './dump.ts';
import { exportedPages } from './exported-pages.ts';
import { PriorityPool } from './priority-pool.ts';
import { PoolFiller, type WholePool, wholePool } from './whole-pool.ts';

/** Returns the dump of a pool in memory. */
export function dumpOfPool(pool: WholePool): PoolDump {
  return dumped(pool, [...exportedPages(pool)].flat());
}

/** Returns the dump of a pool with these parts, in the order of an export. */
export function dumpOfParts(ordering: Ordering, parts: readonly PoolPart[]): PoolDump {
  const pool = wholePool(ordering);
  const filler = new PoolFiller(pool);
  for (const part of parts) filler.add(part);
  if (!(pool instanceof PriorityPool)) pool.fifo.addLots(lotsOf(parts.flatMap(claimed)));
  return dumped(pool, parts);
}

function claimed(part: PoolPart): Parameters<typeof lotsOf>[0] extends Iterable<infer Row> ? Row[] : never {
  return part.kind === 'live' && part.claim !== null ? [[part.claim, part.state.hash, part.state.seq]] : [];
}

function dumped(pool: WholePool, parts: readonly PoolPart[]): PoolDump {
  const content = canonical(parts);
  if (pool instanceof PriorityPool) return { ...dumpOf(pool.index), ordering: 'priority', content };
  return { ...fifoIndex(pool, content), ordering: 'fifo', content };
}

function fifoIndex(
  { fifo, lastSeq }: MemoryPool,
  content: readonly PoolPart[],
): Omit<PoolDump, 'ordering' | 'content'> {
  const waiting = content.flatMap((part) => (part.kind === 'live' && part.state.stage !== 'Confirmed' ? part : []));
  const claims = fifo.lots().map(({ claim, held }) => [claim.id, held.map(([hash]) => hash).sort()] as const);
  return {
    limits: { ...fifoLimits, maxTxs: fifo.maxTxs },
    lastGossipSeq: lastSeq,
    totals: {
      transactions: waiting.length,
      bytes: waiting.reduce((sum, { body }) => sum + body.payload.length, 0),
      gas: 0,
      parked: 0,
    },
    entries: [],
    order: Array.from(fifo.pending(), ({ hash }) => hash),
    providers: [],
    dependents: [],
    senders: [],
    claims: claims.sort(([a], [b]) => (a < b ? -1 : 1)),
    gossip: [],
    satisfied: [],
  };
}

/** The parts in a fixed order, without fields that backends or equal pools may have in different ways. */
function canonical(parts: readonly PoolPart[]): PoolPart[] {
  const kept = parts.filter(({ kind }) => kind !== 'start').map(comparable);
  return kept.sort((a, b) => (tagOf(a) < tagOf(b) ? -1 : tagOf(a) > tagOf(b) ? 1 : 0));
}

function comparable(part: PoolPart): PoolPart {
  switch (part.kind) {
    case 'live':
      return { ...part, state: told(part.state), body: plain(part.body) };
    case 'ended':
      return { ...part, state: told(part.state), body: part.body && plain(part.body) };
    case 'block':
      return { ...part, sighted: part.sighted.toSorted() };
    case 'finish':
      return { ...part, lastEventSeq: 0 };
    case 'record':
      return { kind: 'record', record: { ...part.record, value: Uint8Array.from(part.record.value) } };
    case 'start':
    case 'numbers':
    case 'satisfied':
      return part;
  }
}

/** Only the satisfied tags come in any order, one after the other. */
function tagOf(part: PoolPart): string {
  return part.kind === 'satisfied' ? part.tag : '';
}

/** Backends return different kinds of byte arrays. */
function plain({ hash, payload, payloadType }: Transaction): Transaction {
  return { hash, payload: Uint8Array.from(payload), payloadType };
}

/** Only of what is Propagated or Acknowledged, all backends know when it went out. */
function told(state: TxState): TxState {
  const isOut = state.stage === 'Propagated' || state.stage === 'Acknowledged';
  return isOut || state.facts.sentAt === null ? state : { ...state, facts: { ...state.facts, sentAt: null } };
}
