import type { LeaderWork } from './contract/election.ts';
import { isElectionError } from './contract/errors.ts';
import type { LeaderSession } from './node/leader-session.ts';
import type { NodeState } from './node/node-state.ts';

/** Runs the work in each leadership of this node, until a run ends while the node still leads, or `halt` aborts. */
export async function runAsLeader<T>(node: NodeState, work: LeaderWork<T>, halt: AbortSignal): Promise<T> {
  for (;;) {
    const session = await nextSession(node, halt);
    const signal = AbortSignal.any([session.signal, halt]);
    const running = begin(session, work, signal);
    node.work.track(running);
    try {
      const result = await running;
      if (isStillLeader(session, halt)) return result;
    } catch (error) {
      if (isStillLeader(session, halt)) throw error;
      // The work runs again or the call ends with the reason of the halt, so nobody gets this error.
      if (!isInterruption(error, signal)) {
        const { name } = node.settings;
        const { term } = session.lease;
        node.settings.log('warn', "the leader's work failed after it was stopped", { election: name, term, error });
      }
    }
  }
}

function isStillLeader(session: LeaderSession, halt: AbortSignal): boolean {
  return !halt.aborted && isOpen(session);
}

/** True for an error by which work ends because its signal aborts or its leadership is over. */
function isInterruption(error: unknown, { reason }: AbortSignal): boolean {
  if (error === reason || isElectionError(error, 'ERR_ELECTION_NOT_LEADER')) return true;
  return (
    error instanceof Error && (error.name === 'AbortError' || (error.cause !== undefined && error.cause === reason))
  );
}

async function begin<T>(session: LeaderSession, work: LeaderWork<T>, signal: AbortSignal): Promise<T> {
  return await work(signal, session.lease.term, session);
}

function nextSession(node: NodeState, halt: AbortSignal): Promise<LeaderSession> {
  return new Promise((resolve, reject) => {
    const settle = () => {
      if (!halt.aborted && !isOpen(node.session)) return;
      end();
      halt.removeEventListener('abort', settle);
      if (halt.aborted) reject(halt.reason);
      else if (node.session !== null) resolve(node.session);
    };
    const end = node.listeners.on('acquired', settle);
    halt.addEventListener('abort', settle);
    settle();
  });
}

function isOpen(session: LeaderSession | null): boolean {
  return session !== null && !session.signal.aborted && session.isLeader();
}
