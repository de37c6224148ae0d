import type { HeldLease } from '../contract/lease.ts';
import type { CampaignRequest } from '../contract/lease-store.ts';
import type { Conclusion } from '../node/sightings.ts';
import type { Engagement } from './engagement.ts';

/** What a follower has decided to do. */
export type Plan = Pick<CampaignRequest, 'dataLoss' | 'takeover'> & {
  /** Somebody called `campaign`: there is nothing to wait for. */
  readonly atOnce: boolean;
  /** Tells those who called it that the campaign is over. */
  readonly answer: () => void;
};

/** Looks until there is something to campaign for; `null` when the election stops. */
export async function follow(engagement: Engagement): Promise<Plan | null> {
  while (!engagement.stopping) {
    const atOnce = engagement.asked;
    const deposed = engagement.takeDeposed();
    const answer = engagement.takeAsked();
    await Promise.all([look(engagement), beat(engagement)]);
    engagement.looked();
    const conclusion = conclude(engagement, atOnce, deposed);
    if (conclusion.kind === 'campaign' && !engagement.stopping) return { ...conclusion, atOnce, answer };
    answer();
    await engagement.alarm.sleep(untilNextLookMs(engagement, conclusion));
  }
  return null;
}

/** After a campaign that was not won: the next look is the next poll's, so that a store that refuses is not stormed. */
export async function rest(engagement: Engagement): Promise<void> {
  if (engagement.stopping || engagement.asked) return;
  await engagement.alarm.sleep(engagement.standing.settings.pollMs);
}

async function look(engagement: Engagement): Promise<void> {
  const { standing, store } = engagement;
  const seen = await store.observe();
  if (seen.kind === 'none') {
    if (!engagement.blind) standing.failed(seen.error);
    engagement.blind = true;
    return;
  }
  engagement.blind = false;
  standing.saw(seen.value);
  const { lease } = seen.value;
  if (lease === null) return;
  if (lease.nodeId !== standing.settings.candidate.nodeId) engagement.standBackUntilMs = Number.NEGATIVE_INFINITY;
  if (isLeftBehind(engagement, lease)) await discard(engagement, lease);
}

async function discard(engagement: Engagement, { nodeId, token }: HeldLease): Promise<void> {
  const released = await engagement.store.release({ nodeId, token });
  if (released.kind !== 'answer' || !released.value) return;
  // Once: a store that says so and keeps the lease is not to be asked without end.
  if (engagement.discarded !== token) engagement.alarm.ring();
  engagement.discarded = token;
}

/** The lease is from a campaign or leadership of this node's own that is over. */
function isLeftBehind({ standing: { identity } }: Engagement, lease: HeldLease): boolean {
  return identity.owns(lease) && !identity.mayHaveWon(lease);
}

async function beat(engagement: Engagement): Promise<void> {
  const { standing, store, nowMs } = engagement;
  if (nowMs < engagement.nextBeatMs) return;
  engagement.nextBeatMs = nowMs + standing.settings.heartbeatMs;
  const members = await store.heartbeat();
  if (members.kind === 'answer') standing.sightings.learnMembers(members.value);
}

function conclude(engagement: Engagement, atOnce: boolean, deposed: number | null): Conclusion {
  const { standing, standBackUntilMs, nowMs, blind } = engagement;
  if (blind) return { kind: 'wait', nextLookMs: Number.POSITIVE_INFINITY };
  const conclusion = standing.conclude(deposed);
  if (conclusion.kind === 'wait' || atOnce || standBackUntilMs <= nowMs) return conclusion;
  return { kind: 'wait', nextLookMs: standBackUntilMs - nowMs };
}

function untilNextLookMs(engagement: Engagement, conclusion: Conclusion): number {
  const wantedMs = conclusion.kind === 'wait' ? conclusion.nextLookMs : 0;
  return Math.min(wantedMs, engagement.standing.settings.pollMs);
}
