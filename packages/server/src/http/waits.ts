import type { Mempool, TransactionStatus, Waited, WaitStage } from 'mempool-core';
import type { Call } from './endpoint.ts';
import { Problem } from './problem.ts';
import { Slots } from './slots.ts';

/** How a wait ended. */
export type WaitEnd = Waited['kind'];

/** What a request waits for. */
export interface WaitGoal {
  readonly hash: string;
  readonly wait?: WaitStage | undefined;
  readonly confirmations?: number | undefined;
  readonly timeoutMs: number;
}

/** Who waits: its signal aborts when the client leaves. */
export interface Waiting extends Pick<Call, 'environment'> {
  readonly request: { readonly signal: AbortSignal };
}

/** The requests that wait for a stage. They are counted apart from the others, because each takes long. */
export class Waits {
  readonly #pool: Mempool;
  readonly #slots: Slots;
  readonly #stopping: AbortSignal;

  /** @param stop ends all waits: the server stops */
  constructor(pool: Mempool, max: number, stop: AbortSignal) {
    this.#pool = pool;
    this.#slots = new Slots(max, 'requests may wait');
    this.#stopping = stop;
  }

  /** How many wait now. */
  get count(): number {
    return this.#slots.count;
  }

  /** Counts a wait that another protocol answers by itself, as `Slots.take`. */
  hold(): () => void {
    return this.#slots.take();
  }

  /** @throws `Problem` 503 if too many wait or the server stops, 499 if the client leaves */
  async wait({ request, environment }: Waiting, goal: WaitGoal): Promise<[TransactionStatus, WaitEnd]> {
    const leave = this.hold();
    // A wait longer than the socket's own timeout is no dead connection.
    environment.incoming?.socket.setTimeout(goal.timeoutMs + graceMs);
    const signal = AbortSignal.any([request.signal, this.#stopping]);
    try {
      const { hash, wait: stage, confirmations, timeoutMs } = goal;
      const { kind, status } = await this.#pool.waitFor(hash, { stage, confirmations, timeoutMs, signal });
      return [status, kind];
    } catch (error) {
      if (this.#stopping.aborted) throw stopping();
      if (request.signal.aborted) throw new Problem(499, 'ERR_SERVER_GONE', { detail: 'The client has left.' });
      throw error;
    } finally {
      leave();
    }
  }
}

const graceMs = 60_000;

/** The answer to whoever comes or waits while the server stops. */
export function stopping(): Problem {
  const headers = { 'retry-after': '1', connection: 'close' };
  return new Problem(503, 'ERR_SERVER_STOPPING', { detail: 'The server stops. Try again.', headers });
}
