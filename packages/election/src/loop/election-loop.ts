import type { Member } from '../contract/lease.ts';
import type { LeaseStore } from '../contract/lease-store.ts';
import type { NodeState } from '../node/node-state.ts';
import { campaign } from './campaign.ts';
import { follow, rest } from './follow.ts';
import { lead } from './lead.ts';
import { LoopState } from './loop-state.ts';

/** The loop of one node from `start` to `stop`: follow, campaign, lead, repeat. Its steps run one after the other. */
export class ElectionLoop {
  readonly #state: LoopState;
  readonly #done: Promise<void>;

  constructor(node: NodeState, store: LeaseStore) {
    const state = new LoopState(node, store);
    this.#state = state;
    node.begin(() => state.alarm.ring());
    const endHints = store.onHint(() => state.hint());
    this.#done = this.#run().finally(endHints);
  }

  /** Resolves after the first read of the store, or when the loop ends. */
  get firstLook(): Promise<void> {
    return this.#state.firstLook;
  }

  /** Requests a read of the store. Resolves after that read and the campaign that may follow it. */
  campaign(): Promise<void> {
    return this.#state.requestCampaign();
  }

  /** Does the same as `campaign`, and replaces the leader of this term even if it is live. */
  depose(term: number): Promise<void> {
    return this.#state.requestDeposition(term);
  }

  /** Returns the members of the election. @throws the store's error */
  async members(): Promise<Member[]> {
    const answer = await this.#state.store.members();
    if (answer.kind === 'answer') return answer.value;
    throw answer.error;
  }

  /** Ends the loop, waits for the leader's work for up to `ttlMs`, and closes the store. */
  async stop(): Promise<void> {
    const { node, alarm, store } = this.#state;
    this.#state.stop();
    const untilMs = this.#state.nowMs + node.settings.ttlMs;
    await this.#done;
    while (!node.work.isIdle && this.#state.nowMs < untilMs) await alarm.sleep(untilMs - this.#state.nowMs);
    await store.close();
  }

  async #run(): Promise<void> {
    const state = this.#state;
    await this.#delayStart();
    while (!state.isStopping) {
      const plan = await follow(state);
      if (plan === null) break;
      const session = await campaign(state, plan);
      plan.finish();
      if (session !== null) state.takeRequests()();
      await (session === null ? rest(state) : lead(state, session));
    }
    await this.#releaseUncertain();
    state.takeRequests()();
    state.looked();
  }

  /** Gives back the leases of campaigns that had no answer in time, but may have been won. */
  async #releaseUncertain(): Promise<void> {
    const { node, store } = this.#state;
    const { nodeId } = node.settings.candidate;
    await Promise.all(node.identity.uncertainTokens.map((token) => store.release({ nodeId, token })));
    node.identity.clearUncertain();
  }

  async #delayStart(): Promise<void> {
    const state = this.#state;
    const untilMs = state.nowMs + Math.random() * state.node.settings.startDelayMs;
    while (!state.isStopping && !state.isRequested && state.nowMs < untilMs)
      await state.alarm.sleep(untilMs - state.nowMs);
  }
}
