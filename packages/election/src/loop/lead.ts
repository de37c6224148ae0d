import type { LossReason } from '../contract/events.ts';
import type { Tenure } from '../node/tenure.ts';
import type { Engagement } from './engagement.ts';
import { Renewal } from './renewal.ts';

/** Leads until the leadership is lost or given up, and tells so. What ends it is decided here and nowhere else. */
export async function lead(engagement: Engagement, tenure: Tenure): Promise<void> {
  // Its own win is what it was hinted at.
  engagement.takeHint();
  const renewal = new Renewal(engagement, tenure);
  for (;;) {
    const loss = lossOf(tenure, renewal);
    if (loss !== null) return lose(engagement, tenure, loss);
    if (tenure.parting !== null && isDrained(engagement, tenure)) return part(engagement, tenure, tenure.parting);
    const { progressTimeoutMs } = engagement.standing.settings;
    if (tenure.standstillMs >= progressTimeoutMs) tenure.part('no-progress');
    renewal.sendIfDue();
    await engagement.alarm.sleep(
      Math.min(renewal.dueInMs, tenure.remainingMs(), tenure.drainMs, untilStandstillMs(tenure, progressTimeoutMs)),
    );
    if (engagement.takeHint()) renewal.hasten();
  }
}

function lossOf(tenure: Tenure, renewal: Renewal): LossReason | null {
  return renewal.verdict ?? (tenure.isLeader() ? null : 'expired');
}

function isDrained({ standing: { works } }: Engagement, tenure: Tenure): boolean {
  return works.idle || tenure.drainMs === 0;
}

function untilStandstillMs(tenure: Tenure, progressTimeoutMs: number): number {
  return tenure.parting === null ? progressTimeoutMs - tenure.standstillMs : Number.POSITIVE_INFINITY;
}

function lose(engagement: Engagement, tenure: Tenure, reason: LossReason): void {
  engagement.standing.lost(tenure, reason);
  tenure.close();
  // Nobody waits for it: the node follows already, and the token is never used again.
  if (reason === 'expired') void engagement.store.release(tenure.lease);
}

/** Rule 7: this node says that it does not lead before anybody else can. */
async function part(engagement: Engagement, tenure: Tenure, reason: LossReason): Promise<void> {
  engagement.standing.lost(tenure, reason);
  await engagement.store.release(tenure.lease);
  engagement.standBackUntilMs = engagement.nowMs + engagement.standing.settings.ttlMs;
  tenure.close();
}
