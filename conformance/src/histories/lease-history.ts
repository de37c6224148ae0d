import type { CampaignReply, Candidate, HeldLease, Lease, LeaseStore, RenewReply, StaleLease } from 'mempool-election';
import { Random } from '../case/random.ts';
import { LeaseModel, type ModelLease, type ModelReply } from '../model/lease.ts';
import { expire, longTtlMs, newCampaign, renewal, uuid } from '../scenario/lease.ts';
import { assertSame } from './difference.ts';
import { type LeaseStep, type LeaseStepOf, makeLeaseSteps } from './lease-steps.ts';
import { firstFault, playHistory } from './played.ts';

export interface LeaseHistoryOptions {
  /** Equal seeds give equal histories. */
  readonly seed: number;
  /** How many calls the history has. */
  readonly steps: number;
  /** Opens two nodes of a new election. It is called again for every attempt to shorten a failing history. */
  readonly open: () => Promise<readonly [LeaseStore, LeaseStore]>;
  /** Ends the history. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Takes random steps. After each it compares the answer, and everything that can be read, with a model. A failing history is
 * shortened, and reported with its seed.
 *
 * @throws Error with the difference and the steps
 */
export async function checkLeaseHistory({ seed, steps, open, signal }: LeaseHistoryOptions): Promise<void> {
  await playHistory(makeLeaseSteps(seed, steps), {
    seed,
    signal,
    lineOf: (step) => JSON.stringify(step),
    faultOf: async (some) => {
      const player = new LeasePlayer(await open(), new Random(seed));
      return firstFault(some, (step) => player.play(step), signal);
    },
  });
}

/** Takes each step on a store and on the model. */
class LeasePlayer {
  readonly #nodes: readonly [LeaseStore, LeaseStore];
  readonly #random: Random;
  readonly #model = new LeaseModel();
  /** What each node won last. */
  readonly #own = new Map<number, Lease>();
  /** The lease at the last look, with the model's count of its moves. */
  #last: { readonly lease: HeldLease; readonly moves: number; readonly beats: number } | null = null;

  constructor(nodes: readonly [LeaseStore, LeaseStore], random: Random) {
    this.#nodes = nodes;
    this.#random = random;
  }

  async play(step: LeaseStep): Promise<void> {
    const [store, other] = step.node % 2 === 0 ? this.#nodes : this.#nodes.toReversed();
    if (store === undefined || other === undefined) return;
    await this.#take(step, store);
    await this.#look(other);
  }

  #take(step: LeaseStep, store: LeaseStore): Promise<void> {
    switch (step.verb) {
      case 'campaign':
        return this.#campaign(step, store);
      case 'renew':
        return this.#renew(step, store);
      case 'reinstate':
        return this.#reinstate(step, store);
      case 'release':
        return this.#release(step, store);
      case 'expire':
        return this.#expire(store);
      case 'heartbeat':
        return this.#heartbeat(step, store);
    }
  }

