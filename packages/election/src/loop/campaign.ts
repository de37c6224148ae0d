import type { HeldLease } from '../contract/lease.ts';
import type { CampaignReply } from '../contract/lease-store.ts';
import type { Moment } from '../node/moment.ts';
import { Tenure } from '../node/tenure.ts';
import type { Engagement } from './engagement.ts';
import type { Plan } from './follow.ts';

/** One campaign, from the wait before it to its answer. Returns the leadership that was won. */
export async function campaign(engagement: Engagement, plan: Plan): Promise<Tenure | null> {
  const { standing } = engagement;
  standing.become('candidate');
  if (!plan.atOnce) await letOthersFirst(engagement);
  const tenure = engagement.stopping ? null : await run(engagement, plan);
  if (tenure === null) standing.become('follower');
  return tenure;
}

async function run(engagement: Engagement, { dataLoss, takeover }: Plan): Promise<Tenure | null> {
  const { standing, store } = engagement;
  const { candidate, ttlMs } = standing.settings;
  const own = standing.unheardWin;
  if (own !== null) return adopt(engagement, own);
  standing.counters.campaigns += 1;
  const token = standing.identity.candidacy();
  const answer = await store.campaign({ candidate, token, ttlMs, floor: standing.term, dataLoss, takeover });
  if (answer.kind === 'answer') return decide(engagement, token, answer.value, answer.sent);
  standing.identity.doubt(token);
  return failed(engagement, answer.error);
}

/** Renews the lease of a campaign that was won unheard, and leads with it: by its token, so that it is not won twice. */
async function adopt(engagement: Engagement, own: HeldLease): Promise<Tenure | null> {
  const { standing, store } = engagement;
  const { candidate, ttlMs } = standing.settings;
  const answer = await store.renew(own, { candidate, ttlMs, heartbeat: 'beat' });
  if (answer.kind === 'none') return failed(engagement, answer.error);
  if (answer.value.kind === 'renewed')
    return take(engagement, { lease: answer.value.lease, forced: null }, answer.sent);
  standing.saw(answer.value);
  return failed(engagement, null);
}

function decide(engagement: Engagement, token: string, reply: CampaignReply, sent: Moment): Tenure | null {
  const { standing } = engagement;
  switch (reply.kind) {
    case 'won':
      return take(engagement, reply, sent);
    case 'held':
      standing.identity.discard(token);
      standing.saw(reply);
      return failed(engagement, null);
    case 'forgotten':
      standing.identity.discard(token);
      standing.saw({ lease: null, term: reply.term });
      return failed(engagement, null);
  }
}

type Won = Pick<Extract<CampaignReply, { kind: 'won' }>, 'lease' | 'forced'>;

/** A win that comes too late to be used is in doubt: it is adopted by the next campaign, or released at the end. */
function take(engagement: Engagement, { lease, forced }: Won, sent: Moment): Tenure | null {
  const { standing, alarm } = engagement;
  standing.sightings.learnTerm(lease.term);
  const tenure = new Tenure(lease, sent, standing.settings, () => alarm.ring());
  if (tenure.isLeader() && !engagement.stopping) {
    standing.acquired(tenure, lease, forced);
    return tenure;
  }
  standing.identity.doubt(lease.token);
  return engagement.stopping ? null : failed(engagement, null);
}

function failed({ standing }: Engagement, error: unknown): null {
  standing.failed(error);
  return null;
}

async function letOthersFirst(engagement: Engagement): Promise<void> {
  const { settings, sightings } = engagement.standing;
  const untilMs = engagement.nowMs + Math.random() * settings.jitterMs + sightings.courtesyMs;
  // A hint ends a sleep too soon; somebody who calls `campaign` ends the wait.
  while (!engagement.stopping && !engagement.asked && engagement.nowMs < untilMs) {
    await engagement.alarm.sleep(untilMs - engagement.nowMs);
  }
}
