import type { LeaderWork } from './contract/election.ts';
import type { Standing } from './node/standing.ts';
import type { Tenure } from './node/tenure.ts';

/** Does the work in one leadership after the other, until it ends in one, or `halt` aborts. */
export async function runAsLeader<T>(standing: Standing, work: LeaderWork<T>, halt: AbortSignal): Promise<T> {
  for (;;) {
    const tenure = await nextTenure(standing, halt);
    const running = begin(tenure, work, halt);
    standing.works.track(running);
    try {
      const result = await running;
      if (hasHeld(tenure, halt)) return result;
    } catch (error) {
      // What work does wrong because it is no longer the leader's is not its own error.
      if (hasHeld(tenure, halt)) throw error;
    }
  }
}

function hasHeld(tenure: Tenure, halt: AbortSignal): boolean {
  return !halt.aborted && !tenure.signal.aborted && tenure.isLeader();
}

async function begin<T>(tenure: Tenure, work: LeaderWork<T>, halt: AbortSignal): Promise<T> {
  return await work(AbortSignal.any([tenure.signal, halt]), tenure.lease.term, tenure);
}

function nextTenure(standing: Standing, halt: AbortSignal): Promise<Tenure> {
  return new Promise((resolve, reject) => {
    const settle = () => {
      if (!halt.aborted && !isOpen(standing.tenure)) return;
      end();
      halt.removeEventListener('abort', settle);
      if (halt.aborted) reject(halt.reason);
      else if (standing.tenure !== null) resolve(standing.tenure);
    };
    const end = standing.listeners.on('acquired', settle);
    halt.addEventListener('abort', settle);
    settle();
  });
}

function isOpen(tenure: Tenure | null): boolean {
  return tenure?.isLeader() === true && !tenure.signal.aborted;
}
