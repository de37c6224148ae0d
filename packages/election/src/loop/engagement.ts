import type { LeaseStore } from '../contract/lease-store.ts';
import { Alarm } from '../node/alarm.ts';
import type { Standing } from '../node/standing.ts';
import { campaign } from './campaign.ts';
import { follow, rest } from './follow.ts';
import { lead } from './lead.ts';
import { StoreCalls } from './store-calls.ts';

/** One node's taking part from `start` to `stop`: a single line of steps, so that nothing overtakes anything. */
export class Engagement {
  readonly standing: Standing;
  readonly store: StoreCalls;
  readonly alarm: Alarm;
  /** Until then others are let first, unless another one was seen to lead. */
  standBackUntilMs: number = Number.NEGATIVE_INFINITY;
  nextBeatMs: number = Number.NEGATIVE_INFINITY;
  /** The token of the lease that was last found left behind, and given back. */
  discarded: string | null = null;
  /** The store did not answer the last look. */
  blind = false;
  #stopping = false;
  #hinted = false;
  #asked: (() => void)[] = [];
  #deposed: number | null = null;
  readonly #done: Promise<void>;
  readonly #firstLook = Promise.withResolvers<void>();

  constructor(standing: Standing, store: LeaseStore) {
    this.standing = standing;
    this.alarm = new Alarm(standing.settings.clock);
    standing.begin(() => this.alarm.ring());
    this.store = new StoreCalls(store, standing.settings, () => {
      standing.counters.storeErrors += 1;
    });
    const endHints = store.onHint(() => this.#hint());
    this.#done = this.#takePart().finally(endHints);
  }

  get stopping(): boolean {
    return this.#stopping;
  }

  /** Somebody waits for a campaign. */
  get asked(): boolean {
    return this.#asked.length > 0;
  }

  get nowMs(): number {
    return this.standing.settings.clock.monotonicMs();
  }

  get firstLook(): Promise<void> {
    return this.#firstLook.promise;
  }

  looked(): void {
    this.#firstLook.resolve();
  }

  /** Whether a hint came since this was last asked. */
  takeHint(): boolean {
    const hinted = this.#hinted;
    this.#hinted = false;
    return hinted;
  }

  /** Resolves when a look that begins after this, and the campaign it may lead to, are over. */
  ask(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#stopping) return resolve();
      this.#asked.push(resolve);
      this.alarm.ring();
    });
  }

  /** As `ask`, and the leader of this term is one to be replaced. */
  depose(term: number): Promise<void> {
    this.#deposed = term;
    return this.ask();
  }

  /** The term whose leader is to be replaced, for the look that follows. */
  takeDeposed(): number | null {
    const deposed = this.#deposed;
    this.#deposed = null;
    return deposed;
  }

  /** Those who have asked so far; the look that follows is theirs. */
  takeAsked(): () => void {
    const asked = this.#asked;
    this.#asked = [];
    return () => {
      for (const answer of asked) answer();
    };
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.standing.tenure?.part('stopped');
    this.alarm.ring();
    const untilMs = this.nowMs + this.standing.settings.ttlMs;
    await this.#done;
    while (!this.standing.works.idle && this.nowMs < untilMs) await this.alarm.sleep(untilMs - this.nowMs);
    await this.store.close();
  }

  async #takePart(): Promise<void> {
    await this.#delayStart();
    while (!this.#stopping) {
      const plan = await follow(this);
      if (plan === null) break;
      const tenure = await campaign(this, plan);
      plan.answer();
      if (tenure !== null) this.takeAsked()();
      await (tenure === null ? rest(this) : lead(this, tenure));
    }
    await this.#leaveNothing();
    this.takeAsked()();
    this.looked();
  }

  /** A campaign whose answer came too late, or never, may have been won. */
  async #leaveNothing(): Promise<void> {
    const { identity, settings } = this.standing;
    const { nodeId } = settings.candidate;
    await Promise.all(identity.doubtful.map((token) => this.store.release({ nodeId, token })));
    identity.settle();
  }

  #hint(): void {
    this.#hinted = true;
    this.alarm.ring();
  }

  async #delayStart(): Promise<void> {
    const untilMs = this.nowMs + Math.random() * this.standing.settings.startDelayMs;
    while (!this.#stopping && !this.asked && this.nowMs < untilMs) await this.alarm.sleep(untilMs - this.nowMs);
  }
}
