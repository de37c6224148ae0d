import type { Mempool, TransactionStatus, WaitStage } from 'mempool-core';
import type { Call } from './endpoint.ts';
import { busy, Problem } from './problem.ts';

/** How a wait ended. */
export type WaitEnd = 'reached' | 'dropped' | 'timeout';

/** What a request waits for. */
export interface WaitGoal {
  readonly hash: string;
  readonly wait?: WaitStage | undefined;
  readonly confirmations?: number | undefined;
  readonly timeoutMs: number;
}

/** The requests that wait for a stage. They are counted apart from the others, because each takes long. */
export class Waits {
  readonly #pool: Mempool;
  readonly #max: number;
  readonly #stopping = new AbortController();
  #count = 0;

  constructor(pool: Mempool, max: number) {
    this.#pool = pool;
    this.#max = max;
  }

  /** How many wait now. */
  get count(): number {
    return this.#count;
  }

  /** @throws `Problem` 503 if too many wait or the server stops, 499 if the client leaves */
  async wait({ request, environment }: Call, goal: WaitGoal): Promise<[TransactionStatus, WaitEnd]> {
    if (this.#count >= this.#max) throw busy(`At most ${this.#max} requests may wait at once.`);
    this.#count += 1;
    // A wait longer than the socket's own timeout is no dead connection.
    environment.incoming?.socket.setTimeout(goal.timeoutMs + graceMs);
    const timeout = AbortSignal.timeout(goal.timeoutMs);
    const signal = AbortSignal.any([request.signal, this.#stopping.signal, timeout]);
    try {
      const { wait: stage, confirmations } = goal;
      const { kind, status } = await this.#pool.waitFor(goal.hash, { stage, confirmations, signal });
      return [status, kind];
    } catch (error) {
      if (this.#stopping.signal.aborted) throw stopping();
      if (request.signal.aborted) throw new Problem(499, 'ERR_SERVER_GONE', { detail: 'The client has left.' });
      if (!timeout.aborted) throw error;
      return [await this.#pool.status(goal.hash), 'timeout'];
    } finally {
      this.#count -= 1;
    }
  }

  /** Ends all waits: the server stops. */
  stop(): void {
    this.#stopping.abort();
  }
}

const graceMs = 60_000;

/** The answer to whoever comes or waits while the server stops. */
export function stopping(): Problem {
  const headers = { 'retry-after': '1', connection: 'close' };
  return new Problem(503, 'ERR_SERVER_STOPPING', { detail: 'The server stops. Try again.', headers });
}
