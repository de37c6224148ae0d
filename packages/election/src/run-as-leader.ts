import type { LeaderWork } from './contract/election.ts';
import type { LeaderSession } from './node/leader-session.ts';
import type { NodeState } from './node/node-state.ts';

/** Runs the work in each leadership of this node, until a run ends while the node still leads, or `halt` aborts. */
export async function runAsLeader<T>(node: NodeState, work: LeaderWork<T>, halt: AbortSignal): Promise<T> {
  for (;;) {
    const session = await nextSession(node, halt);
    const running = begin(session, work, halt);
    node.work.track(running);
    try {
      const result = await running;
      if (isStillLeader(session, halt)) return result;
    } catch (error) {
      // An error after the loss is not the work's own: the work was interrupted.
      if (isStillLeader(session, halt)) throw error;
    }
  }
}

function isStillLeader(session: LeaderSession, halt: AbortSignal): boolean {
  return !halt.aborted && isOpen(session);
}

async function begin<T>(session: LeaderSession, work: LeaderWork<T>, halt: AbortSignal): Promise<T> {
  return await work(AbortSignal.any([session.signal, halt]), session.lease.term, session);
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
