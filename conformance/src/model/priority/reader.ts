import type {
  AnyMempool,
  PageQuery,
  StoredTransaction,
  Thresholds,
  Transaction,
  TransactionPage,
  Usage,
} from 'mempool-core';
import { Model } from '../model.ts';
import * as pools from '../pool.ts';
import type * as e from './entry.ts';
import type {
  Budget,
  Candidate,
  DumpedEntry,
  GossipPage,
  GossipQuery,
  Limits,
  PoolDump,
  StaleTransaction,
} from './entry.ts';
import {
  ancestorsOf,
  type Graph,
  loadOf,
  type Member,
  orderOf,
  paid,
  parentsOf,
  parkedIn,
  providersOf,
  type Ranked,
  totalsOf,
} from './graph.ts';
import { entryOf, gossipableOf, graphOf, isLiving, type PriorityState } from './state.ts';

type Query<V extends 'best' | 'since' | 'stale'> = NonNullable<Parameters<AnyMempool[V]>[0]>;

/** The reading verbs of the model. The FIFO model answers the verbs that every pool has, from the same lives. */
export class ModelReader extends Model {
  readonly #state: PriorityState;

  constructor(
    options: Thresholds & { readonly maxFinalized: number; readonly maxRollback: number },
    state: PriorityState,
  ) {
    super(options, state.pool);
    this.#state = state;
  }

  override hasPending(): boolean {
    return this.pending().length > 0;
  }

