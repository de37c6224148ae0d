import type { LossReason } from '../contract/events.ts';
import type { RenewReply, RenewRequest } from '../contract/lease-store.ts';
import type { Moment } from '../node/moment.ts';
import type { Settings } from '../node/settings.ts';
import type { Tenure } from '../node/tenure.ts';
import type { Engagement } from './engagement.ts';
import type { Answer } from './store-calls.ts';

const longestPauseMs = 250;

/** Keeps the lease of one leadership alive. One call at a time; answers that come after its end change nothing. */
export class Renewal {
  readonly #engagement: Engagement;
  readonly #tenure: Tenure;
  #dueMs: number;
  #underWay = false;
  #verdict: LossReason | null = null;

  constructor(engagement: Engagement, tenure: Tenure) {
    this.#engagement = engagement;
    this.#tenure = tenure;
    this.#dueMs = engagement.nowMs + engagement.standing.settings.renewMs - tenure.ageMs;
  }

  /** What the store said: that the lease is another's, or nobody's. */
  get verdict(): LossReason | null {
    return this.#verdict;
  }

  get dueInMs(): number {
    return this.#underWay ? Number.POSITIVE_INFINITY : this.#dueMs - this.#engagement.nowMs;
  }

  /** Something happened to the lease: ask now. */
  hasten(): void {
    this.#dueMs = this.#engagement.nowMs;
  }

  sendIfDue(): void {
    if (this.dueInMs > 0) return;
    const { nowMs, alarm, standing } = this.#engagement;
    this.#dueMs = nowMs + standing.settings.renewMs;
    this.#underWay = true;
    void this.#renew().finally(() => {
      this.#underWay = false;
      alarm.ring();
    });
  }

  async #renew(): Promise<void> {
    const { store, standing, nowMs } = this.#engagement;
    const answer = await this.#settle(await store.renew(this.#tenure.lease, this.#request()));
    if (answer.kind === 'none') return this.#failed();
    standing.counters.renewals += 1;
    standing.counters.lastRenewalMs = this.#engagement.nowMs - nowMs;
    this.#learn(answer.value, answer.sent);
  }

  /** A store that lost its data is given the lease back, as long as it is still this node's. */
  async #settle(answer: Answer<RenewReply>): Promise<Answer<RenewReply>> {
    if (answer.kind === 'none' || answer.value.kind === 'renewed') return answer;
    const { lease, term } = answer.value;
    if (lease !== null || term >= this.#tenure.lease.term || !this.#tenure.isLeader()) return answer;
    return this.#engagement.store.reinstate(this.#tenure.lease, this.#request());
  }

  #learn(reply: RenewReply, sent: Moment): void {
    if (reply.kind === 'renewed') this.#tenure.renewed(sent);
    else this.#verdict = this.#lossBy(reply);
  }

  // An answer after the leadership has ended says nothing about it: the lease was released by then.
  #lossBy({ lease, term }: Extract<RenewReply, { kind: 'lost' }>): LossReason | null {
    const { standing } = this.#engagement;
    if (standing.tenure !== this.#tenure || !this.#tenure.isLeader()) return null;
    standing.sightings.learnTerm(term);
    if (lease === null || !standing.identity.isTwin(lease)) return 'taken';
    if (standing.identity.report(lease.token)) standing.conflict(lease);
    return 'conflict';
  }

  #failed(): void {
    const { standing, nowMs } = this.#engagement;
    const { renewMs } = standing.settings;
    standing.counters.renewalFailures += 1;
    this.#dueMs = nowMs + Math.min(longestPauseMs, Math.ceil(renewMs / 10));
  }

  #request(): RenewRequest {
    const { settings } = this.#engagement.standing;
    const { candidate, ttlMs } = settings;
    const heartbeat = this.#tenure.standstillMs >= stillAfterMs(settings) ? 'still' : 'beat';
    return { candidate, ttlMs, heartbeat };
  }
}

/** Late enough that a leader which can still resign, and its work end, is not replaced before. */
function stillAfterMs({ progressTimeoutMs, staleHeartbeatMs, ttlMs }: Settings): number {
  return Math.max(progressTimeoutMs / 2, progressTimeoutMs + ttlMs - staleHeartbeatMs);
}
