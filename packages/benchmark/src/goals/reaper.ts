import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import type { MempoolStore } from 'mempool-core';

const program = new URL('./reaper-node.ts', import.meta.url);

/** Somebody who reaps a pool again and again. */
export interface Reaper {
  reap(): Promise<void>;
  /** @returns how often it reaped since `reap` */
  rest(): Promise<number>;
  end(): Promise<void>;
}

/** On the caller's own store, once in each turn of the event loop. */
export function reaperHere(store: MempoolStore, count: number): Reaper {
  let resting = true;
  let reaping: Promise<number> = Promise.resolve(0);
  const reapOn = async (): Promise<number> => {
    for (let reaped = 0; ; reaped++) {
      if (resting) return reaped;
      await store.reap({ maxTxs: count });
      await turn();
    }
  };
  return {
    async reap() {
      resting = false;
      reaping = reapOn();
    },
    rest() {
      resting = true;
      return reaping;
    },
    end: async () => undefined,
  };
}

/** In a process of its own, which opens the same pool. */
export async function reaperBeside(path: string, pool: string, count: number): Promise<Reaper> {
  const node = fork(program, [path, pool, String(count)]);
  const gone = once(node, 'exit');
  await answer(node);
  const told = async (word: 'reap' | 'rest'): Promise<number> => {
    if (!node.connected) throw ended();
    const answered = answer(node);
    node.send(word);
    return answered;
  };
  return {
    reap: async () => void (await told('reap')),
    rest: () => told('rest'),
    async end() {
      node.kill('SIGKILL');
      await gone;
    },
  };
}

function ended(): Error {
  return new Error('the process that reaps has ended');
}

/** What it says next. @throws Error where it ends instead */
function answer(node: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    const fail = (): void => reject(ended());
    node.once('exit', fail).once('message', (count) => {
      node.off('exit', fail);
      resolve(count as number);
    });
  });
}
