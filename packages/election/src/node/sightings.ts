import type { HeldLease, Member } from '../contract/lease.ts';
import type { CampaignRequest, Observation, StaleLease } from '../contract/lease-store.ts';
import { patienceMs } from './moment.ts';
import type { Settings } from './settings.ts';

/** What a follower concludes from what it saw. */
export type Conclusion =
  | { readonly kind: 'wait'; readonly nextLookMs: number }
  | ({ readonly kind: 'campaign' } & Pick<CampaignRequest, 'dataLoss' | 'takeover'>);

/** A value of a lease that ought to move, and since when it has not. */
interface Standstill {
  readonly token: string;
  readonly value: number;
  readonly sinceMs: number;
}

const stepMs = 50;

/** What one node has seen of the lease, on its own monotonic clock. Survives `stop`, but for what only a live follower knows. */
export class Sightings {
  readonly #settings: Settings;
  /** The highest term seen. */
  floor = 0;
  #members: readonly Member[] = [];
  #last: Observation = { lease: null, term: 0 };
  #lastHolder: string | null = null;
  #lastLeaseUntilMs = Number.NEGATIVE_INFINITY;
  /** When the store was first found without what this node knows it had. */
  #lossNoticedMs: number | null = null;
  #seq: Standstill | null = null;
  #beat: Standstill | null = null;
  #staleLooks = 0;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** A new beginning: what stood still before may have moved meanwhile. */
  forgetStandstill(): void {
    this.#seq = this.#beat = null;
    this.#staleLooks = 0;
  }

  learnTerm(term: number): void {
    this.floor = Math.max(this.floor, term);
  }

  learnMembers(members: readonly Member[]): void {
    this.#members = members;
  }

  learn(observation: Observation): void {
    this.#last = observation;
    const { lease, term } = observation;
    const nowMs = this.#nowMs();
    this.#lossNoticedMs = term < this.floor && lease === null ? (this.#lossNoticedMs ?? nowMs) : null;
    // The store's own term last: where it has lost its data, that is told by its being lower than what is remembered.
    this.learnTerm(Math.max(term, lease?.term ?? 0));
    if (lease === null) return;
    this.#lastHolder = lease.nodeId;
    this.#lastLeaseUntilMs = nowMs + patienceMs(lease.remainingMs ?? this.#settings.ttlMs);
    this.#seq = standstill(this.#seq, lease.token, lease.seq, nowMs);
    this.#learnBeat(lease, nowMs);
  }

  /** The own lease is not to be waited for. */
  learnOwn(lease: HeldLease): void {
    this.learnTerm(lease.term);
    this.#lastHolder = lease.nodeId;
    this.#lastLeaseUntilMs = Number.NEGATIVE_INFINITY;
    this.forgetStandstill();
  }

  /** The lease, as last seen. */
  get lease(): HeldLease | null {
    return this.#last.lease;
  }

  conclude(deposed: number | null): Conclusion {
    const { lease } = this.#last;
    if (lease === null) return this.#concludeFree();
    return lease.term === deposed ? this.#takeover({ token: lease.token }) : this.#concludeHeld(lease);
  }

  /** How long this node lets those of higher priority go first. The last holder is not waited for: it has just failed or left. */
  get courtesyMs(): number {
    const own = this.#settings.candidate;
    const rivals = this.#members.filter(({ alive, nodeId }) => alive && nodeId !== this.#lastHolder);
    const highest = Math.max(own.priority, ...rivals.map(({ priority }) => priority));
    return (highest - own.priority) * stepMs;
  }

  #concludeFree(): Conclusion {
    const dataLost = this.#last.term < this.floor;
    const leftMs = this.#maybeLedUntilMs - this.#nowMs();
    if (dataLost && leftMs > 0) return { kind: 'wait', nextLookMs: leftMs };
    return { kind: 'campaign', dataLoss: dataLost ? 'accept' : 'wait', takeover: null };
  }

  /**
   * The holder of a lease that went with the store's data may lead on. Its last renewal may have been after this node's last
   * look, so the lease's whole time counts from when the loss was noticed, not what was left of it at that look.
   */
  get #maybeLedUntilMs(): number {
    if (this.#lossNoticedMs === null || this.#lastLeaseUntilMs === Number.NEGATIVE_INFINITY)
      return this.#lastLeaseUntilMs;
    return Math.max(this.#lastLeaseUntilMs, this.#lossNoticedMs + patienceMs(this.#settings.ttlMs));
  }

  #concludeHeld({ token, seq, hbSeq, remainingMs }: HeldLease): Conclusion {
    const patience = patienceMs(this.#settings.ttlMs);
    const seqMs = this.#standsForMs(this.#seq);
    if (seqMs >= patience) return this.#takeover({ token, seq });
    if (this.#staleLooks > 1) return this.#takeover({ token, hbSeq });
    const beatLeftMs = this.#settings.staleHeartbeatMs - this.#standsForMs(this.#beat);
    const expiryMs = (remainingMs ?? Number.POSITIVE_INFINITY) + 1;
    return { kind: 'wait', nextLookMs: Math.min(expiryMs, patience - seqMs, beatLeftMs > 0 ? beatLeftMs : expiryMs) };
  }

  // The campaign for a lease that is to be taken away says again what must not have moved, so nothing is lost by accepting.
  #takeover(takeover: StaleLease): Conclusion {
    const dataLoss = this.#last.term < this.floor ? 'accept' : 'wait';
    return { kind: 'campaign', dataLoss, takeover };
  }

  #learnBeat({ token, hbSeq }: HeldLease, nowMs: number): void {
    const before = this.#beat;
    this.#beat = standstill(before, token, hbSeq, nowMs);
    const stale = this.#beat === before && this.#standsForMs(this.#beat) >= this.#settings.staleHeartbeatMs;
    this.#staleLooks = stale ? this.#staleLooks + 1 : 0;
  }

  #standsForMs(standstill: Standstill | null): number {
    return standstill === null ? 0 : this.#nowMs() - standstill.sinceMs;
  }

  #nowMs(): number {
    return this.#settings.clock.monotonicMs();
  }
}

function standstill(before: Standstill | null, token: string, value: number, nowMs: number): Standstill {
  return before?.token === token && before.value === value ? before : { token, value, sinceMs: nowMs };
}
