import { ElectionError } from '../contract/errors.ts';
import type { LossReason } from '../contract/events.ts';
import type { Leadership } from '../contract/leadership.ts';
import type { Lease } from '../contract/lease.ts';
import { elapsedMs, type Moment, marginMs, momentOf } from './moment.ts';
import type { Settings } from './settings.ts';

/** A leadership from its holder's side. Whoever finds it over rings, so that the loss is told at once. */
export class Tenure implements Leadership {
  readonly lease: Lease;
  readonly #wonAtMs: number;
  readonly #settings: Settings;
  readonly #ring: () => void;
  readonly #controller = new AbortController();
  readonly #closed = Promise.withResolvers<void>();
  #sent: Moment;
  #progressAtMs: number;
  #over = false;
  #parting: { readonly reason: LossReason; readonly atMs: number } | null = null;

  constructor(lease: Lease, sent: Moment, settings: Settings, ring: () => void) {
    this.lease = { nodeId: lease.nodeId, token: lease.token, term: lease.term };
    this.#sent = sent;
    this.#settings = settings;
    this.#ring = ring;
    this.#wonAtMs = this.#progressAtMs = settings.clock.monotonicMs();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  isLeader(): boolean {
    return this.remainingMs() > 0;
  }

  // Once out of time it stays so, whatever the clocks say later and whatever a late renewal's answer.
  remainingMs(): number {
    if (this.#over) return 0;
    const { ttlMs } = this.#settings;
    const leftMs = ttlMs - marginMs(ttlMs) - this.ageMs;
    if (leftMs > 0) return leftMs;
    this.#over = true;
    this.#ring();
    return 0;
  }

  /** How long ago the request was sent to which it owes its time. */
  get ageMs(): number {
    return elapsedMs(this.#sent, momentOf(this.#settings.clock));
  }

  assertValid(): void {
    if (!this.isLeader()) throw new ElectionError('ERR_ELECTION_NOT_LEADER', 'this node does not lead any more');
  }

  reportProgress(): void {
    this.#progressAtMs = this.#settings.clock.monotonicMs();
  }

  renewed(sent: Moment): void {
    if (this.isLeader()) this.#sent = sent;
  }

  get ledMs(): number {
    return this.#settings.clock.monotonicMs() - this.#wonAtMs;
  }

  /** How long ago the work last reported progress. */
  get standstillMs(): number {
    return this.#settings.clock.monotonicMs() - this.#progressAtMs;
  }

  /** Why it is being given up, while the work drains. */
  get parting(): LossReason | null {
    return this.#parting?.reason ?? null;
  }

  /** How long the work may still take to end. */
  get drainMs(): number {
    if (this.#parting === null) return Number.POSITIVE_INFINITY;
    return Math.max(0, this.#parting.atMs + this.#settings.ttlMs - this.#settings.clock.monotonicMs());
  }

  /** Begins a graceful end: the work is told to end, and is waited for. */
  part(reason: LossReason): void {
    if (this.#parting !== null || this.#over) return;
    this.#parting = { reason, atMs: this.#settings.clock.monotonicMs() };
    this.#controller.abort();
    this.#ring();
  }

  /** Resolves when everybody has been told `lost` and the lease was given back. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  close(): void {
    this.#closed.resolve();
  }

  end(): void {
    this.#over = true;
    this.#controller.abort();
  }
}
