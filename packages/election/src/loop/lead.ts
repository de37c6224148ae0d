import type { LossReason } from '../contract/events.ts';
import type { LeaderSession } from '../node/leader-session.ts';
import type { LoopState } from './loop-state.ts';
import { Renewal } from './renewal.ts';

/** Runs a leadership until it is lost or given up. Only this function decides that a leadership ends. */
export async function lead(state: LoopState, session: LeaderSession): Promise<void> {
  // The hint that this node's own win caused.
  state.takeHint();
  const renewal = new Renewal(state, session);
  for (;;) {
    const loss = lossOf(session, renewal);
    if (loss !== null) return lose(state, session, loss);
    if (session.drainReason !== null && isDrained(state, session)) return giveUp(state, session, session.drainReason);
    const { progressTimeoutMs } = state.node.settings;
    if (session.sinceProgressMs >= progressTimeoutMs) session.drain('no-progress');
    renewal.sendIfDue();
    await state.alarm.sleep(
      Math.min(
        renewal.dueInMs,
        session.remainingMs(),
        session.drainLeftMs,
        untilStandstillMs(session, progressTimeoutMs),
      ),
    );
    if (state.takeHint()) renewal.hasten();
  }
}

function lossOf(session: LeaderSession, renewal: Renewal): LossReason | null {
  return renewal.loss ?? (session.isLeader() ? null : 'expired');
}

function isDrained({ node: { work } }: LoopState, session: LeaderSession): boolean {
  return work.isIdle || session.drainLeftMs === 0;
}

function untilStandstillMs(session: LeaderSession, progressTimeoutMs: number): number {
  return session.drainReason === null ? progressTimeoutMs - session.sinceProgressMs : Number.POSITIVE_INFINITY;
}

function lose(state: LoopState, session: LeaderSession, reason: LossReason): void {
  state.node.lost(session, reason);
  session.close();
  // Not awaited: the node already follows, and the token is never used again.
  if (reason === 'expired') void state.store.release(session.lease);
}

/** Rule 7: this node reports that it no longer leads before another node can. */
async function giveUp(state: LoopState, session: LeaderSession, reason: LossReason): Promise<void> {
  state.node.lost(session, reason);
  await state.store.release(session.lease);
  state.standBackUntilMs = state.nowMs + state.node.settings.ttlMs;
  session.close();
}