  async #campaign(step: LeaseStepOf<'campaign'>, store: LeaseStore): Promise<void> {
    const { lease, term } = this.#model;
    const adopts = step.token === 'last' && lease !== null && this.#own.get(step.node)?.token === lease.token;
    const takeover = this.#stale(step.takeover);
    const request = newCampaign(this.#random, {
      candidate: candidateOf(step.node),
      floor: lease === null && step.floor === 'above' ? term + 7 : step.floor === 'none' ? 0 : term,
      dataLoss: step.dataLoss,
      takeover,
      ...(adopts && { token: lease.token }),
    });
    const reply = await store.campaign(request);
    const unmoved = step.takeover === 'seq' || step.takeover === 'hbSeq';
    const due = this.#model.campaign(request, takeover !== null && unmoved, firstTerm(reply));
    assertSame(plain(reply), due, 'the answer is not the one due');
    if (due.kind !== 'won') return;
    this.#own.set(step.node, due.lease);
    if (reply.kind === 'won') this.#note(reply.lease);
  }

  async #renew(step: LeaseStepOf<'renew'>, store: LeaseStore): Promise<void> {
    const lease = this.#chosen(step);
    const holder = { ...candidateOf(Number(/\d+/.exec(lease.nodeId)?.[0])), nodeId: lease.nodeId };
    const request = renewal(holder, { heartbeat: step.heartbeat });
    const reply = await store.renew(lease, request);
    assertSame(plain(reply), this.#model.renew(lease, request), 'the answer is not the one due');
  }

  async #reinstate({ node, term }: LeaseStepOf<'reinstate'>, store: LeaseStore): Promise<void> {
    const above = term === 'above' ? 3 : 0;
    const candidate = candidateOf(node);
    const lease = {
      nodeId: candidate.nodeId,
      token: uuid(this.#random),
      term: Math.max(1, this.#model.term + above),
    };
    const request = renewal(candidate);
    const reply = await store.reinstate(lease, request);
    const due = this.#model.reinstate(lease, request);
    assertSame(plain(reply), due, 'the answer is not the one due');
    if (due.kind !== 'renewed') return;
    this.#own.set(node, lease);
    if (reply.kind === 'renewed') this.#note(reply.lease);
  }

  async #release(step: LeaseStepOf<'release'>, store: LeaseStore): Promise<void> {
    const forge = step.forge === 'term' ? 'none' : step.forge;
    const lease = this.#chosen({ ...step, forge });
    // A store may keep or remove an expired lease.
    const live = this.#model.lease?.token === lease.token || forge !== 'none';
    const released = await store.release(lease);
    const due = this.#model.release(lease);
    if (live) assertSame(released, due, 'whether it released is not as due');
  }

  async #expire(store: LeaseStore): Promise<void> {
    const last = this.#last?.lease;
    if (this.#model.lease === null || last === undefined) return;
    await expire(store, last);
    this.#model.expire();
  }

  async #heartbeat({ node }: LeaseStepOf<'heartbeat'>, store: LeaseStore): Promise<void> {
    await store.heartbeat(candidateOf(node), longTtlMs);
    this.#model.members.add(candidateOf(node).nodeId);
  }

  /** The lease that is held, or the node's own, which may be old, with one part made wrong. */
  #chosen({ node, lease, forge }: LeaseStepOf<'renew' | 'release'>): Lease {
    const own = this.#own.get(node) ?? { nodeId: candidateOf(node).nodeId, token: uuid(this.#random), term: 1 };
    const chosen = (lease === 'held' ? this.#model.lease : null) ?? own;
    const { nodeId, token, term } = chosen;
    switch (forge) {
      case 'none':
        return { nodeId, token, term };
      case 'node':
        return { nodeId: `${nodeId}-x`, token, term };
      case 'token':
        return { nodeId, token: uuid(this.#random), term };
      case 'term':
        return { nodeId, token, term: term + 1 };
    }
  }

  #stale(takeover: LeaseStepOf<'campaign'>['takeover']): StaleLease | null {
    const last = this.#last?.lease;
    if (last === undefined || this.#model.lease === null) return null;
    const { token, seq, hbSeq } = last;
    switch (takeover) {
      case 'none':
        return null;
      case 'seq':
        return { token, seq };
      case 'hbSeq':
        return { token, hbSeq };
      case 'moved':
        return { token, seq: seq - 1 };
      case 'other':
        return { token: uuid(this.#random), seq };
    }
  }

  #note(lease: HeldLease): void {
    this.#last = { lease, moves: this.#model.moves, beats: this.#model.beats };
  }

  /** Another node must see the model's state. */
  async #look(store: LeaseStore): Promise<void> {
    const { lease: due, term, moves, beats, members } = this.#model;
    const { lease, ...seen } = await store.observe();
    assertSame({ lease: bare(lease), ...seen }, { lease: due, term }, 'what is seen is not what is due');
    const told = (await store.members()).filter(({ alive }) => alive).map(({ nodeId }) => nodeId);
    assertSame(
      [...members].filter((nodeId) => !told.includes(nodeId)),
      [],
      'members are missing',
    );
    const last = this.#last;
    if (lease !== null && last !== null && last.lease.token === lease.token) {
      const risen = [lease.seq > last.lease.seq, lease.hbSeq > last.lease.hbSeq];
      const fallen = [lease.seq < last.lease.seq, lease.hbSeq < last.lease.hbSeq];
      assertSame({ risen, fallen }, { risen: [moves > last.moves, beats > last.beats], fallen: [false, false] }, 'seq');
    }
    if (lease !== null) this.#note(lease);
  }
}

function candidateOf(node: number): Candidate {
  return { nodeId: `node-${node}`, address: node === 0 ? null : `http://node-${node}`, priority: node * 10 };
}

/** How far a store's clock may differ from this process's, in seconds. */
const clockSkewSeconds = 60;

/** The first term of a store that had none, if it can be the store's time. */
function firstTerm(reply: CampaignReply): number {
  const now = Math.floor(Date.now() / 1_000);
  const told = reply.kind === 'won' ? reply.lease.term : now;
  return Math.abs(told - now) <= clockSkewSeconds ? told : now;
}

/** The answer without clocks and counters. */
function plain(reply: CampaignReply | RenewReply): ModelReply {
  switch (reply.kind) {
    case 'won':
      return { kind: 'won', lease: known(reply.lease), forced: bare(reply.forced) };
    case 'renewed':
      return { kind: 'renewed', lease: known(reply.lease) };
    case 'held':
    case 'lost':
      return { kind: reply.kind, lease: bare(reply.lease), term: reply.term };
    case 'forgotten':
      return reply;
  }
}

function bare(lease: HeldLease | null): ModelLease | null {
  return lease === null ? null : known(lease);
}

function known({ nodeId, token, term, address, priority }: HeldLease): ModelLease {
  return { nodeId, token, term, address, priority };
}
