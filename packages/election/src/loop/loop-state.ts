import type { LeaseStore } from '../contract/lease-store.ts';
import { Alarm } from '../node/alarm.ts';
import type { NodeState } from '../node/node-state.ts';
import { StoreClient } from './store-client.ts';

/** The state that the steps of an election loop share. It records requests by callers, and wakes the loop. */
export class LoopState {
  readonly node: NodeState;
  readonly store: StoreClient;
  readonly alarm: Alarm;
  /** The time until which this node does not campaign, unless it sees another node lead earlier. */
  standBackUntilMs: number = Number.NEGATIVE_INFINITY;
  nextHeartbeatMs: number = Number.NEGATIVE_INFINITY;
  /** The token of the last lease that was left over from an earlier leadership and was released. */
  discardedToken: string | null = null;
  /** True if the store did not answer the last read. */
  isBlind = false;
  #isStopping = false;
  #isHinted = false;
  #requests: (() => void)[] = [];
  #deposedTerm: number | null = null;
  readonly #firstLook = Promise.withResolvers<void>();

  constructor(node: NodeState, store: LeaseStore) {
    this.node = node;
    this.alarm = new Alarm(node.settings.clock);
    this.store = new StoreClient(store, node.settings, () => {
      node.counters.storeErrors += 1;
    });
  }

  get nowMs(): number {
    return this.node.settings.clock.monotonicMs();
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  stop(): void {
    this.#isStopping = true;
    this.node.session?.drain('stopped');
    this.alarm.ring();
  }

  /** Resolves after the first read of the store, or when the loop ends. */
  get firstLook(): Promise<void> {
    return this.#firstLook.promise;
  }

  looked(): void {
    this.#firstLook.resolve();
  }

  hint(): void {
    this.#isHinted = true;
    this.alarm.ring();
  }

  /** Returns true if a hint has arrived since the last call. */
  takeHint(): boolean {
    const isHinted = this.#isHinted;
    this.#isHinted = false;
    return isHinted;
  }

  /** Requests a read of the store. Resolves after that read and the campaign that may follow it. */
  requestCampaign(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#isStopping) return resolve();
      this.#requests.push(resolve);
      this.alarm.ring();
    });
  }

  /** Does the same as `requestCampaign`, and the campaign replaces the leader of this term even if it is live. */
  requestDeposition(term: number): Promise<void> {
    this.#deposedTerm = term;
    return this.requestCampaign();
  }

  /** True if a caller waits for a campaign. */
  get isRequested(): boolean {
    return this.#requests.length > 0;
  }

  /** Returns and clears the term to depose, for the next read. */
  takeDeposedTerm(): number | null {
    const term = this.#deposedTerm;
    this.#deposedTerm = null;
    return term;
  }

  /** Removes all requests made so far, for the next read. Returns a function that resolves them. */
  takeRequests(): () => void {
    const requests = this.#requests;
    this.#requests = [];
    return () => {
      for (const resolve of requests) resolve();
    };
  }
}
