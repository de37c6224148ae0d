import type { HeldLease } from '../contract/lease.ts';
import type { CampaignReply, CampaignRequest } from '../contract/lease-store.ts';
import type { ClockReading } from '../node/clock-reading.ts';
import { LeaderSession } from '../node/leader-session.ts';
import type { LoopState } from './loop-state.ts';

/** A campaign that a follower has decided on. */
export type CampaignPlan = Pick<CampaignRequest, 'dataLoss' | 'takeover'> & {
  /** True if a caller requested the campaign, so it does not wait for other nodes. */
  readonly isImmediate: boolean;
  /** Resolves the requests of callers after the campaign. */
  readonly finish: () => void;
};

/** Runs one campaign, after the wait before it. Returns the leadership that it won, or `null`. */
export async function campaign(state: LoopState, plan: CampaignPlan): Promise<LeaderSession | null> {
  const { node } = state;
  node.become('candidate');
  if (!plan.isImmediate) await letOthersFirst(state);
  const session = state.isStopping ? null : await run(state, plan);
  if (session === null) node.become('follower');
  return session;
}

async function run(state: LoopState, { dataLoss, takeover }: CampaignPlan): Promise<LeaderSession | null> {
  const { node, store } = state;
  const { candidate, ttlMs } = node.settings;
  const won = node.unconfirmedWin;
  if (won !== null) return adopt(state, won);
  node.counters.campaigns += 1;
  const token = node.identity.createToken();
  const answer = await store.campaign({ candidate, token, ttlMs, floor: node.term, dataLoss, takeover });
  if (answer.kind === 'answer') return conclude(state, token, answer.value, answer.sent);
  node.identity.markUncertain(token);
  return failed(state, answer.error);
}

/** Renews a lease that an unconfirmed campaign won, and leads with it. It keeps its token, so it is not won twice. */
async function adopt(state: LoopState, won: HeldLease): Promise<LeaderSession | null> {
  const { node, store } = state;
  const { candidate, ttlMs } = node.settings;
  const answer = await store.renew(won, { candidate, ttlMs, heartbeat: 'beat' });
  if (answer.kind === 'none') return failed(state, answer.error);
  if (answer.value.kind === 'renewed') return begin(state, { lease: answer.value.lease, forced: null }, answer.sent);
  node.observed(answer.value);
  return failed(state, null);
}

function conclude(state: LoopState, token: string, reply: CampaignReply, sent: ClockReading): LeaderSession | null {
  const { node } = state;
  switch (reply.kind) {
    case 'won':
      return begin(state, reply, sent);
    case 'held':
      node.identity.forgetToken(token);
      node.observed(reply);
      return failed(state, null);
    case 'forgotten':
      node.identity.forgetToken(token);
      node.observed({ lease: null, term: reply.term });
      return failed(state, null);
  }
}

type Won = Pick<Extract<CampaignReply, { kind: 'won' }>, 'lease' | 'forced'>;

/** A win that comes too late to be used stays uncertain: the next campaign adopts it, or the end of the loop gives it back. */
function begin(state: LoopState, { lease, forced }: Won, sent: ClockReading): LeaderSession | null {
  const { node, alarm } = state;
  node.observer.observeTerm(lease.term);
  const session = new LeaderSession(lease, sent, node.settings, () => alarm.ring());
  if (session.isLeader() && !state.isStopping) {
    node.acquired(session, lease, forced);
    return session;
  }
  node.identity.markUncertain(lease.token);
  return state.isStopping ? null : failed(state, null);
}

function failed({ node }: LoopState, error: unknown): null {
  node.failed(error);
  return null;
}

async function letOthersFirst(state: LoopState): Promise<void> {
  const { settings, observer } = state.node;
  const untilMs = state.nowMs + Math.random() * settings.jitterMs + observer.yieldMs;
  // A hint ends one sleep, not the wait. A call of `campaign` ends the wait.
  while (!state.isStopping && !state.isRequested && state.nowMs < untilMs)
    await state.alarm.sleep(untilMs - state.nowMs);
}
