import { ElectionError } from '../contract/errors.ts';
import type { LossReason } from '../contract/events.ts';
import type { Leadership } from '../contract/leadership.ts';
import type { Lease } from '../contract/lease.ts';
import { type ClockReading, elapsedMs, marginMs, readClock } from './clock-reading.ts';
import type { Settings } from './settings.ts';

/** One leadership, on the node that leads. It calls `wake` when it ends, so that the loop reports the loss at once. */
export class LeaderSession implements Leadership {
  readonly lease: Lease;
  readonly #wonAtMs: number;
  readonly #settings: Settings;
  readonly #wake: () => void;
  readonly #controller = new AbortController();
  readonly #closed = Promise.withResolvers<void>();
  #sent: ClockReading;
  #progressAtMs: number;
  #over = false;
  #drain: { readonly reason: LossReason; readonly sinceMs: number } | null = null;

  /** `sent` is the time at which the request that won was sent. */
  constructor(lease: Lease, sent: ClockReading, settings: Settings, wake: () => void) {
    this.lease = { nodeId: lease.nodeId, token: lease.token, term: lease.term };
    this.#sent = sent;
    this.#settings = settings;
    this.#wake = wake;
    this.#wonAtMs = this.#progressAtMs = settings.clock.monotonicMs();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  isLeader(): boolean {
    return this.remainingMs() > 0;
  }

  // Once expired it stays expired, whatever the clocks say later, and whatever a late renewal answers.
  remainingMs(): number {
    if (this.#over) return 0;
    const { ttlMs } = this.#settings;
    const leftMs = ttlMs - marginMs(ttlMs) - this.ageMs;
    if (leftMs > 0) return leftMs;
    this.#over = true;
    this.#wake();
    return 0;
  }

  /** Milliseconds since the winning request, or the last successful renewal, was sent. */
  get ageMs(): number {
    return elapsedMs(this.#sent, readClock(this.#settings.clock));
  }

  assertValid(): void {
    if (!this.isLeader()) throw new ElectionError('ERR_ELECTION_NOT_LEADER', 'this node is no longer the leader');
  }

  reportProgress(): void {
    this.#progressAtMs = this.#settings.clock.monotonicMs();
  }

  renewed(sent: ClockReading): void {
    if (this.isLeader()) this.#sent = sent;
  }

  get ledMs(): number {
    return this.#settings.clock.monotonicMs() - this.#wonAtMs;
  }

  /** Milliseconds since the work last reported progress. */
  get sinceProgressMs(): number {
    return this.#settings.clock.monotonicMs() - this.#progressAtMs;
  }

  /** The reason for which the leadership is being given up while its work still runs; else `null`. */
  get drainReason(): LossReason | null {
    return this.#drain?.reason ?? null;
  }

  /** Milliseconds that the work still has to end after `drain`. */
  get drainLeftMs(): number {
    if (this.#drain === null) return Number.POSITIVE_INFINITY;
    return Math.max(0, this.#drain.sinceMs + this.#settings.ttlMs - this.#settings.clock.monotonicMs());
  }

  /** Begins a graceful end: aborts the work's signal and gives the work time to end. */
  drain(reason: LossReason): void {
    if (this.#drain !== null || this.#over) return;
    this.#drain = { reason, sinceMs: this.#settings.clock.monotonicMs() };
    this.#controller.abort();
    this.#wake();
  }

  /** Ends the leadership at once. */
  end(): void {
    this.#over = true;
    this.#controller.abort();
  }

  /** Resolves after `lost` was emitted and the lease was released. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  close(): void {
    this.#closed.resolve();
  }
}
