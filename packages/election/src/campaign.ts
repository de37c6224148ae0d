import type { Engagement } from './engagement.ts';
import type { Plan } from './follow.ts';
import type { CampaignReply } from './lease-store.ts';
import type { Moment } from './moment.ts';
import { Tenure } from './tenure.ts';

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
  standing.counters.campaigns += 1;
  const token = standing.identity.candidacy();
  const answer = await store.campaign({ candidate, token, ttlMs, floor: standing.term, dataLoss, takeover });
  if (answer.kind === 'answer') return decide(engagement, answer.value, answer.sent);
  standing.identity.doubt();
  return failed(engagement, answer.error);
}

function decide(engagement: Engagement, reply: CampaignReply, sent: Moment): Tenure | null {
  const { standing } = engagement;
  switch (reply.kind) {
    case 'won':
      return take(engagement, reply, sent);
    case 'held':
      standing.identity.discard();
      standing.saw(reply);
      return failed(engagement, null);
    case 'forgotten':
      standing.identity.discard();
      standing.saw({ lease: null, term: reply.term });
      return failed(engagement, null);
  }
}

type Won = Extract<CampaignReply, { kind: 'won' }>;

/** The token stays pending where the win comes too late to be used: it is adopted by the next campaign, or released at the end. */
function take(engagement: Engagement, { lease, forced }: Won, sent: Moment): Tenure | null {
  const { standing, alarm } = engagement;
  standing.sightings.learnTerm(lease.term);
  const tenure = new Tenure(lease, sent, standing.settings, () => alarm.ring());
  if (engagement.stopping) return null;
  if (!tenure.isLeader()) return failed(engagement, null);
  standing.acquired(tenure, lease, forced);
  return tenure;
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
