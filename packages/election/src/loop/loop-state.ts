import type { LeaseStore } from '../contract/lease-store.ts';
import { Alarm } from '../node/alarm.ts';
import type { NodeState } from '../node/node-state.ts';
import { StoreClient } from './store-client.ts';

/** The state that the steps of an election loop share. It records calls from outside, and wakes the loop. */
export class LoopState {
  readonly node: NodeState;
  readonly store: StoreClient;
  readonly alarm: Alarm;
  /** Until then this node lets others lead, unless it has seen another one lead. */
  standBackUntilMs: number = Number.NEGATIVE_INFINITY;
  nextHeartbeatMs: number = Number.NEGATIVE_INFINITY;
  /** The token of the last lease that was left over from an earlier leadership, and given back. */
  discardedToken: string | null = null;
  /** The store did not answer the last look. */
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

  /** Resolves after the first look at the store, or when the loop ends. */
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

  /** Whether a hint came since the last call. */
  takeHint(): boolean {
    const isHinted = this.#isHinted;
    this.#isHinted = false;
    return isHinted;
  }

  /** Resolves when a look that begins after this call, and the campaign that may follow it, are over. */
  requestCampaign(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#isStopping) return resolve();
      this.#requests.push(resolve);
      this.alarm.ring();
    });
  }

  /** Like `requestCampaign`; the campaign replaces the leader of this term, even if it is live. */
  requestDeposition(term: number): Promise<void> {
    this.#deposedTerm = term;
    return this.requestCampaign();
  }

  /** Whether a caller waits for a campaign. */
  get isRequested(): boolean {
    return this.#requests.length > 0;
  }

  /** The term to depose, for the look that follows. */
  takeDeposedTerm(): number | null {
    const term = this.#deposedTerm;
    this.#deposedTerm = null;
    return term;
  }

  /** Takes all requests made so far, for the look that follows. Returns what resolves them. */
  takeRequests(): () => void {
    const requests = this.#requests;
    this.#requests = [];
    return () => {
      for (const resolve of requests) resolve();
    };
  }
}