  override pending(): StoredTransaction[] {
    const parked = new Set(this.#held().map(({ hash }) => hash));
    return super.pending().filter(({ hash }) => !parked.has(hash));
  }

  peekParked(query?: PageQuery): TransactionPage {
    return pools.pageOf(this.#state.ordering === 'fifo' ? [] : this.#held(), query);
  }

  override usage(): Usage {
    const usage = super.usage();
    if (this.#state.ordering === 'fifo') return usage;
    const cursors = { ...usage.cursors, gossip: pools.cursor('g', this.#state.lastGossipSeq) };
    return { ...usage, cursors, load: loadOf(graphOf(this.#state), this.#state.limits) };
  }

  reap(budget: e.Budget = {}): e.Candidate[] {
    const graph = graphOf(this.#state);
    return reap(graph, budget).map((one) => candidate(graph, one));
  }

  /** Its keys are ranks: the contract says only that keys rise, and that a page begins after one. */
  best({ after, limit = 100 }: Query<'best'> = {}): e.RankedCandidate[] {
    const graph = graphOf(this.#state);
    const ranked = readyOf(graph).map((member, i) => {
      const parents = parentsOf(graph, member).toSorted((a, b) => a.seq - b.seq);
      return {
        ...candidate(graph, member),
        key: String(i).padStart(4, '0'),
        parents: parents.map(({ hash }) => hash),
      };
    });
    return ranked.filter(({ key }) => after === undefined || key > after).slice(0, limit);
  }

  since(query: Query<'since'> = {}): e.GossipPage {
    const page = since(this.#state, query);
    if (query.hashesOnly === true) return page;
    const items = page.items.map((item) => {
      const { payload = null, payloadType = null } = this.#state.pool.bodies.get(item.hash) ?? {};
      return { ...item, payload, payloadType };
    });
    return { ...page, items };
  }

  bySender(sender: string): e.SenderPage {
    return bySender(graphOf(this.#state), sender);
  }

  byTag(tag: string): e.TagPage {
    const graph = graphOf(this.#state);
    const dependents = graph.members.filter(({ verdict }) => verdict.requires.includes(tag));
    const [provider] = providersOf(graph, tag);
    return {
      satisfied: graph.satisfied.has(tag),
      provider: provider === undefined ? null : liveCandidate(graph, provider),
      dependents: dependents.map((one) => liveCandidate(graph, one)),
      more: false,
    };
  }

  stale({ height, limit = 100 }: Query<'stale'>): e.StaleTransaction[] {
    return stale(this.#state, height, limit);
  }

  payloads(hashes: readonly string[]): (Transaction | null)[] {
    const { live, bodies } = this.#state.pool;
    return hashes.map((hash) => {
      const body = bodies.get(hash);
      return body !== undefined && isLiving(live.get(hash)) ? { hash, ...body } : null;
    });
  }

  dump(): e.PoolDump {
    const whole = dump(this.#state);
    return this.#state.ordering === 'fifo' ? fifoDump(this.#state, whole) : whole;
  }

  /** Parked, or held back. */
  #held(): StoredTransaction[] {
    const parked = orderOf(graphOf(this.#state)).filter(({ place }) => !place.ready);
    return super.pending().filter(({ hash }) => parked.some((each) => each.hash === hash));
  }
}

const noLimit = Number.POSITIVE_INFINITY;

export function candidate(graph: Graph, member: Member): Candidate {
  const { hash, seq, bytes, verdict } = member;
  return { hash, seq, bytes, gas: verdict.gas, priority: paid(graph, member) };
}

function readyOf(graph: Graph): Ranked[] {
  return orderOf(graph).filter(({ place }) => place.ready);
}

/** The transactions that fit, best first. Up to `skip` may be passed over, and their descendants with them. */
export function reap(graph: Graph, budget: Budget): Ranked[] {
  const { maxBytes = noLimit, maxGas = noLimit, maxTxs = noLimit, skip = 0, overheadBytes = 0 } = budget;
  const reaped: Ranked[] = [];
  const passed = new Set<string>();
  let misfits = 0;
  const fits = (one: readonly Ranked[]): boolean => {
    const bytes = one.reduce((sum, each) => sum + each.bytes + overheadBytes, 0);
    const gas = one.reduce((sum, { verdict }) => sum + verdict.gas, 0);
    return one.length <= maxTxs && bytes <= maxBytes && gas <= maxGas;
  };
  for (const next of readyOf(graph)) {
    if (ancestorsOf(graph, next).some(({ hash }) => passed.has(hash))) passed.add(next.hash);
    else if (fits([...reaped, next])) reaped.push(next);
    else if (++misfits > skip) break;
    else passed.add(next.hash);
  }
  return reaped;
}

/** Without payloads. */
function since(state: PriorityState, { after: from, limit = 100, except }: GossipQuery): GossipPage {
  const after = pools.numberOf(from);
  const items: GossipPage['items'][number][] = [];
  const graph = graphOf(state);
  let next = after;
  for (const { hash, gossipSeq, member } of gossipOf(state)) {
    if (items.length === limit) break;
    if (gossipSeq <= after) continue;
    next = gossipSeq;
    const { verdict, sources } = entryOf(state, hash);
    if (!verdict.propagate || (except !== undefined && sources.includes(except))) continue;
    const { seq, bytes, gas, priority } = candidate(graph, member);
    items.push({ hash, seq, gossipSeq, bytes, gas, priority, payload: null, payloadType: null });
  }
  return { items, next: pools.cursor('g', next) };
}

/** In a fifo pool each has its seq as its number. */
function gossipOf(state: PriorityState): { hash: string; gossipSeq: number; member: Member }[] {
  const members = gossipableOf(graphOf(state));
  const numbered = members.map((member) => ({
    hash: member.hash,
    gossipSeq: state.ordering === 'fifo' ? member.seq : entryOf(state, member.hash).gossipSeq,
    member,
  }));
  return numbered.sort((a, b) => a.gossipSeq - b.gossipSeq);
}

function liveCandidate(graph: Graph, member: Member): e.LiveCandidate {
  const { hash, stage, verdict } = member;
  const { sender } = verdict;
  const tags = { provides: [...verdict.provides], requires: [...verdict.requires] };
  const parked = parkedIn(graph).some((one) => one.hash === hash);
  return { ...candidate(graph, member), sender, ...tags, stage, parked };
}

/** All on one page; the keys only say which comes first. */
function bySender(graph: Graph, sender: string): e.SenderPage {
  const isOwn = ({ verdict }: Member): boolean => verdict.sender === sender;
  const own = [...graph.members.filter(({ stage }) => stage !== 'Pending'), ...orderOf(graph)].filter(isOwn);
  const tags = own.filter(({ stage }) => stage === 'Pending').flatMap(({ verdict }) => verdict.requires);
  const missing = [...new Set(tags)].filter((tag) => !graph.satisfied.has(tag) && providersOf(graph, tag).length === 0);
  const transactions = own.map((one, i) => ({ ...liveCandidate(graph, one), key: String(i) }));
  return { transactions, missing, next: null };
}

function stale(state: PriorityState, height: number, limit: number): StaleTransaction[] {
  const waiting = graphOf(state).members.filter(({ stage }) => stage === 'Pending');
  return waiting
    .map(({ hash, seq }) => ({ hash, seq, ...versionOf(state, hash) }))
    .filter(({ checkedHeight }) => checkedHeight < height)
    .sort((a, b) => a.checkedHeight - b.checkedHeight || a.seq - b.seq)
    .slice(0, limit);
}

function versionOf(state: PriorityState, hash: string): { version: number; checkedHeight: number } {
  const { version, checkedHeight } = entryOf(state, hash);
  return { version, checkedHeight };
}

/** Of a fifo pool: without what a priority pool alone has. */
function fifoDump(state: PriorityState, whole: PoolDump): PoolDump {
  const order = readyOf(graphOf(state)).map(({ hash }) => hash);
  const totals = { ...whole.totals, parked: 0 };
  return { ...whole, lastGossipSeq: state.pool.lastSeq, totals, entries: [], order, gossip: [] };
}

function dump(state: PriorityState): PoolDump {
  const graph = graphOf(state);
  const order = orderOf(graph);
  const { members } = graph;
  const leased = members.filter(({ hash }) => entryOf(state, hash).claim !== null);
  const counted = members.filter(({ stage, verdict }) => stage !== 'Confirmed' && verdict.sender !== '');
  return {
    limits: { ...state.limits } satisfies Limits,
    lastGossipSeq: state.lastGossipSeq,
    totals: totalsOf(graph),
    entries: [...state.entries.keys()].sort().map((hash) => dumpedEntry(state, hash, order)),
    order: order.map(({ hash }) => hash),
    providers: grouped(members, ({ verdict }) => verdict.provides),
    dependents: grouped(members, ({ verdict }) => verdict.requires),
    senders: grouped(counted, ({ verdict }) => [verdict.sender]).map(([sender, hashes]) => [sender, hashes.length]),
    claims: grouped(leased, ({ hash }) => [entryOf(state, hash).claim?.id ?? '']),
    gossip: gossipOf(state).map(({ hash }) => hash),
    satisfied: [...state.satisfied].sort(([a], [b]) => (a < b ? -1 : 1)),
  };
}

function grouped(members: readonly Member[], keysOf: (member: Member) => readonly string[]): [string, string[]][] {
  const keys = [...new Set(members.flatMap(keysOf))].sort();
  return keys.map((key) => {
    const named = members.filter((member) => keysOf(member).includes(key));
    return [key, named.map(({ hash }) => hash).sort()];
  });
}

function dumpedEntry(state: PriorityState, hash: string, order: readonly Ranked[]): DumpedEntry {
  const { verdict, sources, claim, ...entry } = entryOf(state, hash);
  const txState = pools.currentLife(state.pool, hash);
  const place = order.find((ranked) => ranked.hash === hash)?.place ?? null;
  const { seq = 0, stage = 'Unknown', notBefore = null } = txState ?? {};
  const held = { claim: claim && { ...claim }, notBefore };
  return {
    hash,
    seq,
    stage,
    ...entry,
    ...verdict,
    sources: [...sources],
    ...held,
    place,
  };
}
