import type { HeldLease, Member } from '../contract/lease.ts';
import type { CampaignRequest, Observation, StaleLease } from '../contract/lease-store.ts';
import { patienceMs } from './clock-reading.ts';
import type { Settings } from './settings.ts';

/** A follower's next step, decided from its observations. */
export type Decision =
  | { readonly kind: 'wait'; readonly nextLookMs: number }
  | ({ readonly kind: 'campaign' } & Pick<CampaignRequest, 'dataLoss' | 'takeover'>);

/** A number of a lease that a live holder raises, and since when it has not changed. */
interface Standstill {
  readonly token: string;
  readonly value: number;
  readonly sinceMs: number;
}

const stepMs = 50;

/**
 * Keeps one node's observations of the lease, with times of its own monotonic clock. They are kept over `stop` and `start`,
 * except how long the lease was unchanged.
 */
export class LeaseObserver {
  readonly #settings: Settings;
  highestTerm = 0;
  #members: readonly Member[] = [];
  #last: Observation = { lease: null, term: 0 };
  #lastHolder: string | null = null;
  #lastLeaseUntilMs = Number.NEGATIVE_INFINITY;
  /** When this node first noticed that the store has lost its data. */
  #lossNoticedMs: number | null = null;
  #seq: Standstill | null = null;
  #heartbeat: Standstill | null = null;
  #staleLooks = 0;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  forgetStandstill(): void {
    this.#seq = this.#heartbeat = null;
    this.#staleLooks = 0;
  }

  observeTerm(term: number): void {
    this.highestTerm = Math.max(this.highestTerm, term);
  }

  observeMembers(members: readonly Member[]): void {
    this.#members = members;
  }

  observe(observation: Observation): void {
    this.#last = observation;
    const { lease, term } = observation;
    const nowMs = this.#nowMs();
    // Compared before the term is noted: a store has lost its data where its term is below the highest one seen.
    this.#lossNoticedMs = term < this.highestTerm && lease === null ? (this.#lossNoticedMs ?? nowMs) : null;
    this.observeTerm(Math.max(term, lease?.term ?? 0));
    if (lease === null) return;
    this.#lastHolder = lease.nodeId;
    this.#lastLeaseUntilMs = nowMs + patienceMs(lease.remainingMs ?? this.#settings.ttlMs);
    this.#seq = standstill(this.#seq, lease.token, lease.seq, nowMs);
    this.#observeHeartbeat(lease, nowMs);
  }

  /** Records a lease that this node won. Later decisions of the node do not wait for the end of this lease. */
  observeOwn(lease: HeldLease): void {
    this.observeTerm(lease.term);
    this.#lastHolder = lease.nodeId;
    this.#lastLeaseUntilMs = Number.NEGATIVE_INFINITY;
    this.forgetStandstill();
  }

  /** The lease at the last read; `null` if there was none. */
  get lease(): HeldLease | null {
    return this.#last.lease;
  }

  /** Returns the next step. The leader of `deposedTerm` is replaced even if it is live. */
  decide(deposedTerm: number | null): Decision {
    const { lease } = this.#last;
    if (lease === null) return this.#decideOnFreeLease();
    return lease.term === deposedTerm ? this.#takeover({ token: lease.token }) : this.#decideOnHeldLease(lease);
  }

  /** How long this node waits for nodes of higher priority to campaign. It ignores the last holder, which just failed or left. */
  get yieldMs(): number {
    const own = this.#settings.candidate;
    const rivals = this.#members.filter(({ alive, nodeId }) => alive && nodeId !== this.#lastHolder);
    const highest = Math.max(own.priority, ...rivals.map(({ priority }) => priority));
    return (highest - own.priority) * stepMs;
  }

  #decideOnFreeLease(): Decision {
    const isDataLost = this.#last.term < this.highestTerm;
    const leftMs = this.#mayLeadUntilMs - this.#nowMs();
    if (isDataLost && leftMs > 0) return { kind: 'wait', nextLookMs: leftMs };
    return { kind: 'campaign', dataLoss: isDataLost ? 'accept' : 'wait', takeover: null };
  }

  /**
   * Until when a holder whose lease was lost with the store's data may still lead. Its last renewal may have come after this
   * node's last look. So its whole time counts from when the loss was noticed, not the time left at that look.
   */
  get #mayLeadUntilMs(): number {
    if (this.#lossNoticedMs === null || this.#lastLeaseUntilMs === Number.NEGATIVE_INFINITY)
      return this.#lastLeaseUntilMs;
    return Math.max(this.#lastLeaseUntilMs, this.#lossNoticedMs + patienceMs(this.#settings.ttlMs));
  }

  #decideOnHeldLease({ token, seq, hbSeq, remainingMs }: HeldLease): Decision {
    const patience = patienceMs(this.#settings.ttlMs);
    const seqMs = this.#unchangedMs(this.#seq);
    if (seqMs >= patience) return this.#takeover({ token, seq });
    if (this.#staleLooks > 1) return this.#takeover({ token, hbSeq });
    const heartbeatLeftMs = this.#settings.staleHeartbeatMs - this.#unchangedMs(this.#heartbeat);
    const expiryMs = (remainingMs ?? Number.POSITIVE_INFINITY) + 1;
    const nextLookMs = Math.min(expiryMs, patience - seqMs, heartbeatLeftMs > 0 ? heartbeatLeftMs : expiryMs);
    return { kind: 'wait', nextLookMs };
  }

  // The store checks again that the lease has not moved. So it is safe to accept its data loss.
  #takeover(takeover: StaleLease): Decision {
    const dataLoss = this.#last.term < this.highestTerm ? 'accept' : 'wait';
    return { kind: 'campaign', dataLoss, takeover };
  }

  #observeHeartbeat({ token, hbSeq }: HeldLease, nowMs: number): void {
    const before = this.#heartbeat;
    this.#heartbeat = standstill(before, token, hbSeq, nowMs);
    const isStale = this.#heartbeat === before && this.#unchangedMs(this.#heartbeat) >= this.#settings.staleHeartbeatMs;
    this.#staleLooks = isStale ? this.#staleLooks + 1 : 0;
  }

  #unchangedMs(standstill: Standstill | null): number {
    return standstill === null ? 0 : this.#nowMs() - standstill.sinceMs;
  }

  #nowMs(): number {
    return this.#settings.clock.monotonicMs();
  }
}

function standstill(before: Standstill | null, token: string, value: number, nowMs: number): Standstill {
  return before?.token === token && before.value === value ? before : { token, value, sinceMs: nowMs };
}
