import type { LossReason } from '../contract/events.ts';
import type { RenewReply, RenewRequest } from '../contract/lease-store.ts';
import type { ClockReading } from '../node/clock-reading.ts';
import type { LeaderSession } from '../node/leader-session.ts';
import type { Settings } from '../node/settings.ts';
import type { LoopState } from './loop-state.ts';
import type { Answer } from './store-client.ts';

const longestPauseMs = 250;

/** Renews the lease of one leadership, one call at a time. Answers that arrive after its end change nothing. */
export class Renewal {
  readonly #state: LoopState;
  readonly #session: LeaderSession;
  #dueMs: number;
  #isUnderWay = false;
  #loss: LossReason | null = null;

  constructor(state: LoopState, session: LeaderSession) {
    this.#state = state;
    this.#session = session;
    this.#dueMs = state.nowMs + state.node.settings.renewMs - session.ageMs;
  }

  /** The reason of a loss, after the store answered that the lease is gone or is another node's; else `null`. */
  get loss(): LossReason | null {
    return this.#loss;
  }

  get dueInMs(): number {
    return this.#isUnderWay ? Number.POSITIVE_INFINITY : this.#dueMs - this.#state.nowMs;
  }

  /** Makes the next renewal due now, because the lease may have changed. */
  hasten(): void {
    this.#dueMs = this.#state.nowMs;
  }

  sendIfDue(): void {
    if (this.dueInMs > 0) return;
    const { nowMs, alarm, node } = this.#state;
    this.#dueMs = nowMs + node.settings.renewMs;
    this.#isUnderWay = true;
    void this.#renew().finally(() => {
      this.#isUnderWay = false;
      alarm.ring();
    });
  }

  async #renew(): Promise<void> {
    const { store, node, nowMs } = this.#state;
    const answer = await this.#reinstateIfLost(await store.renew(this.#session.lease, this.#request()));
    if (answer.kind === 'none') return this.#failed();
    node.counters.renewals += 1;
    node.counters.lastRenewalMs = this.#state.nowMs - nowMs;
    this.#take(answer.value, answer.sent);
  }

  /** Puts the lease back into a store that lost its data, as long as this node still leads. */
  async #reinstateIfLost(answer: Answer<RenewReply>): Promise<Answer<RenewReply>> {
    if (answer.kind === 'none' || answer.value.kind === 'renewed') return answer;
    const { lease, term } = answer.value;
    if (lease !== null || term >= this.#session.lease.term || !this.#session.isLeader()) return answer;
    return this.#state.store.reinstate(this.#session.lease, this.#request());
  }

  #take(reply: RenewReply, sent: ClockReading): void {
    if (reply.kind === 'renewed') this.#session.renewed(sent);
    else this.#loss = this.#lossBy(reply);
  }

  // An answer that comes after the leadership has ended proves nothing: the lease was released by then.
  #lossBy({ lease, term }: Extract<RenewReply, { kind: 'lost' }>): LossReason | null {
    const { node } = this.#state;
    if (node.session !== this.#session || !this.#session.isLeader()) return null;
    node.observer.observeTerm(term);
    if (lease === null || !node.identity.isDuplicate(lease)) return 'taken';
    if (node.identity.report(lease.token)) node.conflict(lease);
    return 'conflict';
  }

  #failed(): void {
    const { node, nowMs } = this.#state;
    const { renewMs } = node.settings;
    node.counters.renewalFailures += 1;
    this.#dueMs = nowMs + Math.min(longestPauseMs, Math.ceil(renewMs / 10));
  }

  #request(): RenewRequest {
    const { settings } = this.#state.node;
    const { candidate, ttlMs } = settings;
    const heartbeat = this.#session.sinceProgressMs >= stillAfterMs(settings) ? 'still' : 'beat';
    return { candidate, ttlMs, heartbeat };
  }
}

/** Late enough that a leader which can still resign, and whose work can still end, is not replaced before it does. */
function stillAfterMs({ progressTimeoutMs, staleHeartbeatMs, ttlMs }: Settings): number {
  return Math.max(progressTimeoutMs / 2, progressTimeoutMs + ttlMs - staleHeartbeatMs);
}
