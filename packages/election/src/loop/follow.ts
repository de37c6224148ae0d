import type { HeldLease } from '../contract/lease.ts';
import type { Decision } from '../node/lease-observer.ts';
import type { CampaignPlan } from './campaign.ts';
import type { LoopState } from './loop-state.ts';

/** Polls the store until there is a reason to campaign, and returns the plan. Returns `null` if the loop stops. */
export async function follow(state: LoopState): Promise<CampaignPlan | null> {
  while (!state.isStopping) {
    const isImmediate = state.isRequested;
    const deposedTerm = state.takeDeposedTerm();
    const finish = state.takeRequests();
    await Promise.all([look(state), sendHeartbeat(state)]);
    state.looked();
    const decision = decide(state, isImmediate, deposedTerm);
    if (decision.kind === 'campaign' && !state.isStopping) return { ...decision, isImmediate, finish };
    finish();
    await state.alarm.sleep(untilNextLookMs(state, decision));
  }
  return null;
}

/** Waits for the next poll after a campaign that was not won, so that a store that refuses is not called in a busy loop. */
export async function rest(state: LoopState): Promise<void> {
  if (state.isStopping || state.isRequested) return;
  await state.alarm.sleep(state.node.settings.pollMs);
}

async function look(state: LoopState): Promise<void> {
  const { node, store } = state;
  const answer = await store.observe();
  if (answer.kind === 'none') {
    if (!state.isBlind) node.failed(answer.error);
    state.isBlind = true;
    return;
  }
  state.isBlind = false;
  node.observed(answer.value);
  const { lease } = answer.value;
  if (lease === null) return;
  if (lease.nodeId !== node.settings.candidate.nodeId) state.standBackUntilMs = Number.NEGATIVE_INFINITY;
  if (isLeftOver(state, lease)) await discard(state, lease);
}

async function discard(state: LoopState, { nodeId, token }: HeldLease): Promise<void> {
  const released = await state.store.release({ nodeId, token });
  if (released.kind !== 'answer' || !released.value) return;
  // Look again at once, but only once for each token: a store may answer that it released the lease, and keep it.
  if (state.discardedToken !== token) state.alarm.ring();
  state.discardedToken = token;
}

/** The lease is from a campaign or leadership of this node that is over. */
function isLeftOver({ node: { identity } }: LoopState, lease: HeldLease): boolean {
  return identity.owns(lease) && !identity.mayHaveWon(lease);
}

async function sendHeartbeat(state: LoopState): Promise<void> {
  const { node, store, nowMs } = state;
  if (nowMs < state.nextHeartbeatMs) return;
  state.nextHeartbeatMs = nowMs + node.settings.heartbeatMs;
  const members = await store.heartbeat();
  if (members.kind === 'answer') node.observer.observeMembers(members.value);
}

function decide(state: LoopState, isImmediate: boolean, deposedTerm: number | null): Decision {
  const { node, standBackUntilMs, nowMs, isBlind } = state;
  if (isBlind || node.settings.observer) return { kind: 'wait', nextLookMs: Number.POSITIVE_INFINITY };
  const decision = node.decide(deposedTerm);
  if (decision.kind === 'wait' || isImmediate || standBackUntilMs <= nowMs) return decision;
  return { kind: 'wait', nextLookMs: standBackUntilMs - nowMs };
}

function untilNextLookMs(state: LoopState, decision: Decision): number {
  const wantedMs = decision.kind === 'wait' ? decision.nextLookMs : 0;
  return Math.min(wantedMs, state.node.settings.pollMs);
}
