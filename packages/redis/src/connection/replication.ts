import { setImmediate as nextTurn } from 'node:timers/promises';
import { isMempoolError, MempoolError } from 'mempool-core';
import type { Link } from './link.ts';

/** How long the key that marks a wait stays, in milliseconds. */
const markMs = 86_400_000;

export interface ReplicationOptions {
  readonly minReplicas: number;
  readonly replicaTimeoutMs: number;
  /** The key that is written before each wait. */
  readonly key: string;
  /** How long the server may take to answer, in addition to the wait itself, in milliseconds. */
  readonly timeoutMs: number;
}

/** The error of a write that the master has, and perhaps too few replicas. It ends the call: the caller may repeat it. */
class Unconfirmed extends Error {}

/** Converts `Unconfirmed` to `ERR_MEMPOOL_OUTCOME_UNKNOWN`. Returns any other error unchanged. */
export function unconfirmed(error: unknown): unknown {
  return error instanceof Unconfirmed
    ? new MempoolError('ERR_MEMPOOL_OUTCOME_UNKNOWN', error.message, { cause: error })
    : error;
}

/** Writes of one connection that share a wait. */
interface Batch {
  readonly connection: number;
  readonly done: Promise<void>;
}

/**
 * Waits until enough replicas have the writes of a connection. It sends one `WAIT` at a time, for all writes that were sent before
 * it. Later writes share the next `WAIT`. So a missing replica delays a write by at most two waits.
 */
export class Replication {
  readonly options: ReplicationOptions;
  readonly #link: Link;
  #next: Batch | null = null;
  #last: Promise<unknown> = Promise.resolve();

  constructor(link: Link, options: ReplicationOptions) {
    this.#link = link;
    this.options = options;
  }

  /**
   * Resolves when enough replicas have the writes sent on the connection until now. Call it in the same turn as the write.
   *
   * @throws Unconfirmed; `ERR_MEMPOOL_OUTCOME_UNKNOWN` if the connection broke, and then the write must be repeated
   */
  confirmed(): Promise<void> {
    const { connection } = this.#link;
    if (this.#next?.connection !== connection) this.#next = this.#begin(connection);
    return this.#next.done;
  }

  #begin(connection: number): Batch {
    const turn = this.#last.then(() => nextTurn());
    const batch: Batch = { connection, done: turn.then(() => this.#run(batch)) };
    this.#last = batch.done.catch(() => undefined);
    return batch;
  }

  async #run(batch: Batch): Promise<void> {
    if (this.#next === batch) this.#next = null;
    try {
      // A repeated write only finds its record. The server would wait for nothing, unless something is written after it.
      if (await this.#wait(batch, 'PEXPIRE', markMs)) return;
      if (await this.#wait(batch, 'HSET', 'at', 1)) return;
    } catch (error) {
      throw failureOf(error);
    }
    throw new Unconfirmed(`${this.options.key} cannot be written, so replicas cannot be waited for`);
  }

  /** Marks and waits. False if the mark was not written: then the wait proves nothing. @throws Unconfirmed */
  async #wait({ connection }: Batch, command: string, ...args: readonly (string | number)[]): Promise<boolean> {
    const { minReplicas, replicaTimeoutMs, key, timeoutMs } = this.options;
    if (this.#link.connection !== connection)
      throw new MempoolError('ERR_MEMPOOL_UNAVAILABLE', 'the connection to Redis broke before its replicas confirmed');
    const withinMs = replicaTimeoutMs + timeoutMs;
    const ask = (name: string, given: readonly (string | number)[]) =>
      this.#link.ask<number>((client) => client.call(name, ...given), name, withinMs, 'ERR_MEMPOOL_UNAVAILABLE');
    const [marked, count] = await Promise.all([
      ask(command, [key, ...args]),
      ask('WAIT', [minReplicas, replicaTimeoutMs]),
    ]);
    if (marked === 0 && command === 'PEXPIRE') return false;
    if (count >= minReplicas) return true;
    throw new Unconfirmed(
      `the master has the write, but only ${count} of ${minReplicas} replicas confirmed it in time`,
    );
  }
}

/** The write was sent, so a lost answer is an unknown outcome. A refusal will come again. */
function failureOf(error: unknown): unknown {
  if (error instanceof Unconfirmed) return error;
  if (isMempoolError(error, 'ERR_MEMPOOL_UNAVAILABLE'))
    return new MempoolError('ERR_MEMPOOL_OUTCOME_UNKNOWN', error.message, { cause: error });
  const words = error instanceof Error ? error.message : String(error);
  return new Unconfirmed(`the replicas cannot be waited for: ${words}`, { cause: error });
}
