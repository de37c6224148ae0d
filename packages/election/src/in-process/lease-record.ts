import type { ElectionClock } from '../contract/clock.ts';
import { type HeldLease, type Lease, type Member, sameLease } from '../contract/lease.ts';
import {
  type CampaignReply,
  type CampaignRequest,
  type Candidate,
  type Hint,
  heartbeatExtraMs,
  isStale,
  nextTerm,
  type Observation,
  type RenewReply,
  type RenewRequest,
} from '../contract/lease-store.ts';

type KeptLease = Omit<HeldLease, 'remainingMs'> & { readonly ttlMs: number; readonly untilMs: number };
type Heartbeat = Candidate & { readonly atMs: number; readonly untilMs: number };

/** One election of this process: its lease, term and members. Every verb is one synchronous step. */
export class LeaseRecord {
  readonly #clock: ElectionClock;
  readonly #members = new Map<string, Heartbeat>();
  readonly #listeners = new Set<(hint: Hint) => void>();
  #kept: KeptLease | null = null;
  #term = 0;

  constructor(clock: ElectionClock) {
    this.#clock = clock;
  }

  observe(): Observation {
    const live = this.#live();
    return { lease: live && this.#view(live), term: this.#term };
  }

  campaign({ candidate, token, ttlMs, floor, dataLoss, takeover }: CampaignRequest): CampaignReply {
    const live = this.#live();
    if (live !== null && live.nodeId === candidate.nodeId && live.token === token) {
      return { kind: 'won', lease: this.#renewed(live, { candidate, ttlMs, heartbeat: 'beat' }), forced: null };
    }
    if (live !== null && !isStale(live, takeover)) return { kind: 'held', lease: this.#view(live), term: this.#term };
    if (this.#term < floor && dataLoss === 'wait') return { kind: 'forgotten', term: this.#term };
    const term = nextTerm(this.#term, floor, this.#clock.wallMs() / 1000);
    const lease = this.#granted({ nodeId: candidate.nodeId, token, term }, { candidate, ttlMs, heartbeat: 'beat' }, 0);
    this.#trim();
    return { kind: 'won', lease, forced: live && this.#view(live) };
  }

  renew(lease: Lease, request: RenewRequest): RenewReply {
    const live = this.#live();
    if (live === null || !sameLease(live, lease)) return { kind: 'lost', ...this.observe() };
    return { kind: 'renewed', lease: this.#renewed(live, request) };
  }

  reinstate(lease: Lease, request: RenewRequest): RenewReply {
    const live = this.#live();
    if (live !== null && sameLease(live, lease)) return this.renew(lease, request);
    if (live !== null || this.#term >= lease.term) return { kind: 'lost', ...this.observe() };
    return { kind: 'renewed', lease: this.#granted(lease, request, Math.floor(this.#clock.wallMs())) };
  }

  release({ nodeId, token }: Pick<Lease, 'nodeId' | 'token'>): boolean {
    if (this.#kept?.nodeId !== nodeId || this.#kept.token !== token) return false;
    this.remove();
    return true;
  }

  remove(): void {
    this.#kept = null;
    this.#notify('released');
  }

  extend(): void {
    const live = this.#live();
    if (live !== null) this.#kept = { ...live, untilMs: this.#clock.monotonicMs() + live.ttlMs };
  }

  heartbeat(candidate: Candidate, ttlMs: number): Member[] {
    const atMs = this.#clock.monotonicMs();
    const { nodeId, address, priority } = candidate;
    this.#members.set(nodeId, { nodeId, address, priority, atMs, untilMs: atMs + ttlMs + heartbeatExtraMs });
    return this.members();
  }

  members(): Member[] {
    const nowMs = this.#clock.monotonicMs();
    return [...this.#members.values()].map(({ atMs, untilMs, ...who }) => {
      return { ...who, ageMs: nowMs - atMs, alive: nowMs < untilMs };
    });
  }

  onHint(listener: (hint: Hint) => void): () => void {
    const own = (hint: Hint) => listener(hint);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  #live(): KeptLease | null {
    return this.#kept !== null && this.#clock.monotonicMs() < this.#kept.untilMs ? this.#kept : null;
  }

  #view({ untilMs, ttlMs, ...lease }: KeptLease): HeldLease {
    return { ...lease, remainingMs: untilMs - this.#clock.monotonicMs() };
  }

  #granted({ nodeId, token, term }: Lease, request: RenewRequest, moved: number): HeldLease {
    const { address, priority } = request.candidate;
    const kept = { nodeId, token, term, seq: moved, hbSeq: moved, address, priority, ttlMs: request.ttlMs, untilMs: 0 };
    this.#term = term;
    const lease = this.#renewed(kept, request);
    this.#notify('acquired');
    return lease;
  }

  #renewed(lease: KeptLease, { candidate, ttlMs, heartbeat }: RenewRequest): HeldLease {
    const beats = heartbeat === 'beat' ? 1 : 0;
    if (beats > 0) this.heartbeat(candidate, ttlMs);
    const untilMs = this.#clock.monotonicMs() + ttlMs;
    this.#kept = { ...lease, seq: lease.seq + 1, hbSeq: lease.hbSeq + beats, ttlMs, untilMs };
    return this.#view(this.#kept);
  }

  #trim(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [nodeId, { untilMs }] of this.#members) if (untilMs <= nowMs) this.#members.delete(nodeId);
  }

  // Never inside a verb: like a message from another host, a hint must find the step finished.
  #notify(hint: Hint): void {
    for (const listener of this.#listeners) {
      queueMicrotask(() => {
        if (this.#listeners.has(listener)) listener(hint);
      });
    }
  }
}
