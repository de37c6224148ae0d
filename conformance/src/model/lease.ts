import type { CampaignRequest, Candidate, Lease, RenewRequest } from 'mempool-election';

/** A lease without its times and counters. */
export type ModelLease = Lease & Candidate;

export type ModelReply =
  | { readonly kind: 'won'; readonly lease: ModelLease; readonly forced: ModelLease | null }
  | { readonly kind: 'renewed'; readonly lease: ModelLease }
  | { readonly kind: 'held' | 'lost'; readonly lease: ModelLease | null; readonly term: number }
  | { readonly kind: 'forgotten'; readonly term: number };

/**
 * A model of the lease of one election, written from the rules alone: one variable, no clock. In place of `seq` it counts moves:
 * a renewal adds one, a new lease starts at 0.
 */
export class LeaseModel {
  lease: ModelLease | null = null;
  term = 0;
  /** Renewals, and heartbeats, since the lease was won. */
  moves = 0;
  beats = 0;
  readonly members: Set<string> = new Set();

  /** `firstTerm` is the first term of a store that has none. It comes from the store's clock. */
  campaign({ candidate, token, floor, dataLoss }: CampaignRequest, unmoved: boolean, firstTerm: number): ModelReply {
    const { lease: held, term } = this;
    if (held?.token === token) return { kind: 'won', lease: this.#renewed(held, 'still'), forced: null };
    if (held !== null && !unmoved) return { kind: 'held', lease: held, term };
    if (floor > term && dataLoss === 'wait') return { kind: 'forgotten', term };
    this.term = term === 0 ? Math.max(firstTerm, floor + 1) : Math.max(term, floor) + 1;
    return { kind: 'won', lease: this.#begun({ ...candidate, token, term: this.term }), forced: held };
  }

  renew(given: Lease, { heartbeat }: RenewRequest): ModelReply {
    const held = this.lease;
    const same = held?.nodeId === given.nodeId && held.token === given.token && held.term === given.term;
    if (held === null || !same) return { kind: 'lost', lease: held, term: this.term };
    return { kind: 'renewed', lease: this.#renewed(held, heartbeat) };
  }

  reinstate({ nodeId, token, term }: Lease, { candidate }: RenewRequest): ModelReply {
    if (this.lease !== null || term <= this.term) return { kind: 'lost', lease: this.lease, term: this.term };
    this.term = term;
    return { kind: 'renewed', lease: this.#begun({ ...candidate, nodeId, token, term }) };
  }

  release({ nodeId, token }: Pick<Lease, 'nodeId' | 'token'>): boolean {
    const mine = this.lease?.nodeId === nodeId && this.lease.token === token;
    if (mine) this.lease = null;
    return mine;
  }

  /** The lease runs out. */
  expire(): void {
    this.lease = null;
  }

  #begun(lease: ModelLease): ModelLease {
    [this.moves, this.beats] = [0, 0];
    this.lease = lease;
    return lease;
  }

  #renewed(held: ModelLease, heartbeat: RenewRequest['heartbeat']): ModelLease {
    this.moves += 1;
    if (heartbeat === 'beat') this.beats += 1;
    if (heartbeat === 'beat') this.members.add(held.nodeId);
    return held;
  }
}
